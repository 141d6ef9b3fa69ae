package cli

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/show"
	"github.com/refrain-loop/refrain/internal/tui"
	"github.com/refrain-loop/refrain/internal/view"
	"github.com/refrain-loop/refrain/internal/web"
)

// What follows lets a command of another program show runs as those here do, of records
// that are somewhere.

// Page tells people at this shell of a run.
func (s *Shell) Page(program, called string, store journal.Store, entry journal.Entry, run func() *view.Run) show.Page {
	return show.Page{Out: s.sh.out, Err: s.sh.err, Look: s.sh.look(), Program: program, Called: called, Store: store, Entry: entry, Run: run}
}

// Card shows a run as it stands.
func (s *Shell) Card(run *view.Run) { s.sh.card(run) }

// CanFillScreen refuses where there is no screen to fill, and says what to type there.
func (s *Shell) CanFillScreen(what, instead string) error { return s.sh.canFillScreen(what, instead) }

// Screen is what a full-screen view needs of records.
func (s *Shell) Screen(store journal.Store) tui.Options { return recorded(s.sh, store) }

// Diff is what an iteration did to the files, where the checkpoints are.
func (s *Shell) Diff(ctx context.Context, store journal.Store, run string, iteration int) (string, error) {
	return iterationDiff(ctx, store, run, iteration)
}

// ServeRuns makes a command that serves a page with runs. When that is over, end is called.
func (s *Shell) ServeRuns(cmd *cobra.Command, what, listen string, look func(context.Context, web.Options) (options web.Options, end func(), err error)) {
	o := &serving{what: what}
	o.command(s.sh, cmd, listen, func(ctx context.Context) (web.Options, func(), error) { return look(ctx, plainPage()) })
}
