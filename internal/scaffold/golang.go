package scaffold

import (
	"path"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

var goToolchain = row{
	kind: Go, markers: []string{"go.mod", "go.work"}, testFiles: []string{"*_test.go"},
	test: "go test -json ./...", build: "go build -o /dev/null ./...", lint: "go vet ./...", adapt: adaptGo,
	reaches: usedBy, tests: []string{"*_test.go"},
}

// usedBy tells whether a workspace uses a module. Without one, "./..." ends where
// another module begins.
func usedBy(above tree, _ Toolchain, below string) bool {
	return slices.ContainsFunc(workspace(above.read("go.work")), func(folder string) bool { return path.Clean(folder) == below })
}

// adaptGo names the modules of a workspace, for "./..." ends where another
// module begins, and is an error where there is none.
func adaptGo(p tree, t *Toolchain) {
	t.Build.Why = "Without -o, a module with a single command leaves its binary in the work tree."
	var patterns []string
	for _, folder := range workspace(p.read("go.work")) {
		patterns = append(patterns, word(strings.TrimSuffix(folder, "/")+"/..."))
	}
	if len(patterns) == 0 {
		return
	}
	for _, c := range []*Command{&t.Test, &t.Build, &t.Lint} {
		c.Line = strings.ReplaceAll(c.Line, "./...", strings.Join(patterns, " "))
	}
}

var (
	useBlock = text.NewPattern(`(?ms)^use[ \t]*\((.*?)^\)`)
	useLine  = text.NewPattern(`(?m)^use[ \t]+([^\s(].*)$`)
)

// workspace is the folders that the text of a go.work file uses.
func workspace(text string) []string {
	var lines []string
	for _, block := range useBlock().FindAllStringSubmatch(text, -1) {
		lines = append(lines, strings.Split(block[1], "\n")...)
	}
	for _, line := range useLine().FindAllStringSubmatch(text, -1) {
		lines = append(lines, line[1])
	}
	var folders []string
	for _, line := range lines {
		line, _, _ = strings.Cut(line, "//")
		if folder := strings.Trim(strings.TrimSpace(line), "\"`"); folder != "" {
			folders = append(folders, folder)
		}
	}
	return folders
}
