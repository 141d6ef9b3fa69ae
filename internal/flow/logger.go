package flow

import (
	"context"
	"log/slog"

	"go.temporal.io/sdk/log"
)

// quietLogger has the SDK say to our log what somebody should look at, and no more.
func quietLogger() log.Logger {
	return log.NewStructuredLogger(slog.New(quiet{slog.Default().Handler()}))
}

type quiet struct{ slog.Handler }

// Enabled lets warnings through.
func (q quiet) Enabled(ctx context.Context, l slog.Level) bool {
	return l >= slog.LevelWarn && q.Handler.Enabled(ctx, l)
}

// Handle leaves out what we say ourselves.
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "Activity error." {
		return nil
	}
	return q.Handler.Handle(ctx, r)
}

// WithAttrs keeps it quiet.
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }

// WithGroup keeps it quiet.
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }
