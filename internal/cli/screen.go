package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/charmbracelet/x/term"
	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/loop"
	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/tui"
	"github.com/refrain-loop/refrain/internal/view"
)

// outputs are the ways to show a run.
var outputs = []string{"auto", "plain", "json", "quiet", "tui"}

func addOutput(f *pflag.FlagSet, output *string) {
	f.StringVarP(output, "output", "o", "auto", "how to show the run: "+strings.Join(outputs, ", "))
}

// screen shows a run in the way that was asked for. What it shows of the past
// is known only when the run is open, so it is made first and filled later.
type screen struct {
	sh   *shell
	kind string
	out  lines.Output

	// Of the run, for a screen that steers it.
	control   *app.Control
	interrupt func()
}

func newScreen(sh *shell, kind string) (*screen, error) {
	if !slices.Contains(outputs, kind) {
		return nil, usage(fmt.Sprintf("unknown output %q", kind), "use one of "+strings.Join(outputs, ", "))
	}
	if kind == "auto" && !isTerminal(sh.out) {
		kind = "plain"
	}
	if kind == "tui" {
		if err := sh.canFillScreen("-o tui"); err != nil {
			return nil, err
		}
	}
	return &screen{sh: sh, kind: kind}, nil
}

// show begins, with what is known of the run so far.
func (s *screen) show(past *view.Run) {
	switch s.kind {
	case "plain":
		s.out = lines.Plain(s.sh.out, past)
	case "json":
		s.out = lines.JSON(s.sh.out)
	case "quiet":
		s.out = lines.Quiet(s.sh.out, past)
	case "tui":
		s.fill(past)
	default:
		s.out = lines.Auto(s.sh.out, past, s.sh.look())
	}
}

// fill takes the whole screen, with what is recorded of a run that goes on.
func (s *screen) fill(past *view.Run) {
	store, err := s.sh.store()
	if err != nil { // the run that is to be shown has found it
		s.out = lines.Auto(s.sh.out, past, s.sh.look())
		return
	}
	o := s.sh.fullScreen(store)
	o.Do = func(ctx context.Context, c control.Command) (control.Answer, error) {
		a, err := s.control.Do(ctx, app.Command{Name: c.Command, Text: c.Text, Key: c.Key, Value: c.Value, NoWait: c.NoWait})
		if err != nil || a.OK {
			return control.Answer{OK: a.OK, Effect: a.Effect, State: a.State}, err
		}
		return control.Answer{State: a.State, Why: a.Effect}, nil
	}
	o.Interrupt = s.interrupt
	full := tui.Open(o)
	leaveScreen = full.Leave
	if past.Name != "" {
		for e, err := range store.AllEvents(past.Name, 0) {
			if err != nil {
				break // what follows is shown all the same
			}
			full.Observe(e)
		}
	}
	s.out = full
}

// leaveScreen gives the terminal back, for a process that leaves at once.
var leaveScreen = func() {}

// Observe shows one event.
func (s *screen) Observe(e loop.Event) { s.out.Observe(e) }

// aside is where to say what is no event: not among events for scripts.
func (s *screen) aside() io.Writer {
	if s.kind == "json" {
		return s.sh.err
	}
	return s.sh.out
}

// finish closes the screen of a run that is over. A full one waits for its reader,
// or for a signal.
func (s *screen) finish() {
	if s.kind != "tui" {
		s.close()
		return
	}
	ctx, stop := s.sh.untilSignal(context.Background())
	defer stop()
	defer context.AfterFunc(ctx, leaveScreen)()
	s.close()
}

func (s *screen) close() {
	if s.out != nil {
		s.out.Close()
	}
}

// look is what the terminal can do.
func (sh *shell) look() lines.Options {
	f, ok := sh.out.(interface{ Fd() uintptr })
	if !ok || !term.IsTerminal(f.Fd()) {
		return lines.Options{}
	}
	return lines.Options{
		Color: os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb",
		Width: func() int {
			width, _, err := term.GetSize(f.Fd())
			if err != nil {
				return 0
			}
			return width
		},
	}
}

// terminal is where a person may be looking; nil: nowhere.
func (sh *shell) terminal() io.Writer {
	for _, w := range []io.Writer{sh.out, sh.err} {
		if isTerminal(w) {
			return w
		}
	}
	return nil
}

func isTerminal(w any) bool {
	f, ok := w.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(f.Fd())
}
