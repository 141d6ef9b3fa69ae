package app

import (
	"encoding/json"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Stopped tells whether somebody holds a process, as with kill -STOP. Where nobody
// can tell it is no.
func Stopped(pid int) bool { return proc.Stopped(pid) }

// Left looks for processes that a run which is over has left, and tells which
// programs it was to leave. Where nobody can look, left is nil.
func Left(entry journal.Entry) (spared []string, left *[]string) {
	var settings map[string]config.Stored
	if json.Unmarshal(entry.Config, &settings) == nil {
		_ = json.Unmarshal([]byte(settings["proc.keep"].Value), &spared) // else there are none
	}
	list, err := proc.Left(spared, entry.Tree, entry.ID)
	if err != nil {
		return spared, nil
	}
	return spared, &list
}
