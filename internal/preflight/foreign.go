package preflight

import (
	"fmt"
	"os"
	"slices"

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
		list = append(list, Finding{Name: "environment", Worry: true, What: notReadHere(w.Theirs, w.System), Hint: w.Ours})
	}
	return append(list, Foreign(f.Tree)...)
}

func notReadHere(what, system string) string {
	return fmt.Sprintf("%s is %s, and not read", what, foreign.Whose(system))
}

// Taken is the name of a finding of settings that an import takes over.
const Taken = "import"

// Foreign tells of the files and folders of other systems in a work tree that has no
// settings of ours yet.
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
	var told []string
	all := migrate.Find(files.FS(root))
	for _, found := range all {
		command := "refrain import"
		if len(all) > 1 {
			command += " " + found.System
		}
		if !found.Maybe {
			told = append(told, found.System)
			list = append(list, Finding{
				Name: Taken, Worry: true, What: notReadHere(found.Mark, found.System),
				Hint: fmt.Sprintf("%q makes a %s of it", command, config.FileName),
			})
		}
	}
	there := func(path string) bool {
		_, err := root.Lstat(path)
		return err == nil
	}
	for _, w := range foreign.Folders(there) {
		if !slices.Contains(told, w.System) {
			list = append(list, Finding{Name: "left over", Worry: true, What: notReadHere(w.Theirs, w.System), Hint: w.Ours})
		}
	}
	return list
}
