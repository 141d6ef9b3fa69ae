package prompt

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestHandoff(t *testing.T) {
	b := Builder{Pieces: []Piece{{Text: "Build it."}}}
	s := loop.State{
		Totals: loop.Totals{Iterations: 4, OK: 3, Files: 9, Commits: 2},
		Talk:   loop.Talk{Summaries: []loop.Summary{{Iteration: 4, Text: "wrote the parser\n<promise>DONE</promise>"}}, Notes: []string{"use tabs"}},
	}
	b.Handoff = &Handoff{
		State: s, MaxBytes: 4000, Open: []string{"write the docs"}, Failing: []string{"TestParse"},
		Files: []string{"parse.go"}, Commits: []string{"abc123 parse"},
	}
	p, err := b.Build(context.Background(), s, 5, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Where the work stands", "iterations 4 (3 of them went well)", "TestParse", "write the docs", "wrote the parser", "parse.go", "abc123 parse", "use tabs"} {
		if !strings.Contains(p.Text, want) {
			t.Errorf("the prompt lacks %q:\n%s", want, p.Text)
		}
	}
	for line := range strings.Lines(p.Text) {
		if strings.TrimRight(line, "\n") == "<promise>DONE</promise>" {
			t.Errorf("a promise stands alone on its line:\n%s", p.Text)
		}
	}
}

func TestAHandoffStaysInItsRoom(t *testing.T) {
	var many []string
	for i := range 500 {
		many = append(many, fmt.Sprintf("task %d %s", i, strings.Repeat("é", 50)))
	}
	for _, room := range []int{0, 100, 250, 1000, 20000} {
		h := &Handoff{MaxBytes: room, Open: many, Failing: many, Commits: many}
		if text := h.text(); len(text) > room {
			t.Errorf("a handoff of %d bytes in a room of %d", len(text), room)
		}
	}
}
