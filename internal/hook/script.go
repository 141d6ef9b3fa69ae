package hook

import (
	"context"
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Statuses by which shells and env say that a program could not be run.
const (
	cannotRun = 126
	notFound  = 127
)

// Script asks a stop script, which is a program and says what it thinks by its
// exit status. That is nil when it has no opinion: it could not be run, took too
// long, or was interrupted. All but the last is a warning, and so is a status
// that says that something in the script could not be run. It is the user's own
// when neither its path came with the project nor the file.
func Script(ctx context.Context, path string, own bool, c Call) (exit *int, w *loop.Warning) {
	c.role = roleOf(own)
	end := c.run(ctx, []string{path})
	if s := end.status; s != nil && (*s == cannotRun || *s == notFound) {
		end.trouble = fmt.Sprintf("exited with status %d, so it could not run what it needs", *s)
	}
	if end.trouble == "" {
		return end.status, nil
	}
	if end.hint == "" {
		end.hint = "mend it, or take it out of stop.scripts"
	}
	return end.status, &loop.Warning{Text: "the stop script " + path + " " + end.why(), Hint: end.hint}
}
