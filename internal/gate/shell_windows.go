package gate

import "github.com/refrain-loop/refrain/internal/proc"

// shell is the argv that runs a gate.
func shell(line string) []string { return proc.Shell(line) }
