package hook

import (
	"io/fs"

	"github.com/refrain-loop/refrain/internal/loop"
)

// fileNames is what the point's file can be called, the best first. The name
// without an ending is last: it is there for other systems.
func fileNames(p Point) []string {
	name := string(p)
	return []string{name + ".cmd", name + ".exe", name + ".bat", name}
}

// notExecutable is the warning about a file that the system would not run.
func notExecutable(info fs.FileInfo, shown string, p Point) *loop.Warning {
	if info.Name() != string(p) {
		return nil
	}
	return &loop.Warning{
		Text: shown + " is not run: Windows runs no file without an ending",
		Hint: "name it " + string(p) + ".cmd, .bat or .exe, or set hooks.run." + string(p),
	}
}
