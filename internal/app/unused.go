package app

import (
	"fmt"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/sandbox"
)

// unusedOpenings are settings that let something in and do not: whoever wrote them
// counts on it, and looks for what is wrong elsewhere.
func unusedOpenings(c config.Sandbox) []loop.Warning {
	if c.Mode == loop.Unsandboxed {
		return nil
	}
	var list []loop.Warning
	for _, path := range sandbox.Missing(c.Allow) {
		list = append(list, loop.Warning{
			Text: fmt.Sprintf("sandbox.allow has %q, which is not there, so it is not let in", path),
			Hint: "make it before the run starts, or allow the folder that it will be in",
		})
	}
	return list
}
