package gate

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/tests"
	"github.com/refrain-loop/refrain/internal/text"
)

// Settings describe a gate that is a command.
type Settings struct {
	Name     string
	Run      string        // a command line, for the shell
	Timeout  time.Duration // 0 is none
	MinTests int           // how many tests must run; 0 is any number
}

// Command is a gate that passes when a command ends with 0 and has shown that
// it checked something.
func Command(s Settings) Gate { return command{s} }

type command struct{ settings Settings }

func (c command) Name() string { return c.settings.Name }

func (c command) Check(ctx context.Context, p Place) Result {
	s := c.settings
	r, out := run(ctx, p, s.Name, s.Run, s.Timeout)
	report := out.report()
	if report != nil {
		placeless(report, p.Dir)
		r.Report, r.Tests, r.Gate.Tests = report, report.Tests(), ran(report)
	}
	if r.Interrupted {
		return r
	}
	switch {
	case r.OK:
		r = r.refuse(c.hollow(report, p.Expect))
	case r.Exit != nil && report != nil && report.Failed > 0:
		r.Why = ofTests(report)
	}
	if !r.OK {
		r.Telling = out.telling()
	}
	return r
}

// placeless takes the folder out of the names of tests, so that a test is the
// same one wherever it runs.
func placeless(r *tests.Report, dir string) {
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		real = dir
	}
	names := strings.NewReplacer(dir+string(filepath.Separator), "", real+string(filepath.Separator), "")
	for _, list := range [][]tests.Test{r.Failing, r.Named} {
		for i, t := range list {
			list[i].Name = names.Replace(t.Name)
		}
	}
}

// ran is how many tests ran. One that was skipped did not.
func ran(r *tests.Report) int {
	if r == nil {
		return 0
	}
	return r.Passed + r.Failed
}

func ofTests(r *tests.Report) string {
	return fmt.Sprintf("%d of %s", r.Failed, text.Plural(r.Total, "test"))
}

// hollow says why an exit with 0 proves nothing, or nothing when it does.
func (c command) hollow(r *tests.Report, expect int) string {
	least, n := c.settings.MinTests, ran(r)
	switch {
	case r != nil && r.Failed > 0:
		return fmt.Sprintf("exited 0 although %s failed", ofTests(r))
	case n < least && n > 0:
		return fmt.Sprintf("%s ran, %d wanted", text.Plural(n, "test"), least)
	case n < least && r == nil:
		return fmt.Sprintf("no tests seen, %d wanted", least)
	case n < least && r.Skipped > 0:
		return fmt.Sprintf("no tests ran (%d skipped), %d wanted", r.Skipped, least)
	case n < least:
		return fmt.Sprintf("no tests ran, %d wanted", least)
	case n == 0 && expect > 0:
		return fmt.Sprintf("ran no tests; it ran %d before", expect)
	case n == 0 && r != nil && r.Skipped == 0:
		return "no tests ran"
	}
	return ""
}

// run runs a command line, and judges it by how it ended alone.
func run(ctx context.Context, p Place, name, line string, timeout time.Duration) (Result, *output) {
	r := Result{Gate: loop.Gate{Name: name, Where: p.Where}}
	out := newOutput(p.Log)
	start := time.Now()
	exit, err := p.Exec(ctx, proc.Spec{
		Argv: shell(line), Dir: p.Dir, Env: p.Env,
		Stdout: out.sink(), Stderr: out.sink(), Timeout: timeout,
	})
	r.Duration = loop.Millis(time.Since(start))
	r.Exit, r.Tail = exit.Code, out.end()
	var lost *proc.KeeperError
	switch {
	case errors.As(err, &lost): // it says nothing of the work
		r.Exit, r.Interrupted = nil, true
		return r.refuse(lost.Error()), out
	case err != nil:
		return r.refuse(notStarted(err)), out
	case exit.Cause == loop.AtDeadline:
		r.Exit = nil // it is that of a command that was told to end
		return r.refuse("timed out after " + text.Setting(timeout)), out
	case exit.Cause != loop.Exited && exit.Cause != loop.Signaled:
		r.Exit, r.Interrupted = nil, true
		return r.refuse("interrupted"), out
	case exit.Code == nil:
		return r.refuse("killed by " + exit.Signal), out
	}
	return r.refuse(badExit(*exit.Code, out)), out
}

func notStarted(err error) string {
	var start *proc.StartError
	if errors.As(err, &start) {
		err = start.Err
	}
	return oneLine("could not start: "+err.Error(), maxWhy)
}

// maxWhy is how long a reason may be that others have worded.
const maxWhy = 240

func badExit(code int, out *output) string {
	switch code {
	case 0:
		return ""
	case 127: // what shells say for a program that is not there
		if name := absent(out.telling()); name != "" {
			return "not found: " + name
		}
	}
	return fmt.Sprintf("exit %d", code)
}
