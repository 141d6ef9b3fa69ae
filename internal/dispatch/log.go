package dispatch

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/text"
)

// log is what a worker says of itself: a line for each thing, with its time.
type log struct {
	mu  sync.Mutex
	out io.Writer
}

func newLog(out io.Writer) *log { return &log{out: out} }

func (l *log) say(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.out, "%s %s\n", time.Now().Format(time.DateTime), fmt.Sprintf(format, args...))
}

// heeded has what other packages say to nobody in particular said in the same way.
type heeded struct {
	*log
	attrs []slog.Attr
}

// Enabled lets through what somebody should look at.
func (heeded) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelWarn }

// Handle says it.
func (h heeded) Handle(_ context.Context, r slog.Record) error {
	var more []string
	add := func(a slog.Attr) bool {
		more = append(more, a.Key+" "+text.Line(a.Value.String()))
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	what := "WARNING: " + text.Line(r.Message)
	if len(more) > 0 {
		what += " (" + strings.Join(more, ", ") + ")"
	}
	h.say("%s", what)
	return nil
}

// WithAttrs has these said, too.
func (h heeded) WithAttrs(attrs []slog.Attr) slog.Handler {
	return heeded{h.log, append(h.attrs[:len(h.attrs):len(h.attrs)], attrs...)}
}

// WithGroup leaves groups out: nobody needs them.
func (h heeded) WithGroup(string) slog.Handler { return h }
