package notify

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/refrain-loop/refrain/internal/text"
)

// terminal rings the bell, and has terminals that can show a notice of their
// own show one.
type terminal struct {
	to     io.Writer
	notice bool
}

func newTerminal(s Settings) (Notifier, error) {
	if !s.Bell || s.Terminal == nil {
		return nil, nil
	}
	// One notice on the desktop is enough, and these terminals would print it.
	notice := !s.Desktop && !s.Plain
	switch variable(s.Env, "TERM") {
	case "", "dumb", "linux":
		notice = false
	}
	return terminal{s.Terminal, notice}, nil
}

const (
	bell      = "\a"
	osc9      = "\x1b]9;"
	oscEnd    = "\x1b\\" // not the other end, a bell, which some terminals ring
	maxNotice = 240
)

// Notify writes to the terminal, in one piece, since others write there too.
func (t terminal) Notify(ctx context.Context, m Message) error {
	out := ""
	if !m.Silent {
		out = bell
	}
	if t.notice {
		out += osc9 + notice(m) + oscEnd
	}
	if out == "" {
		return nil
	}
	// A terminal that was stopped with Ctrl+S takes nothing.
	if to, ok := t.to.(interface{ SetWriteDeadline(time.Time) error }); ok {
		_ = to.SetWriteDeadline(time.Time{}) // one from before must not spoil this message
		defer context.AfterFunc(ctx, func() { _ = to.SetWriteDeadline(time.Unix(1, 0)) })()
	}
	if _, err := io.WriteString(t.to, out); err != nil {
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return nil
}

// notice is a line that no terminal takes for anything but text. One that
// begins with a number would be a command to some.
func notice(m Message) string {
	line := text.Shorten(cleanLine(m.Title+": "+m.Text), maxNotice)
	if line != "" && line[0] >= '0' && line[0] <= '9' {
		line = "refrain: " + line
	}
	return line
}
