package proc

import (
	"os"
	"slices"
	"strings"
)

// runnersOwn begin the names of the settings that may hold a password and mean
// nothing to anybody but the runner: who is told of a run, and where traces go.
var runnersOwn = []string{"REFRAIN_NOTIFY_", "REFRAIN_TRACE_"}

// Environ is what everything that we start inherits: our own environment, without
// what is set for the runner alone. An agent, a gate, git and what git may start
// have no use for the passwords of the channels by which people are told.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return slices.ContainsFunc(runnersOwn, func(prefix string) bool { return strings.HasPrefix(kv, prefix) })
	})
}
