// Package app is the wiring: what a person asked for and what the settings say
// become an engine with its parts.
//
// It decides nothing about a run. Preparing writes nothing, so that a mistake
// in a flag or a file is told before anything exists; only Start and Resume
// take the lock and touch the state folder.
package app

import (
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/rehearsal"
)

// Helper runs this program in one of its other roles, if that is how it was
// started, and does not return then. It must come first in main and TestMain.
func Helper() {
	proc.Helper(map[string]func(args []string) int{
		"rehearsal": rehearsal.Main,
	})
}
