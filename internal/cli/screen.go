package cli

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

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
	f.Var(jsonOutput{output}, "json", "the same as -o json")
	f.Lookup("json").NoOptDefVal = "true"
}

// jsonOutput is the flag by which every command prints JSON, for one that has more
// ways than two.
type jsonOutput struct{ output *string }

func (j jsonOutput) Set(s string) error {
	on, err := strconv.ParseBool(s)
	if on {
		*j.output = "json"
	}
	return err
}

func (j jsonOutput) String() string {
	return strconv.FormatBool(j.output != nil && *j.output == "json")
}

func (jsonOutput) Type() string { return "bool" }

// IsBoolFlag says that it takes no value.
func (jsonOutput) IsBoolFlag() bool { return true }

// screen shows a run in the way that was asked for. What it shows of the past
// is known only when the run is open, so it is made first and filled later.
type screen struct {
	sh   *shell
	kind string
	out  lines.Output

	brief bool // what the run came to is told by somebody else

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
		look := s.sh.look()
		look.Brief = s.brief
		s.out = lines.Auto(s.sh.out, past, look)
	}
}

// fill takes the whole screen, with what is recorded of a run that goes on.
func (s *screen) fill(past *view.Run) {
	store, err := s.sh.store()
	if err != nil { // the run that is to be shown has found it
		s.out = lines.Auto(s.sh.out, past, s.sh.look())
		return
	}
	o := fullScreen(s.sh, store)
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

func (s *screen) close() {
	if s.out != nil {
		s.out.Close()
	}
}
