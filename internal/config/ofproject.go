package config

import (
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/setting"
)

// OfProject tells whether the value of a key is the word of the project, and not of
// the user: whoever wrote the project has written it.
func (r *Resolved) OfProject(key string) bool {
	top, ok := r.values.top(key)
	return ok && top.ofProject()
}

// ofProject tells whether a value stands in a file of the project: in refrain.toml,
// be it in the table of a procedure, or in a prompt.
func (e entry) ofProject() bool { return e.layer == "prompt" || e.place.file == FileName }

// leavesProject complains about a file that a setting of the project names and that
// is none of the project's: what would be read there, written over or run is the
// user's. Links are looked at as they are now; whoever opens the file looks again.
func (l *loader) leavesProject(e entry) (what, hint string) {
	must := "must be a path in the project"
	if e.row.Kind != setting.Text {
		must = "must be paths in the project"
	}
	const remedy = "name one there; a flag, the environment and your own config.toml may name any file"
	for _, path := range e.row.Files(e.value) {
		local := filepath.FromSlash(path)
		if !filepath.IsLocal(local) {
			return must + ", not " + setting.Quote(path), remedy
		}
		if named := (files.Named{Path: filepath.Join(l.tree, local), Tree: l.tree}); named.Check() != nil {
			return must + ", and " + setting.Quote(path) + " is a link out of it", remedy
		}
	}
	return "", ""
}
