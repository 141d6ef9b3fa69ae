package prompt

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

func TestLines(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       []Line
	}{
		{"no template", "run the tests", nil},
		{"a line", "a\n{{run \"make\"}}", []Line{{`run "make"`, 2, true}}},
		{"below front matter", "---\nname: x\n---\n{{runIf \"make\"}}", []Line{{`runIf "make"`, 4, true}}},
		{"in a branch", `{{if .Plan}}{{run "a"}}{{else}}{{run "b"}}{{end}}`, []Line{{`run "a"`, 1, true}, {`run "b"`, 1, true}}},
		{"piped", `{{"make" | run}}`, []Line{{`"make" | run`, 1, false}}},
		{"put together", `{{run (printf "make %s" .Vars.what)}}`, []Line{{`run (printf "make %s" .Vars.what)`, 1, false}}},
		{"in brackets", `{{len (run "make")}}`, []Line{{`run "make"`, 1, true}}},
		{"with a field asked of it", `{{(run "make").Field}}`, []Line{{`run "make"`, 1, true}}},
		{"in a range", `{{range (list (run "make"))}}x{{end}}`, nil},
		{"no template at all", `{{run "make"`, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, Lines("PROMPT.md", tt.text)); diff != "" {
				t.Errorf("Lines (-want +got):\n%s", diff)
			}
		})
	}
}

// FuzzLines sees that no text runs anything that Lines does not name: whoever
// agrees to a prompt has seen all of its commands.
func FuzzLines(f *testing.F) {
	for _, text := range []string{
		`{{run "a"}}`, `{{"a" | run}}`, `{{(run "a").F}}`, `{{with run "a"}}{{.}}{{end}}`, `{{$x := run "a"}}{{run $x}}`, `{{if eq (runIf "a") ""}}{{end}}`,
		"---\ndefaults:\n  x: 1\n---\n{{run .Vars.x}}", `{{range $i, $x := (run "a")}}{{end}}`, `{{slice (run "a") 0 1}}`, `{{and true (run "a")}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		ran := 0
		b := Builder{
			Pieces: []Piece{{Text: text, Trusted: true}}, Template: true, Tree: t.TempDir(),
			Shell: Shell{Exec: func(context.Context, proc.Spec) (loop.Exit, error) {
				ran++
				zero := 0
				return loop.Exit{Code: &zero}, nil
			}},
		}
		_, _ = b.Build(t.Context(), loop.State{}, 1, nil)
		lines := Lines("", text)
		if ran > 0 && len(lines) == 0 {
			t.Errorf("%q ran %d commands, and names none", text, ran)
		}
		// What is shown and not run runs nothing.
		ran, b.ShowCommands = 0, true
		p, err := b.Build(t.Context(), loop.State{}, 1, nil)
		if ran > 0 {
			t.Errorf("%q ran %d commands that were only to be shown: %s %v", text, ran, p.Text, err)
		}
		if fixed := slices.ContainsFunc(lines, func(l Line) bool { return l.Fixed && !strings.Contains(l.Text, `"`) && !strings.Contains(l.Text, "`") }); fixed {
			t.Errorf("%q: a command without a text is fixed: %v", text, lines)
		}
	})
}

// What a command is must stand in the prompt itself: a file that it takes its words
// from is one that an agent may write.
func TestACommandIsNotTakenFromElsewhere(t *testing.T) {
	for text, loose := range map[string]bool{
		`{{run (includeText "c.txt")}}`:                              true,
		`{{includeText "c.txt" | run}}`:                              true,
		`{{$c := includeText "c.txt"}}{{run $c}}`:                    true,
		`{{with include "c.txt"}}{{run .}}{{end}}`:                   true,
		`{{run .Branch}}`:                                            true,
		`{{run $.Last.Summary}}`:                                     true,
		`{{$b := .Branch}}{{run (printf "git log %s" $b)}}`:          true,
		`{{includeIf "c.txt"}}{{run "make"}}`:                        false,
		`{{$c := "make"}}{{run $c}}`:                                 false,
		`{{run (printf "make %s" .Vars.what)}}`:                      false,
		`{{range $x := list}}{{end}}{{run "make"}}`:                  false,
		`{{$d := includeIf "c.txt"}}{{$d}}{{run "make"}}`:            false,
		`{{if .Branch}}{{run (printf "make %s" .Vars.what)}}{{end}}`: false,
	} {
		b := Builder{Pieces: []Piece{{Text: text, Trusted: true}}, Template: true, Tree: t.TempDir(), ShowCommands: true, Vars: map[string]any{"what": "x"}}
		_, err := b.Build(t.Context(), loop.State{}, 1, nil)
		if got := err != nil && strings.Contains(err.Error(), "takes its command from"); got != loose {
			t.Errorf("%s: %v, want it refused: %v", text, err, loose)
		}
	}
}
