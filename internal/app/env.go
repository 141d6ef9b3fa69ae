package app

import (
	"crypto/rand"
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// environ is what every child of the run inherits: our own environment, and
// who it works for. The nonce tells the children of this runner from those of
// an earlier one.
func (j *Job) environ(run *journal.Run) []string {
	return append(os.Environ(),
		"REFRAIN_RUN="+run.Meta().Name,
		"REFRAIN_RUN_ID="+run.Meta().ID,
		"REFRAIN_RUNNER="+rand.Text(),
		"REFRAIN_PROCEDURE="+run.Meta().Procedure,
		"REFRAIN_PROJECT_DIR="+j.Tree,
		"REFRAIN_RUN_DIR="+run.Dir(),
	)
}

// scripts are the user's stop scripts; a relative path starts at the work tree.
func (j *Job) scripts() []string {
	var list []string
	for _, script := range j.config().Stop.Scripts {
		if !filepath.IsAbs(script) {
			script = filepath.Join(j.Tree, script)
		}
		list = append(list, script)
	}
	return list
}

func signals(names []string) []loop.Signal {
	var list []loop.Signal
	for _, name := range names {
		list = append(list, loop.Signal(name))
	}
	return list
}
