//go:build unix

package gate

import "github.com/refrain-loop/refrain/internal/proc"

// shell is the argv that runs a gate. Both streams are made one, so that what a
// tool says on one about what it prints on the other stays in its place.
func shell(line string) []string { return proc.Shell("exec 2>&1\n" + line) }
