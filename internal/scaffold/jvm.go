package scaffold

import (
	_ "embed"
	"strings"
)

var maven = row{
	kind: Maven, markers: []string{"pom.xml"}, testFiles: []string{"**/src/test/"},
	test: "mvn -B test", build: "mvn -B -DskipTests package", adapt: adaptMaven,
}

var gradle = row{
	kind: Gradle, markers: []string{"build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts"}, testFiles: []string{"**/src/test/"},
	test: "gradle --no-daemon --continue -I " + countTests + " test", build: "gradle --no-daemon assemble", adapt: adaptGradle,
}

// countTests is the Gradle script that makes tests countable.
const countTests = ".refrain/count-tests.gradle"

//go:embed texts/count-tests.gradle
var countTestsText string

// adaptMaven takes the project's own Maven if it brings one. It never says -q,
// which hides the counts of the tests.
func adaptMaven(p tree, t *Toolchain) {
	pom := p.read("pom.xml")
	switch {
	case strings.Contains(pom, "spotless-maven-plugin"):
		t.Lint.Line = "mvn -B spotless:check"
	case strings.Contains(pom, "maven-checkstyle-plugin"):
		t.Lint.Line = "mvn -B checkstyle:check"
	}
	if strings.Contains(pom, "<modules>") {
		t.Test = Command{
			Line: "mvn -B --fail-at-end test",
			Why:  "Without --fail-at-end, the first module that fails hides the tests of all others.",
		}
	}
	if p.has("mvnw") {
		t.useWrapper("mvn ", "./mvnw ")
	}
}

// gradleLinters are plugins by what build files call them.
var gradleLinters = []struct{ plugin, task string }{
	{"com.diffplug.spotless", "spotlessCheck"},
	{"org.jlleitschuh.gradle.ktlint", "ktlintCheck"},
	{"io.gitlab.arturbosch.detekt", "detekt"},
}

// adaptGradle takes the project's own Gradle if it brings one. A daemon would
// be ended with the gate that started it, so there is none.
func adaptGradle(p tree, t *Toolchain) {
	for _, linter := range gradleLinters {
		if p.mentions(linter.plugin, "build.gradle", "build.gradle.kts") {
			t.Lint.Line = "gradle --no-daemon " + linter.task
			break
		}
	}
	if p.has("gradlew") {
		t.useWrapper("gradle ", "./gradlew ")
	}
	t.Test.Why = "Gradle names no test that passes, and runs none a second time; " + countTests + " makes it do both."
	t.Files = []File{{Path: countTests, Text: countTestsText, Mode: plain}}
}

// useWrapper makes the commands begin with the project's own program.
func (t *Toolchain) useWrapper(program, wrapper string) {
	for _, c := range []*Command{&t.Test, &t.Build, &t.Lint} {
		if rest, ok := strings.CutPrefix(c.Line, program); ok {
			c.Line = wrapper + rest
		}
	}
}
