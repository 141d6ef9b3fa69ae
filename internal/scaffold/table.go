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
	{
		kind: Go, markers: []string{"go.mod", "go.work"}, testFiles: []string{"*_test.go"},
		test: "go test -json ./...", build: "go build -o /dev/null ./...", lint: "go vet ./...", adapt: adaptGo,
	},
	{
		kind: Rust, markers: []string{"Cargo.toml"}, testFiles: []string{"tests/"},
		test: "cargo test --no-fail-fast", build: "cargo build", lint: "cargo clippy --all-targets", adapt: adaptRust,
	},
	{
		kind: DotNet, markers: []string{"*.sln", "*.slnx", "*.csproj", "*.fsproj", "*.vbproj"}, testFiles: []string{"*Tests.cs"},
		test: "dotnet test", build: "dotnet build", adapt: adaptDotNet,
	},
	{
		kind: Maven, markers: []string{"pom.xml"}, testFiles: []string{"**/src/test/"},
		test: "mvn -B test", build: "mvn -B -DskipTests package", adapt: adaptMaven,
	},
	{
		kind: Gradle, markers: []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}, testFiles: []string{"**/src/test/"},
		test: "gradle --no-daemon --continue -I " + countTests + " test", build: "gradle --no-daemon assemble", adapt: adaptGradle,
	},
	{
		kind: Elixir, markers: []string{"mix.exs"}, testFiles: []string{"*_test.exs"},
		test: "mix test", build: "mix compile", adapt: adaptElixir,
	},
	{kind: Ruby, markers: []string{"Gemfile", "*.gemspec"}, adapt: adaptRuby},
	{kind: PHP, markers: []string{"composer.json"}, adapt: adaptPHP},
	{
		kind: Python, markers: []string{"pyproject.toml", "setup.py", "manage.py", "Pipfile"}, testFiles: pythonTests,
		adapt: adaptPython,
	},
	{
		kind: Deno, markers: []string{"deno.json", "deno.jsonc"}, testFiles: []string{"*_test.*", "*.test.*"},
		test: "deno test", build: "deno check .", lint: "deno lint", adapt: adaptDeno,
	},
	{
		kind: Bun, markers: []string{"bun.lock", "bun.lockb", "bunfig.toml"}, testFiles: scriptTests, covers: []Kind{Node},
		test: "bun test", adapt: adaptBun,
	},
	{kind: Node, markers: []string{"package.json"}, testFiles: scriptTests, adapt: adaptNode},
	{kind: CMake, markers: []string{"CMakeLists.txt"}, adapt: adaptCMake},
	{kind: Make, markers: []string{"GNUmakefile", "makefile", "Makefile"}, adapt: adaptMake},
	{kind: Python, markers: []string{"requirements.txt", "setup.cfg", "tox.ini"}, testFiles: pythonTests, adapt: adaptPython},
	{kind: Python, markers: []string{"*.py"}, testFiles: pythonTests, adapt: adaptPython, alone: true},
}

var (
	scriptTests = []string{"*.test.*", "*.spec.*", "__tests__/"}
	pythonTests = []string{"test_*.py", "*_test.py", "tests/"}
)
