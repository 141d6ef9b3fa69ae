package scaffold

import "slices"

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

	// reaches tells whether the commands in a folder, which has the tree above, also
	// see to one below it; nil: they do.
	reaches func(above tree, t Toolchain, below string) bool
	tests   []string // names of files with tests, of which there must be one; none: that there is a command tells
	tools   bool     // its markers lie about in folders that are no part of their own
}

// rowOf is the row of a kind; that of a generic project says nothing.
func rowOf(k Kind) row {
	if i := slices.IndexFunc(table, func(r row) bool { return r.kind == k }); i >= 0 {
		return table[i]
	}
	return row{}
}

// table is every toolchain. Those whose markers hardly ever stand in a project
// of another kind come first, what only wraps others comes late.
var table = []row{
	goToolchain, rust, dotNet, maven, gradle, elixir, ruby, php,
	python, deno, bun, node, cmake, makefile, pythonTools, pythonScripts,
}
