package scaffold

import "github.com/refrain-loop/refrain/internal/text"

var cmake = row{kind: CMake, markers: []string{"CMakeLists.txt"}, adapt: adaptCMake, tools: true}

var (
	ctests       = text.NewPattern(`(?mi)^\s*(enable_testing\s*\(|include\s*\(\s*CTest\s*\))`)
	buildIgnored = text.NewPattern(`(?m)^/?(\*\*/)?build[^/\s]*/?\s*$`)
)

const cmakeBuild = "cmake -S . -B build && cmake --build build"

// adaptCMake builds before it tests, so that nobody tests what was built before.
func adaptCMake(p tree, t *Toolchain) {
	t.Build.Line = cmakeBuild
	if ctests().MatchString(p.read("CMakeLists.txt")) {
		t.Test = Command{
			Line: cmakeBuild + " && ctest --test-dir build --output-on-failure",
			Why:  "It builds first: ctest alone tests what was built before.",
		}
	} else {
		t.note("CMakeLists.txt has no tests for ctest", `call "enable_testing()" there, then set commands.test in `+settingsFile)
	}
	if !buildIgnored().MatchString(p.read(".gitignore")) {
		t.note("the commands build in the folder build, which git does not ignore", `add "/build/" to .gitignore, or name another folder in [commands] of `+settingsFile)
	}
}
