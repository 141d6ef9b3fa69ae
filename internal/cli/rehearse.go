package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/rehearse"
	"github.com/refrain-loop/refrain/internal/text"
)

func rehearseCommand(sh *shell) *cobra.Command {
	var (
		o      runOptions
		script string
		start  string
		seed   uint64
		keep   bool
	)
	cmd := &cobra.Command{
		Use:   "rehearse SCRIPT [PROCEDURE] [flags] [-- COMMAND ARGS…]",
		Short: "Play a whole night of your settings in seconds, with a script for an agent",
		Long: "Run a loop with your own settings, gates and rules against a rehearsal script, on a clock on which hours\n" +
			"pass at once: usage limits, hangs, crashes, false claims, a full disk. No agent is called, nobody is\n" +
			"notified, and it works in a copy of the work tree that is removed in the end.\n\n" +
			"It tells what happened when, and checks that nothing was lost, nothing false was called done, and what\n" +
			"the script expects. The exit status is 0 when every check passes and 1 when one does not.",
		Example: "  refrain rehearse night.toml build --start 22:00\n" +
			"  refrain rehearse limits.toml -p 'Fix the failing tests' --until DONE --set limits.max_wait=2h",
		Args: func(cmd *cobra.Command, args []string) (err error) {
			script, err = o.takeScript(cmd, args)
			return err
		},
		PreRunE: exclusive([][2]string{
			{"prompt", "prompt-file"}, {"max-iterations", "unlimited"}, {"until", "completion-promise"}, {"permissions", "yolo"},
		}),
	}
	f := cmd.Flags()
	f.StringVarP(&o.prompt, "prompt", "p", "", "the prompt itself; with a procedure, more for its prompt")
	f.BoolVar(&o.replace, "replace-prompt", false, "take -p in the place of the procedure's prompt")
	f.StringVarP(&o.file, "prompt-file", "F", "", "the file with the prompt (- is stdin)")
	f.StringArrayVar(&o.context, "context", nil, "more for the prompt: text, or @FILE (repeatable)")
	f.StringArray("var", nil, "a variable for the prompt, as NAME=VALUE (repeatable)")
	f.BoolVar(&o.yolo, "yolo", false, "the same as --permissions full")
	f.BoolVar(&o.unlimited, "unlimited", false, "no limit on iterations")
	for _, phase := range phases {
		f.StringArray(phase, nil, "what the section "+strings.ToUpper(phase)+" of the procedure says instead (repeatable)")
	}
	addSettings(f, runFlags)
	f.StringVar(&start, "start", "", "when the night begins: 22:00, or 2026-11-15 22:00 (default now)")
	f.Uint64Var(&seed, "seed", 1, "another seed is another night, where a run leaves something to chance")
	f.BoolVar(&keep, "keep", false, "keep the copy of the work tree, with the run in it")
	addTrust(f)
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		began := time.Now()
		evening, err := startOf(start, began)
		if err != nil {
			return err
		}
		req, err := o.request(sh, cmd)
		if err != nil {
			return err
		}
		ctx, ended := sh.untilSignal(cmd.Context())
		defer ended()
		var r *rehearse.Rehearsal
		err = sh.agreeing(func() (err error) {
			r, err = app.PrepareRehearsal(ctx, sh.dir, script, req)
			return err
		})
		if err != nil {
			return err
		}
		if !keep {
			defer func() { _ = r.Close() }() // it is in the system's temporary folder
		}
		r.Start, r.Seed, r.Keep = evening, seed, keep
		page := rehearsalReport{out: sh.out, plain: !isTerminal(sh.out)}
		if *asJSON {
			page.out = io.Discard
		}
		page.open(r)
		r.Tell = page.moment
		result, err := r.Play(ctx)
		if err != nil {
			return err
		}
		if !result.Passed && sh.status == 0 { // unless a signal ended it
			sh.status = statusFailed
		}
		if *asJSON {
			return printJSON(sh.out, struct {
				*rehearse.Report
				Took int64  `json:"took_ms"`
				Copy string `json:"copy,omitempty"`
			}{result, time.Since(began).Milliseconds(), copyOf(r, keep)})
		}
		page.close(result, time.Since(began))
		if keep {
			fmt.Fprintf(sh.out, "The copy is kept; look at the run with: refrain -C %s show\n", r.Dir())
		}
		return nil
	}
	return cmd
}

func copyOf(r *rehearse.Rehearsal, keep bool) string {
	if !keep {
		return ""
	}
	return r.Dir()
}

// takeScript takes the script from the arguments, and leaves those that run has.
func (o *runOptions) takeScript(cmd *cobra.Command, args []string) (string, error) {
	before := args
	if dash := cmd.ArgsLenAtDash(); dash >= 0 {
		before, o.command = args[:dash], args[dash:]
		if len(o.command) == 0 {
			return "", usage("no command after --", "write the program and its arguments after it; it is not started")
		}
	}
	switch len(before) {
	case 0:
		return "", usage("no script to rehearse", "name one: refrain rehearse SCRIPT; docs/rehearsal.md has some to start from")
	case 1:
		return before[0], nil
	case 2:
		o.procedure = before[1]
		return before[0], nil
	}
	return "", usage(fmt.Sprintf("rehearse takes a script and a procedure, not %q", before), "pass a prompt with -p")
}

// startOf is when a night begins.
func startOf(text string, now time.Time) (time.Time, error) {
	if text == "" {
		return now.Truncate(time.Second), nil
	}
	if t, err := time.ParseInLocation("15:04", text, time.Local); err == nil {
		return time.Date(now.Year(), now.Month(), now.Day(), t.Hour(), t.Minute(), 0, 0, time.Local), nil
	}
	t, err := time.ParseInLocation("2006-01-02 15:04", text, time.Local)
	if err != nil {
		return t, usage(fmt.Sprintf("--start is %q, and that is not a time", text), "write it like 22:00, or 2026-11-15 22:00")
	}
	return t, nil
}

// rehearsalReport writes a rehearsal down: what happened, line by line as it does, and
// then what came of it.
type rehearsalReport struct {
	out   io.Writer
	plain bool
}

func (p rehearsalReport) open(r *rehearse.Rehearsal) {
	fmt.Fprintf(p.out, "Rehearsal of %s: %s, agent %s, from %s, seed %d\n\n",
		text.Line(filepath.Base(r.Script)), r.Procedure(), r.Agent(), r.Start.Format("2006-01-02 15:04"), r.Seed)
}

func (p rehearsalReport) moment(m rehearse.Moment) {
	fmt.Fprintf(p.out, "%s  %s\n", m.Time.Format("15:04"), m.Text)
}

func (p rehearsalReport) close(r *rehearse.Report, took time.Duration) {
	fmt.Fprintln(p.out)
	for _, c := range r.Checks {
		fmt.Fprintf(p.out, "%s  %s: %s\n", p.mark(c.OK), c.Name, text.Line(c.Detail))
	}
	fmt.Fprintf(p.out, "\n%s\n", r.Summary())
	for _, hint := range r.Hints {
		fmt.Fprintf(p.out, "hint: %s\n", hint)
	}
	verdict := "PASS"
	if n := r.Failed(); n > 0 {
		verdict = fmt.Sprintf("FAIL (%d of %s)", n, text.Plural(len(r.Checks), "check"))
	}
	fmt.Fprintf(p.out, "%s: %s in %s\n", verdict, text.Seconds(r.Lasted()), text.Duration(took))
}

// mark says whether it is well: in words where nobody may see signs.
func (p rehearsalReport) mark(ok bool) string {
	switch {
	case ok && p.plain:
		return "ok  "
	case p.plain:
		return "FAIL"
	case ok:
		return "✓"
	}
	return "✗"
}
