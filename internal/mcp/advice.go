package mcp

import (
	"errors"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/journal"
)

// advice is an error that says what happened, then what to do.
type advice struct{ what, do string }

func (a *advice) Error() string { return a.what + "\nhint: " + a.do }

// explain adds what to do to an error that does not say it.
func explain(err error) error {
	var (
		told    *advice
		missing *journal.NotFoundError
		corrupt *journal.CorruptError
		newer   *journal.NewerError
	)
	switch {
	case errors.As(err, &told):
		return told
	case errors.As(err, &missing) && len(missing.Near) == 0:
		return &advice{missing.Error(), "a run is started in this work tree with \"refrain run\""}
	case errors.As(err, &missing):
		return &advice{missing.Error(), "list_runs shows the runs of this work tree"}
	case errors.Is(err, control.ErrNobody):
		return &advice{"the run has just ended", "get_run tells how"}
	case errors.As(err, &corrupt):
		return &advice{"the run cannot be read: " + corrupt.Error(), "tell a person; the next \"refrain run\" moves it aside and loses nothing"}
	case errors.As(err, &newer):
		return &advice{newer.Error(), "tell a person to install a newer refrain"}
	}
	return err
}
