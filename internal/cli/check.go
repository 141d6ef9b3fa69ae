package cli

import (
	"cmp"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

func checkCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "check [PROCEDURE]",
		Short: "Run the gates now, in the work tree and in a clean checkout",
		Long: "Run the gates of refrain.toml now: in the work tree, and in a clean checkout as a claim would be\n" +
			"judged. The exit status is 0 when all pass and 1 when one does not.",
		Example: "  refrain check\n  refrain check --gate 'go test ./...'",
		Args:    atMost(1),
	}
	f := cmd.Flags()
	addSettings(f, []settingFlag{sandboxFlag})
	addTrust(f)
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		flags, err := settingsOf(f, []settingFlag{sandboxFlag})
		if err != nil {
			return err
		}
		ctx, ended := sh.untilSignal(cmd.Context())
		defer ended()
		var c *app.Checked
		err = sh.agreeing(func() (err error) {
			tell := func(p loop.Payload) {
				if w, ok := p.(*loop.Warning); ok {
					tellGate(sh, w)
				}
			}
			if !*asJSON {
				watched := checkedGates{sh: sh, began: time.Now()}
				watched.line = sh.wait(watched.words)
				defer watched.line.end()
				tell = watched.tell
			}
			c, err = app.CheckGates(ctx, sh.dir, request.Request{Procedure: first(args), Flags: flags, Consent: consent(f)}, tell)
			return err
		})
		switch {
		case err != nil:
			return err
		case c == nil: // ended by a signal
			return nil
		case !c.OK():
			sh.status = statusFailed
		}
		if *asJSON {
			return printJSON(sh.out, struct {
				OK      bool          `json:"ok"`
				Sandbox *loop.Sandbox `json:"sandbox,omitempty"`
				*loop.RunBaseline
			}{c.OK(), c.Sandbox, c.RunBaseline})
		}
		tellChecked(sh, c)
		return nil
	}
	return cmd
}

// checkedGates says what happens while it happens.
type checkedGates struct {
	sh   *shell
	line *pulse

	mu    sync.Mutex
	now   string // the gate that runs
	began time.Time
}

// words say what is waited for.
func (c *checkedGates) words() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	what := cmp.Or(c.now, "getting ready")
	return fmt.Sprintf("%s: %s (Ctrl+C ends it)", what, text.Seconds(time.Since(c.began)))
}

func (c *checkedGates) tell(p loop.Payload) {
	c.mu.Lock()
	if p, ok := p.(*loop.GateStarted); ok {
		c.now, c.began = "gate "+text.Line(p.Name)+", "+placeName(p.Where), time.Now()
	}
	c.mu.Unlock()
	c.line.above(func() { tellGate(c.sh, p) })
}

func tellGate(sh *shell, p loop.Payload) {
	switch p := p.(type) {
	case *loop.GateFinished:
		fmt.Fprint(sh.out, lines.Hang(fmt.Sprintf("%-16s %-15s ", text.Line(p.Gate.Name), placeName(p.Gate.Where)), view.Gate(p.Gate), sh.look()))
	case *loop.SandboxRefused:
		fmt.Fprintf(sh.err, "refused by the sandbox: %s\n", view.RefusedOutside(p))
		if allow := view.Allow(p); allow != "" {
			fmt.Fprintf(sh.err, "hint: allow it with %s\n", allow)
		}
	case *loop.Warning:
		fmt.Fprintf(sh.err, "WARNING: %s\n", text.Line(p.Text))
		if p.Hint != "" {
			fmt.Fprintf(sh.err, "hint: %s\n", text.Line(p.Hint))
		}
	}
}

func placeName(p loop.Place) string {
	if p == loop.InClean {
		return "clean checkout"
	}
	return "work tree"
}

// tellChecked shows the end of what a failing gate printed, and where claims
// would be judged.
func tellChecked(sh *shell, c *app.Checked) {
	for i, g := range c.Gates {
		if g.Outside {
			v, hint := c.Sandboxed(i)
			defer tellGate(sh, &loop.Warning{Text: v, Hint: hint})
		}
	}
	for _, one := range c.Results {
		where, tail := loop.InWorkspace, ""
		switch {
		case !one.Work.OK:
			tail = one.Work.Tail
		case one.Clean != nil && !one.Clean.OK:
			where, tail = loop.InClean, one.Clean.Tail
		}
		if tail != "" {
			fmt.Fprintf(sh.out, "\n%s, %s:\n%s\n", text.Line(one.Work.Name), placeName(where), indent(tail))
		}
	}
	for _, name := range c.Reviews {
		fmt.Fprint(sh.out, lines.Hang(fmt.Sprintf("%-16s ", text.Line(name)), "not asked: a reviewer judges the work of a run", sh.look()))
	}
	where := "in the " + placeName(c.Proof)
	if tied := view.Tied(c.RunBaseline); len(tied) > 0 {
		where = view.Judged(c.Proof, tied)
	}
	fmt.Fprintln(sh.out)
	switch {
	case c.Why != "":
		sh.say("A claim would be judged %s: %s", where, text.Line(c.Why))
	default:
		sh.say("A claim would be judged %s.", where)
	}
	if s := c.Sandbox; s != nil && (s.Mode == loop.Unsandboxed || len(s.Open) > 0) { // where it confines, that is no news
		sh.say("Sandbox: %s", text.Line(c.Sandbox.String()))
	}
}

func indent(text string) string {
	return "    " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n    ")
}
