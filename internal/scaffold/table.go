package scaffold

// Kind names a toolchain.
type Kind string

// The kinds of toolchain.
const (
	Go      Kind = "go"
	Rust    Kind = "rust"
	DotNet  Kind = "dotnet"
	Maven   Kind = "maven"
	Gradle  Kind = "gradle"
	Elixir  Kind = "elixir"
	Ruby    Kind = "ruby"
	PHP     Kind = "php"
	Python  Kind = "python"
	Deno    Kind = "deno"
	Bun     Kind = "bun"
	Node    Kind = "node"
	CMake   Kind = "cmake"
	Make    Kind = "make"
	Generic Kind = "generic" // none that we know
)

var titles = map[Kind]string{
	Go: "Go", Rust: "Rust", DotNet: ".NET", Maven: "Maven", Gradle: "Gradle", Elixir: "Elixir", Ruby: "Ruby", PHP: "PHP",
	Python: "Python", Deno: "Deno", Bun: "Bun", Node: "Node.js", CMake: "CMake", Make: "Make", Generic: "generic",
}

// Title is the kind as people write it.
func (k Kind) Title() string { return titles[k] }

// row is how one toolchain is known, and its usual commands. The test command
// must print what can be counted.
type row struct {
	kind    Kind
	markers []string // patterns of files at the root, the most telling first

	test, build, lint string

	testFiles []string
	covers    []Kind                 // kinds that share its markers and are not meant
	alone     bool                   // its markers lie about in projects of every kind, and tell only when nothing else does
	adapt     func(tree, *Toolchain) // fits the commands to what else is there
}

// table is every toolchain. Those whose markers hardly ever stand in a project
// of another kind come first, what only wraps others comes late.
var table = []row{
	goToolchain, rust, dotNet, maven, gradle, elixir, ruby, php,
	python, deno, bun, node, cmake, makefile, pythonTools, pythonScripts,
}
