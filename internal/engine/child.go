package engine

import (
	"context"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// exec runs a process, and warns of what is wrong with the running.
func (e *Engine) exec(ctx context.Context, s proc.Spec) (loop.Exit, error) {
	s.Warn = func(w loop.Warning) { e.warn("process "+w.Text, w) }
	return e.Exec(ctx, s)
}

// ChildEnv is the environment of an agent: everyone's, less what it must not
// see, plus its own additions.
func ChildEnv(env []string, cmd agent.Command) []string {
	child := slices.DeleteFunc(slices.Clone(env), func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return slices.Contains(cmd.Unset, name)
	})
	return append(child, cmd.Env...)
}

// numbered adds the number of the attempt to a child's environment.
func numbered(env []string, iter, attempt int) []string {
	return append(env[:len(env):len(env)],
		"REFRAIN_ITERATION="+strconv.Itoa(iter),
		"REFRAIN_ATTEMPT="+strconv.Itoa(attempt),
	)
}

// stdin is nil for an empty prompt: the child then reads the end at once.
func stdin(text string) io.Reader {
	if text == "" {
		return nil
	}
	return strings.NewReader(text)
}

// WholeLines drops lines that came in pieces: half a line of JSON decodes to
// nothing, and half a line of text must not be taken for a line that says
// something else. They stay in the transcript.
func WholeLines(line func([]byte), tooLong func()) func([]byte, bool) {
	inPieces := false
	return func(piece []byte, more bool) {
		switch {
		case more && !inPieces:
			inPieces = true
			tooLong()
		case !more && inPieces:
			inPieces = false
		case !inPieces:
			line(piece)
		}
	}
}

// tail keeps the end of what was written to it, for a one-line explanation.
type tail struct{ last string }

const maxTail = 300

func (t *tail) add(line []byte) {
	if len(line) > maxTail {
		line = line[len(line)-maxTail:]
	}
	if text := strings.TrimSpace(strings.ToValidUTF8(string(line), "")); text != "" {
		t.last = text
	}
}

func (t *tail) String() string { return t.last }
