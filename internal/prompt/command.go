package prompt

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/text"
)

const (
	commandTime = 10 * time.Second // unless the builder says otherwise
	maxOutput   = 32 << 10         // bytes of one command
)

// run is what a command prints. A command that fails is an error.
func (t *turn) run(ctx context.Context, p *page, line string) (string, error) {
	if err := p.mayRun(line); err != nil {
		return "", err
	}
	if t.builder.ShowCommands {
		return notRun("run", line), nil
	}
	text, failed, err := t.command(ctx, line)
	if err == nil && failed != "" {
		err = &Error{What: fmt.Sprintf("{{run %q}} %s", Preview(line, 60), failed), Hint: "correct the command, or use runIf where it may fail"}
	}
	return text, err
}

// runIf is what a command prints, or nothing when it fails.
func (t *turn) runIf(ctx context.Context, p *page, line string) (string, error) {
	if err := p.mayRun(line); err != nil {
		return "", err
	}
	if t.builder.ShowCommands {
		return notRun("runIf", line), nil
	}
	text, failed, err := t.command(ctx, line)
	if failed != "" {
		return "", err
	}
	return text, err
}

// notRun stands for what a command would print.
func notRun(word, line string) string { return fmt.Sprintf("{{%s %q}}: not run", word, line) }

// mayRun refuses commands of files that an agent may have written: they would
// run outside of whatever the agent is held in.
func (p *page) mayRun(line string) error {
	if p.trusted {
		return nil
	}
	return &Error{
		What: fmt.Sprintf("the command %q may not be run from here", Preview(line, 60)),
		Hint: "commands are for the prompt itself and for what it includes from " + ownPrompts,
	}
}

// command runs a command line in the work tree. It gives what it printed, and
// why it failed if it did.
func (t *turn) command(ctx context.Context, line string) (text, failed string, err error) {
	b := t.builder
	limit := b.Shell.Time
	if limit == 0 {
		limit = commandTime
	}
	out, complaint := &head{most: maxOutput}, &head{most: maxOutput}
	exit, err := t.exec()(ctx, proc.Spec{
		Argv: proc.Shell(line), Role: proc.Judge, Dir: b.Tree, Env: t.environ(), Timeout: limit,
		Stdout: proc.Sink{Raw: out}, Stderr: proc.Sink{Raw: complaint},
	})
	switch {
	case ctx.Err() != nil:
		return "", "", context.Cause(ctx)
	case err != nil:
		return "", "cannot start: " + startCause(err), nil
	case exit.Cause == loop.AtDeadline:
		return "", fmt.Sprintf("took longer than %s and was ended", limit), nil
	case !exit.Zero():
		return "", ended(exit, complaint.kept, out.kept), nil
	}
	text = withoutTags(strings.TrimRight(out.String(), "\r\n"))
	return text, "", t.spend(len(text))
}

func (t *turn) exec() func(context.Context, proc.Spec) (loop.Exit, error) {
	if t.builder.Shell.Exec != nil {
		return t.builder.Shell.Exec
	}
	return proc.Run
}

func (t *turn) environ() []string {
	if t.builder.Shell.Env != nil {
		return t.builder.Shell.Env
	}
	return proc.Environ()
}

func startCause(err error) string {
	var start *proc.StartError
	if errors.As(err, &start) {
		err = start.Err
	}
	return err.Error()
}

// ended says how a command failed, with the first of its words.
func ended(exit loop.Exit, texts ...[]byte) string {
	how := "was ended by " + exit.Signal
	if exit.Code != nil {
		how = fmt.Sprintf("exited with %d", *exit.Code)
	}
	for _, text := range texts {
		if words := Preview(string(text), 200); words != "" {
			return how + ": " + words
		}
	}
	return how
}

// head keeps the beginning of what is written, and counts the rest.
type head struct {
	most int
	kept []byte
	cut  int
}

func (h *head) Write(data []byte) (int, error) {
	fits := min(len(data), h.most-len(h.kept))
	h.kept = append(h.kept, data[:fits]...)
	h.cut += len(data) - fits
	return len(data), nil
}

// String is what was kept, as text, with a mark when there was more.
func (h *head) String() string {
	if h.cut == 0 {
		return strings.ToValidUTF8(string(h.kept), "\uFFFD")
	}
	whole := text.Cut(string(h.kept), len(h.kept)-1) // the last may be half a character
	more := h.cut + len(h.kept) - len(whole)
	return strings.ToValidUTF8(whole, "\uFFFD") + fmt.Sprintf("\n… (cut: %d more bytes)", more)
}
