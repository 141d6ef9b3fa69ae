package cli

import "github.com/refrain-loop/refrain/internal/loop"

// exitStatus is what the end of a run means to a shell. 0 is done and nothing
// else.
func exitStatus(end loop.RunFinished) int {
	switch end.State {
	case loop.Done:
		return 0
	case loop.Exhausted:
		return 2
	case loop.Stopped:
		if n, ok := signalStatus[end.Signal]; ok {
			return n
		}
	}
	return 1
}

// signalStatus is what shells show for a program that a signal ended.
var signalStatus = map[string]int{"HUP": 129, "INT": 130, "TERM": 143}
