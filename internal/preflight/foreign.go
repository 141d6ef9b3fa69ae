package preflight

import (
	"fmt"
	"os"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/foreign"
	"github.com/refrain-loop/refrain/internal/migrate"
)

// notRead tells of what another system would read, and nobody does here: its
// variables, and its files where there are no settings of ours yet.
func notRead(f Flight) []Finding {
	var list []Finding
	for _, w := range foreign.Variables(os.Environ()) {
		list = append(list, Finding{Name: "environment", Worry: true, What: fmt.Sprintf("%s is %s's, and not read", w.Theirs, w.System), Hint: w.Ours})
	}
	return append(list, Foreign(f.Tree)...)
}

// Foreign tells of the files of other systems in a work tree that has no settings of
// ours yet.
func Foreign(tree string) []Finding {
	root, err := files.OpenTree(tree)
	if err != nil {
		return nil // others say so
	}
	defer root.Close()
	if _, err := root.Lstat(config.FileName); err == nil {
		return nil // somebody has said what is meant
	}
	var list []Finding
	for _, found := range migrate.Find(files.FS(root)) {
		if !found.Maybe {
			list = append(list, Finding{
				Name: "import", Worry: true, What: fmt.Sprintf("%s is %s's, and not read", found.Mark, found.System),
				Hint: "\"refrain import\" makes a " + config.FileName + " of it",
			})
		}
	}
	return list
}
