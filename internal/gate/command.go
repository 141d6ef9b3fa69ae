package gate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/setting"
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
		r.Telling, r.Lacks = out.telling(), out.names(p.Withheld)
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
	stdout, stderr := out.stream(p.Hide), out.stream(p.Hide)
	exit, err := p.Exec(ctx, proc.Spec{
		Argv: shell(line), Role: proc.Judge, Dir: p.Dir, Env: p.Env,
		Stdout: stdout.sink(), Stderr: stderr.sink(), Timeout: timeout,
	})
	stdout.end()
	stderr.end()
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
		return r.refuse("timed out after " + setting.Time(timeout)), out
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

const (
	// tailSize is how much of the end of an output is shown to others.
	tailSize = 4 << 10

	// keptSize is how much of either end is kept to look for what went wrong.
	keptSize = 32 << 10
)

// output takes what a gate prints on both streams. It holds a bounded part of
// it, whatever comes.
type output struct {
	mu     sync.Mutex // the streams are read at the same time
	log    io.Writer
	parser *tests.Parser
	head   []byte
	tail   []byte // at most twice keptSize, so that it need not be moved for every line
}

func newOutput(log io.Writer) *output { return &output{log: log, parser: tests.New()} }

// stream is one of the two streams. The log gets bytes as they come, the others
// whole lines, so that no line of one stream lands within one of the other, and
// without what is secret.
type stream struct {
	out   *output
	clean io.WriteCloser
	line  []byte
}

func (o *output) stream(hide *redact.Redactor) *stream {
	return &stream{out: o, clean: hide.Writer(lines{o})}
}

func (s *stream) sink() proc.Sink {
	sink := proc.Sink{Line: s.take}
	if s.out.log != nil {
		sink.Raw = s.out
	}
	return sink
}

func (s *stream) take(piece []byte, more bool) {
	s.line = append(s.line[:0], piece...)
	if !more {
		s.line = append(s.line, '\n')
	}
	_, _ = s.clean.Write(s.line) // what takes it never fails
}

func (s *stream) end() { _ = s.clean.Close() }

// lines is where an output keeps what it shows to others.
type lines struct{ *output }

func (l lines) Write(data []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.add(data)
	return len(data), nil
}

// Write writes to the log.
func (o *output) Write(data []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.log.Write(data)
}

func (o *output) add(data []byte) {
	_, _ = o.parser.Write(data) // it never fails
	o.head = append(o.head, data[:min(len(data), keptSize-len(o.head))]...)
	o.tail = append(o.tail, data[max(0, len(data)-keptSize):]...)
	if excess := len(o.tail) - keptSize; excess > keptSize {
		o.tail = append(o.tail[:0], o.tail[excess:]...)
	}
}

// report is what test runners said.
func (o *output) report() *tests.Report {
	report, seen := o.parser.Report()
	if !seen {
		return nil
	}
	return &report
}

// telling is the first line that says what is missing, as far as lines are
// kept.
func (o *output) telling() string {
	if line := telling(text.Printed(string(o.head))); line != "" {
		return line
	}
	return telling(text.Printed(string(o.tail)))
}

// names is the first of some variables that the output names, as far as it is
// kept.
func (o *output) names(variables []string) string {
	for _, name := range variables {
		if hasWord(string(o.head), name) || hasWord(string(o.tail), name) {
			return name
		}
	}
	return ""
}

// hasWord tells whether a name stands in a text, and not as a part of another.
func hasWord(text, name string) bool {
	for {
		before, after, found := strings.Cut(text, name)
		if !found {
			return false
		}
		if strings.TrimRightFunc(before, inName) == before && strings.TrimLeftFunc(after, inName) == after {
			return true
		}
		text = after
	}
}

func inName(r rune) bool { return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) }

// end is the last lines of the output.
func (o *output) end() string { return text.LastLines(text.Printed(unwrap(string(o.tail))), tailSize) }

// unwrap gives what "go test -json" wraps into events as it would be without
// them: what was printed, and nothing else. Other lines stay as they are.
func unwrap(text string) string {
	if !strings.Contains(text, `"Action":"`) {
		return text
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		var event struct{ Action, Output string }
		if strings.HasPrefix(line, "{") && json.Unmarshal([]byte(line), &event) == nil && event.Action != "" {
			line = event.Output
		}
		b.WriteString(line)
	}
	return b.String()
}
