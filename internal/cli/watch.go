package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/show"
	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/tui"
	"github.com/refrain-loop/refrain/internal/view"
)

func watchCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "watch [RUN]",
		Short: "Watch a run on the whole screen, and steer it",
		Long: "Watch a live run on the whole screen: where it stands, what its agent says and does, its iterations,\n" +
			"changes, gates and log, with keys to pause, stop, skip, reboot and add notes. Leaving does not touch\n" +
			"the run. A run that is over is shown as it went. Press ? for the keys.",
		Example:           "  refrain watch\n  refrain watch build-7",
		Args:              atMost(1),
		ValidArgsFunction: completeRuns(sh),
		RunE:              func(cmd *cobra.Command, args []string) error { return watchRun(cmd.Context(), sh, first(args)) },
	}
	sh.addMachine(cmd, findsMachine)
	return cmd
}

func watchRun(ctx context.Context, sh *shell, ref string) error {
	if err := sh.canFillScreen("watch", "refrain logs -f"); err != nil {
		return err
	}
	store, entry, err := sh.meant(ref)
	if err != nil {
		return err
	}
	ctx, stop := sh.untilSignal(ctx)
	defer stop()
	_, _, err = watchAll(ctx, sh, store, entry, false, "")
	return err
}

// watchAll shows a run, and those that its reader goes on to, and then tells on the
// normal screen how the last one stands. Ctrl+C is for the first when it was started
// for this screen; any other is only looked at. What was said already is said once more
// on the screen, which hides it.
func watchAll(ctx context.Context, sh *shell, store journal.Store, entry journal.Entry, ours bool, said string) (journal.Store, journal.Entry, error) {
	for {
		next, err := watchOne(ctx, sh, store, entry, ours, said)
		if err != nil {
			return store, entry, err
		}
		if next == nil {
			break
		}
		said = next.Said
		if next.Name == "" { // the same again
			continue
		}
		ours = false
		if store, err = journal.Open(next.Tree); err != nil {
			return store, entry, err
		}
		if entry, err = store.Load(next.Name); err != nil {
			return store, entry, err
		}
	}
	entry, err := store.Load(entry.Name)
	if err != nil {
		return store, entry, err
	}
	if !store.Status(entry).Ended() {
		goesOn(sh, store, entry)
		return store, entry, nil
	}
	fmt.Fprint(sh.out, lines.Card(lookClosely(store, entry), sh.look()))
	return store, entry, nil
}

// watchOne shows one run until its reader leaves, and gives the run to show next, if
// they have chosen one.
func watchOne(ctx context.Context, sh *shell, store journal.Store, entry journal.Entry, ours bool, said string) (next *tui.LiveRun, err error) {
	o := fullScreen(sh, store)
	o.Said = said
	if ours {
		o.Interrupt = interrupter(store, entry)
	}
	o.Do = func(ctx context.Context, c control.Command) (control.Answer, error) {
		address := socketOf(store, entry)
		if address == "" {
			return control.Answer{}, errors.New("it is just starting, or could not open its socket")
		}
		return control.Dial(address).Do(ctx, c)
	}
	o.Runs = func(context.Context) ([]tui.LiveRun, error) {
		list, err := liveRuns(store)
		for i, r := range list {
			list[i].Here = r.Name == entry.Name && r.Tree == entry.Tree
		}
		return list, err
	}
	o.Switch = func(r tui.LiveRun) { next = &r }
	goBack(&o, entry.Tree)
	since := time.Now()
	events := func(ctx context.Context) iter.Seq2[loop.Event, error] {
		list := show.Past(ctx, store, entry.Name)
		if ours {
			list = ringing(list, sh, entry, since)
		}
		return list
	}
	err = tui.Watch(ctx, events, o)
	return next, err
}

// socketOf is where a run takes commands; empty when it is over or has not said.
func socketOf(store journal.Store, entry journal.Entry) string {
	h, alive := store.At(entry.Tree).Holder()
	if !alive || h.Run != entry.Name {
		return ""
	}
	return h.Socket
}

// fullScreen is what every full-screen view of runs in the store needs. Who may
// steer the run is for the caller to say.
func fullScreen(sh *shell, store journal.Store) tui.Options {
	o := recorded(sh, store)
	o.Diff = func(ctx context.Context, run string, iteration int) (string, error) {
		return iterationDiff(ctx, store, run, iteration)
	}
	o.Live = func(ctx context.Context, run, checkpoint string) (string, error) {
		return liveDiff(ctx, store, run, checkpoint)
	}
	surround(&o, store)
	return o
}

// recorded is what a full-screen view needs of records alone.
func recorded(sh *shell, store journal.Store) tui.Options {
	look := sh.look()
	o := tui.Options{
		Out: sh.out, Color: look.Color, Unicode: unicodeLocale(os.Getenv),
		Card: func(run *view.Run, width int) string {
			if width == 0 {
				return lines.Card(run, look)
			}
			return lines.Card(run, lines.Options{Color: look.Color, Width: func() int { return width }})
		},
		Edit: editor,
		Lend: sh.lent.lend,
	}
	show.Papers(&o, store)
	return o
}

// maxDiff is more of a diff than anybody reads on a screen.
const maxDiff = show.MostShown

// iterationDiff is what an iteration did to the files.
func iterationDiff(ctx context.Context, store journal.Store, run string, iteration int) (string, error) {
	entry, err := store.Load(run)
	if err != nil {
		return "", told(err)
	}
	h, err := history.Open(ctx, store, entry)
	if err != nil {
		return "", told(err)
	}
	from, to, err := span{from: &iteration}.of(ctx, h)
	if err != nil {
		return "", told(err)
	}
	w := head{room: maxDiff}
	if err := h.Kept.Diff(ctx, &w, from, to, checkpoint.DiffOptions{}); err != nil {
		return "", told(err)
	}
	return w.String(), nil
}

// liveTime is how long a look at what an agent is changing may take.
const liveTime = 10 * time.Second

// liveDiff is what has changed in the files since a checkpoint of a run.
func liveDiff(ctx context.Context, store journal.Store, run, since string) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, liveTime, fmt.Errorf("the work tree is too large to look at every now and then"))
	defer cancel()
	entry, err := store.Load(run)
	if err != nil {
		return "", told(err)
	}
	h, err := history.Open(ctx, store, entry)
	if err != nil {
		return "", told(err)
	}
	base, err := h.Kept.Load(ctx, since)
	if err != nil {
		return "", told(err)
	}
	w := head{room: maxDiff}
	if err := h.Kept.DiffNow(ctx, &w, base); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return "", cause
		}
		return "", told(err)
	}
	return w.String(), nil
}

// told is an error as a person is told it, on one line.
func told(err error) error {
	f := explain(err)
	if f.hint == "" {
		return errors.New(f.what)
	}
	return fmt.Errorf("%s (%s)", f.what, f.hint)
}

// head keeps the beginning of what is written to it.
type head struct {
	bytes.Buffer
	room int
}

func (h *head) Write(p []byte) (int, error) {
	n := min(len(p), h.room-h.Len())
	_, err := h.Buffer.Write(p[:n])
	return len(p), err
}

// editor opens a file in the editor that the environment names.
func editor(file string) (*exec.Cmd, error) {
	argv := strings.Fields(cmp.Or(strings.TrimSpace(os.Getenv("VISUAL")), strings.TrimSpace(os.Getenv("EDITOR")), "vi"))
	cmd, err := chosen(append(argv, file)...)
	if err != nil {
		return nil, fmt.Errorf("there is no editor %q: set EDITOR", argv[0])
	}
	return cmd, nil
}

// unicodeLocale tells whether a terminal shows more than ASCII. It does, unless
// the locale is set and says otherwise.
func unicodeLocale(getenv func(string) string) bool {
	if runtime.GOOS == "windows" {
		return true
	}
	locale := strings.ToLower(cmp.Or(getenv("LC_ALL"), getenv("LC_CTYPE"), getenv("LANG")))
	return locale == "" || strings.Contains(locale, "utf-8") || strings.Contains(locale, "utf8")
}
