package procedure

import (
	"embed"
	"io/fs"
	"slices"
	"strings"
)

//go:embed fragments
var files embed.FS

const (
	folder    = "fragments/"
	extension = ".md"
)

// Fragment gives the text of a fragment by its name, such as "observe/plan".
// It is a text/template over Iteration, Max, Run, Procedure, Branch, Date and
// Plan, of which Max may be 0, and Run, Branch and Plan may be empty.
func Fragment(name string) (string, bool) {
	text, err := files.ReadFile(folder + name + extension)
	return string(text), err == nil
}

// Fragments is the name of every fragment, sorted.
func Fragments() []string {
	var names []string
	err := fs.WalkDir(files, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			names = append(names, strings.TrimSuffix(strings.TrimPrefix(path, folder), extension))
		}
		return err
	})
	if err != nil {
		panic(err) // embedded
	}
	slices.Sort(names) // the walk went by "commit.md" and "commit-documents.md"
	return names
}
