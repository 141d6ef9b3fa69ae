package notify

import (
	"bytes"
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestTerminal(t *testing.T) {
	const shown = "\x1b]9;refrain: build-7 was aborted: 3 failures in a row Grüße <!channel> @everyone\x1b\\"
	quiet := message
	quiet.Silent = true
	for _, tt := range []struct {
		name     string
		settings Settings
		m        Message
		want     string
	}{
		{"a terminal of today", Settings{Env: []string{"TERM=xterm-256color"}}, message, "\a" + shown},
		{"in the night", Settings{Env: []string{"TERM=xterm-256color"}}, quiet, shown},
		{"beside a notice on the desktop", Settings{Env: []string{"TERM=xterm-256color"}, Desktop: true}, message, "\a"},
		{"a terminal that would print it", Settings{Env: []string{"TERM=linux"}}, message, "\a"},
		{"a terminal that says nothing", Settings{}, message, "\a"},
		{"nothing at all", Settings{}, quiet, ""},
	} {
		var out bytes.Buffer
		tt.settings.Bell, tt.settings.Terminal = true, &out
		n, err := newTerminal(tt.settings)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.Notify(t.Context(), tt.m); err != nil || out.String() != tt.want {
			t.Errorf("%s: wrote %q, %v, want %q", tt.name, out.String(), err, tt.want)
		}
	}
}

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("gone") }

func TestATerminalThatIsGone(t *testing.T) {
	if err := (terminal{to: broken{}}).Notify(t.Context(), message); err == nil || err.Error() != "write to the terminal: gone" {
		t.Errorf("error %v", err)
	}
}

func TestATerminalThatTakesNothingForAWhile(t *testing.T) {
	r, w := net.Pipe() // a write waits for who reads it
	defer r.Close()
	defer w.Close()
	tty := terminal{to: w}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := tty.Notify(ctx, message); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("error %v", err)
	}

	got := make([]byte, 1)
	var reader sync.WaitGroup
	reader.Go(func() { _, _ = r.Read(got) })
	err := tty.Notify(t.Context(), message)
	reader.Wait()
	if err != nil || string(got) != bell {
		t.Errorf("the next message: wrote %q, %v", got, err)
	}
}

func FuzzTerminal(f *testing.F) {
	for _, seed := range []string{"", "4;1;50", "a\x1b\\\x1b]0;b\a", "\x9c\u009c", "é\xff\r\n", strings.Repeat("x", 1000)} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, title, text string) {
		var out bytes.Buffer
		if err := (terminal{&out, true}).Notify(t.Context(), Message{Title: title, Text: text}); err != nil {
			t.Fatal(err)
		}
		inner, begun := strings.CutPrefix(out.String(), bell+osc9)
		inner, ended := strings.CutSuffix(inner, oscEnd)
		if !begun || !ended || !utf8.ValidString(inner) || strings.ContainsFunc(inner, unicode.IsControl) {
			t.Errorf("%q, %q: wrote %q", title, text, out.String())
		}
		if inner != "" && inner[0] >= '0' && inner[0] <= '9' {
			t.Errorf("%q, %q: %q is a command to some terminals", title, text, inner)
		}
	})
}
