package dispatch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/lookout"
	"github.com/refrain-loop/refrain/internal/project"
	"github.com/refrain-loop/refrain/internal/show"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// remembered is how long the records of a run are kept that nobody has looked at again.
const remembered = 14 * 24 * time.Hour

// viewer looks at a fleet from where a command stands.
type viewer struct {
	post    post
	service fleet.Service
	*lookout.Lookout
}

// newViewer looks at a fleet. What is seen is kept with the person's records.
func newViewer(ctx context.Context, p post, service fleet.Service) (*viewer, error) {
	dir, err := project.Folder(os.Getenv)
	if err != nil {
		return nil, err
	}
	seen, err := carry.OpenGlimpses(ctx, filepath.Join(dir, "glimpses"))
	if err != nil {
		return nil, err
	}
	if _, err := seen.Clean(time.Now().Add(-remembered)); err != nil {
		p.Warn("old records of runs elsewhere could not be removed: "+err.Error(), "")
	}
	return &viewer{p, service, lookout.New(service, seen)}, nil
}

// meant is the run that a person means, with its records as they are now.
func (v *viewer) meant(ctx context.Context, word string) (*lookout.Run, error) {
	row, err := v.post.meant(ctx, v.service, word)
	if err != nil {
		return nil, err
	}
	return v.Look(ctx, row), nil
}

// seen is a run of the fleet, to be told of.
type seen struct {
	*lookout.Run
	store journal.Store
	entry journal.Entry
}

// see looks at a run. One that has no records yet is false; why there are none that are
// newer is told.
func (v *viewer) see(r *lookout.Run) (s seen, begun bool, err error) {
	trouble := r.Trouble()
	store, begun := r.Store()
	if !begun {
		return seen{Run: r}, false, trouble
	}
	if trouble != nil {
		var hinted interface{ Hint() string }
		hint := ""
		if errors.As(trouble, &hinted) {
			hint = hinted.Hint()
		}
		v.post.Warn("this is how it was when it was last seen: "+trouble.Error(), hint)
	}
	entry, err := store.Load(r.Name())
	return seen{r, store, entry}, true, err
}

// page tells people of the run.
func (v *viewer) page(s seen) show.Page {
	row := s.Row()
	page := v.post.Page("refrain fleet", row.Run, s.store, s.entry, s.view)
	page.Also = row
	return page
}

func (s seen) view() *view.Run { return s.View(s.store, s.entry) }

// notBegun says that a run has no records to tell of.
func notBegun(row fleet.Row) string {
	return fmt.Sprintf("%s has not begun: %s", text.Line(row.Run), text.Line(lookout.Whose(row, time.Now())))
}
