package app

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
)

// runLog is the runner's own log: every event that the journal keeps as one
// structured line. It goes to log.file; without one, to stderr, and there only
// when log.level was set, for a screen already shows the same.
type runLog struct {
	logger *slog.Logger
	file   io.Closer
	reader *Patient // of stderr; nil: nobody
}

func newLog(a request.Assignment) (*runLog, error) {
	c := a.Config().Log
	var out io.Writer = io.Discard
	l := &runLog{}
	switch {
	case c.File != "":
		f, err := openLog(a.Tree, a.File("log.file", c.File))
		if err != nil {
			return nil, &request.UsageError{What: fmt.Sprintf("open log.file: %v", err), Hint: "name a file in a folder that you can write to"}
		}
		out, l.file = f, f
	case a.Settings.IsSet("log.level"):
		l.reader = NewPatient(os.Stderr)
		out = l.reader
	}
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Level)); err != nil {
		return nil, &request.UsageError{What: fmt.Sprintf("log.level: %v", err)}
	}
	options := &slog.HandlerOptions{Level: level}
	if c.Format == "json" {
		l.logger = slog.New(slog.NewJSONHandler(out, options))
	} else {
		l.logger = slog.New(slog.NewTextHandler(out, options))
	}
	return l, nil
}

// openLog opens the file of the log. In the work tree an agent may have put a pipe
// in its place; elsewhere it is the user's own, and may well be a terminal.
func openLog(tree string, file files.Named) (*os.File, error) {
	if _, inTree := files.Under(tree, file.Path); inTree {
		return file.Append(0o600)
	}
	return os.OpenFile(file.Path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
}

// Close ends the log.
func (l *runLog) Close() error {
	if l.reader != nil {
		l.reader.Close()
	}
	if l.file == nil {
		return nil
	}
	return l.file.Close()
}

// Observe logs one event.
func (l *runLog) Observe(e loop.Event) {
	if !e.Type().Kept() {
		return
	}
	attrs := []slog.Attr{slog.String("run", e.Run)}
	if e.Iter > 0 {
		attrs = append(attrs, slog.Int("iteration", e.Iter), slog.Int("attempt", e.Attempt))
	}
	level, more := describe(e.Payload)
	l.logger.LogAttrs(context.Background(), level, string(e.Type()), append(attrs, more...)...)
}

// describe picks the level of an event and what is worth a field.
func describe(p loop.Payload) (slog.Level, []slog.Attr) {
	switch p := p.(type) {
	case *loop.RunStarted:
		return slog.LevelInfo, confined(p.Sandbox, slog.String("name", p.Name), slog.String("agent", p.Agent))
	case *loop.RunResumed:
		return slog.LevelInfo, confined(p.Sandbox, slog.String("from", string(p.From)))
	case *loop.RunWaiting:
		return slog.LevelInfo, []slog.Attr{slog.String("why", p.Why), slog.Duration("for", p.For.Duration())}
	case *loop.RunParked:
		return slog.LevelInfo, []slog.Attr{slog.String("why", p.Why)}
	case *loop.RunFinished:
		return slog.LevelInfo, []slog.Attr{slog.String("state", string(p.State)), slog.String("reason", string(p.Reason)), slog.String("why", p.Why)}
	case *loop.IterationFinished:
		return slog.LevelInfo, []slog.Attr{
			slog.String("result", string(p.Outcome.Result)), slog.Duration("duration", p.Outcome.Duration.Duration()),
			slog.Bool("progress", p.Outcome.MadeProgress()), slog.String("verdict", string(p.Verdict.Action)),
		}
	case *loop.IterationPhase:
		return slog.LevelDebug, []slog.Attr{slog.String("phase", string(p.Phase))}
	case *loop.AgentExited:
		return slog.LevelDebug, append(exitAttrs(p.Exit), slog.Duration("duration", p.Duration.Duration()))
	case *loop.AgentResult:
		attrs := []slog.Attr{slog.Bool("ok", p.OK)}
		if p.Error != nil {
			attrs = append(attrs, slog.String("error", string(p.Error.Kind)), slog.String("message", p.Error.Message))
		}
		return slog.LevelDebug, attrs
	case *loop.GateFinished:
		attrs := []slog.Attr{slog.String("gate", p.Gate.Name), slog.Bool("ok", p.Gate.OK), slog.Duration("duration", p.Gate.Duration.Duration())}
		if p.Gate.Why != "" {
			attrs = append(attrs, slog.String("why", p.Gate.Why))
		}
		return slog.LevelDebug, attrs
	case *loop.ClaimRefused:
		return slog.LevelWarn, []slog.Attr{slog.String("text", p.Text), slog.String("why", p.Why)}
	case *loop.SandboxRefused:
		return slog.LevelWarn, []slog.Attr{slog.String("what", p.What), slog.String("name", p.Name), slog.String("by", p.By)}
	case *loop.Warning:
		return slog.LevelWarn, []slog.Attr{slog.String("text", p.Text)}
	}
	return slog.LevelDebug, nil
}

// confined adds the sandbox to what is known of a start.
func confined(s *loop.Sandbox, attrs ...slog.Attr) []slog.Attr {
	if s == nil {
		return attrs
	}
	return append(attrs, slog.String("sandbox", s.String()))
}

// exitAttrs is how a process ended: its status, or the signal, and who ended it.
func exitAttrs(e loop.Exit) []slog.Attr {
	attrs := []slog.Attr{slog.String("cause", string(e.Cause))}
	if e.Code != nil {
		attrs = append(attrs, slog.Int("exit", *e.Code))
	}
	if e.Signal != "" {
		attrs = append(attrs, slog.String("signal", e.Signal))
	}
	return attrs
}
