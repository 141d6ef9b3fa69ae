package dispatch

import (
	"context"
	"fmt"
	"iter"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/lookout"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/show"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/tui"
	"github.com/refrain-loop/refrain/internal/view"
)

func watchCommand(p post) *cobra.Command {
	return &cobra.Command{
		Use:   "watch [RUN]",
		Short: "Watch a run on the whole screen, and steer it",
		Long: "Watch a run of the fleet on the whole screen, as \"refrain watch\" does, with keys to pause, stop, skip and add\n" +
			"notes. It moves when its worker pushes: before an iteration, when its agent has ended, and when it is\n" +
			"judged. Leaving does not touch the run. L lists the others that are under way. Press ? for the keys.",
		Example: "  refrain fleet watch\n  refrain fleet watch fix-tests-3f2a",
		Args:    cli.AtMost(1), ValidArgsFunction: completeRuns(p, true),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := p.CanFillScreen("watch", "refrain fleet logs -f"); err != nil {
				return err
			}
			ctx, stop := p.UntilSignal(cmd.Context())
			defer stop()
			service, err := p.dial(ctx)
			if err != nil {
				return told(err)
			}
			defer service.Close()
			v, err := newViewer(ctx, p, service)
			if err != nil {
				return err
			}
			return told(v.watch(ctx, first(args)))
		},
	}
}

// watch shows a run, and those that its reader goes on to, and then tells on the normal
// screen how the last one stands.
func (v *viewer) watch(ctx context.Context, ref string) error {
	for {
		r, err := v.meant(ctx, ref)
		if err != nil {
			return err
		}
		s, begun, err := v.see(r)
		if err == nil && !begun {
			if !v.untilBegun(ctx, r) {
				return v.neverBegun(ctx, r)
			}
			s, _, err = v.see(r)
		}
		if err != nil {
			return err
		}
		if ref, err = v.watchOne(ctx, s); err != nil {
			return err
		}
		if ref == "" {
			if s.entry, err = s.store.Load(s.entry.Name); err != nil {
				return err
			}
			v.post.Card(s.view())
			return nil
		}
	}
}

// watchOne shows one run until its reader leaves, and gives the one to show next, if they
// have chosen one.
func (v *viewer) watchOne(ctx context.Context, s seen) (next string, err error) {
	var wg sync.WaitGroup
	defer wg.Wait()
	ctx, enough := context.WithCancel(ctx)
	defer enough()
	wg.Go(func() { v.Keep(ctx, s.Run) })

	o := v.post.Screen(s.store)
	card := o.Card
	o.Card = func(run *view.Run, width int) string {
		run.Away, run.Dir = s.Away(), s.entry.Dir
		return card(run, width)
	}
	o.Away, o.Do = s.Away, s.Do
	o.Diff = func(ctx context.Context, run string, iteration int) (string, error) {
		if err := s.Files(ctx); err != nil {
			return "", err
		}
		return v.post.Diff(ctx, s.store, run, iteration)
	}
	o.Runs = func(ctx context.Context) ([]tui.LiveRun, error) { return underWay(ctx, v.service, s.Row()) }
	o.Switch = func(r tui.LiveRun) { next = r.Name }
	err = tui.Watch(ctx, func(ctx context.Context) iter.Seq2[loop.Event, error] {
		return show.Past(ctx, s.store, s.entry.Name)
	}, o)
	return next, err
}

// underWay are the runs that a screen can go on to.
func underWay(ctx context.Context, service fleet.Service, here fleet.Row) ([]tui.LiveRun, error) {
	rows, err := service.List(ctx, fleet.Filter{})
	var list []tui.LiveRun
	for _, row := range rows {
		list = append(list, tui.LiveRun{
			Name: row.Run, Tree: text.Line(row.Remote), State: stands(row, time.Now()), At: text.Count(row.Iterations), Here: row.ID == here.ID,
		})
	}
	return list, err
}

// neverBegun is what is to be said of a run that has no records, and gets none.
func (v *viewer) neverBegun(ctx context.Context, r *lookout.Run) error {
	if ctx.Err() != nil {
		return nil // a signal
	}
	row := r.Row()
	what := fmt.Sprintf("%s is over (%s), and has left no records that can be seen", text.Line(row.Run), stands(row, time.Now()))
	if trouble := r.Trouble(); trouble != nil {
		what += ": " + trouble.Error()
	}
	return cli.FailedError(what, "\"refrain fleet status "+text.Line(row.Run)+"\" has what the fleet knows of it")
}

// untilBegun waits until a run has records. It is false when ctx is done before, or it
// gets none.
func (v *viewer) untilBegun(ctx context.Context, r *lookout.Run) bool {
	end := v.post.Wait(func() string { return notBegun(r.Row()) })
	defer end()
	return v.Await(ctx, r)
}
