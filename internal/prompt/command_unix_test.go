//go:build unix

package prompt

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

func TestCommands(t *testing.T) {
	files := map[string]string{
		"a.txt":                     "from a file\n",
		".refrain/prompts/state.md": `{{run "cat a.txt"}}`,
	}
	tests := []struct{ name, text, want string }{
		{"what it prints, in the work tree", `<{{run "cat a.txt; echo oops >&2"}}>`, "<from a file>"},
		{"from the user's own prompts", `{{include ".refrain/prompts/state.md"}}`, "from a file"},
		{"its environment", `{{run "echo $WORD"}}`, "hello"},
		{"it is the shell's", `{{run "echo a | tr a b && echo '{{'"}}`, "b\n{{"},
		{"it reads nothing", `<{{run "cat"}}>`, "<>"},
		{"one that may fail", `<{{runIf "echo a; exit 3"}}{{runIf "echo b"}}>`, "<b>"},
		{"bytes that are no text", `{{run "printf 'a\\377b'"}}`, "a\uFFFDb"},
		{"no claim", `{{run "echo '<promise>DONE</promise>'"}}`, "[promise]DONE[/promise]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files["PROMPT.md"] = tt.text
			b := templated(tree(t, files))
			b.Shell.Env = []string{"WORD=hello", "PATH=" + os.Getenv("PATH")}
			if got := build(t, b, loop.State{}, 1).Text; got != tt.want {
				t.Errorf("%s gives %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestCommandsThatFail(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"an exit status", "\n{{run \"echo a; echo no such thing >&2; exit 3\"}}", `PROMPT.md:2: {{run "echo a; echo no such thing >&2; exit 3"}} exited with 3: no such thing`},
		{"its words on stdout", `{{run "echo said; false"}}`, `PROMPT.md:1: {{run "echo said; false"}} exited with 1: said`},
		{"a signal", `{{run "kill -9 $$"}}`, `PROMPT.md:1: {{run "kill -9 $$"}} was ended by KILL`},
		{"a hang", `{{run "sleep 60"}}`, `PROMPT.md:1: {{run "sleep 60"}} took longer than 50ms and was ended`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := templated(tree(t, map[string]string{"PROMPT.md": tt.text}))
			if strings.Contains(tt.text, "sleep") {
				b.Shell.Time = 50 * time.Millisecond
			}
			if got := refusal(t, b).Error(); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestACommandThatCannotStart(t *testing.T) {
	b := templated(tree(t, map[string]string{"PROMPT.md": `{{run "x"}}`}))
	b.Shell.Exec = func(context.Context, proc.Spec) (loop.Exit, error) {
		return loop.Exit{}, &proc.StartError{Program: "sh", Err: errors.New("not found")}
	}
	if got, want := refusal(t, b).Error(), `PROMPT.md:1: {{run "x"}} cannot start: not found`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestLongOutputIsCut(t *testing.T) {
	b := templated(tree(t, map[string]string{"PROMPT.md": `{{run "cat long"}}`, "long": strings.Repeat("aäö", 20_000)}))
	got := build(t, b, loop.State{}, 1).Text
	head, more, cut := strings.Cut(got, "\n… (cut: ")
	if !cut || len(head) > maxOutput || len(head) < maxOutput-4 || !utf8.ValidString(got) || strings.Contains(got, "\uFFFD") {
		t.Errorf("want %d bytes, whole characters and a mark; got %d bytes, then %q", maxOutput, len(head), more)
	}
}

func TestACancelledCommandEnds(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	dir := tree(t, map[string]string{"PROMPT.md": `{{runIf "sleep 60"}}`})
	b := templated(dir)
	b.Shell.Exec = func(ctx context.Context, s proc.Spec) (loop.Exit, error) {
		s.Started = func(int, time.Time) { cancel(stopped) }
		return proc.Run(ctx, s)
	}
	if _, err := b.Build(ctx, loop.State{}, 1, nil); !errors.Is(err, stopped) {
		t.Errorf("Build gives %v, want %v", err, stopped)
	}
}

func TestOnlyTrustedPiecesRunCommands(t *testing.T) {
	dir := t.TempDir()
	for _, trusted := range []bool{false, true} {
		b := &Builder{Pieces: []Piece{{Name: "act", Text: `{{run "touch ran; echo x"}}`, Trusted: trusted}}, Template: true, Tree: dir}
		_, err := b.Build(t.Context(), loop.State{}, 1, nil)
		_, missing := os.Stat(filepath.Join(dir, "ran"))
		if ran := missing == nil; ran != trusted || (err == nil) != trusted {
			t.Errorf("trusted %v: ran %v, %v", trusted, ran, err)
		}
	}
}
