//go:build unix

package hook

import (
	"io/fs"

	"github.com/refrain-loop/refrain/internal/loop"
)

// fileNames is what the point's file can be called, the best first.
func fileNames(p Point) []string { return []string{string(p)} }

// notExecutable is the warning about a file that the system would not run.
func notExecutable(info fs.FileInfo, shown string, _ Point) *loop.Warning {
	if info.Mode().Perm()&0o111 != 0 {
		return nil
	}
	return &loop.Warning{Text: shown + " is not run: it is not executable", Hint: "chmod +x " + shown}
}
