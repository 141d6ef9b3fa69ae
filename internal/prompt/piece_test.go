package prompt

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestPiecesStandUnderTheirSections(t *testing.T) {
	dir := tree(t, map[string]string{"act.md": "\uFEFFDo it in iteration {{.Iteration}}.\n", "blank.md": "\n"})
	b := &Builder{
		Title: "# OODA Loop Iteration", Template: true, Tree: dir, Context: []string{"Go only."},
		Pieces: []Piece{
			{Name: "preamble", Text: "You work alone."},
			{Section: "OBSERVE", Name: "look", Text: "Look.\n"},
			{Section: "OBSERVE", Name: "read", Text: "Read."},
			{Section: "ORIENT", Path: "blank.md", Dir: dir},
			{Section: "DECIDE", Text: "{{if gt .Iteration 1}}Decide.{{end}}"},
			{Section: "ACT", Path: "act.md", Dir: dir},
		},
	}
	p := build(t, b, loop.State{}, 1)
	want := "# OODA Loop Iteration\n\nYou work alone.\n\n## OBSERVE\n\nLook.\n\nRead.\n\n## ACT\n\nDo it in iteration 1.\n\n## Context\n\nGo only."
	if diff := cmp.Diff(want, p.Text); diff != "" {
		t.Error(diff)
	}
	if p.Own != p.Text {
		t.Errorf("the user's own words are %q", p.Own)
	}
	var names []string
	for _, part := range p.Parts {
		names = append(names, part.Name)
	}
	if diff := cmp.Diff([]string{"title", "preamble", "look", "read", "act.md", "context"}, names); diff != "" {
		t.Error(diff)
	}
}

func TestPiecesThatSayNothing(t *testing.T) {
	dir := tree(t, map[string]string{"PROMPT.md": "{{/* nothing */}}\n", "front.md": "---\nname: x\n---\n"})
	tests := []struct {
		name   string
		pieces []Piece
		want   string
	}{
		{"a template that leaves nothing", []Piece{{Path: "PROMPT.md", Dir: dir}}, "no prompt: PROMPT.md is empty"},
		{"front matter alone", []Piece{{Path: "front.md", Dir: dir}}, "no prompt: front.md is empty"},
		{"many that are empty", []Piece{{Text: " "}, {Section: "ACT"}}, "no prompt: the text is empty"},
		{"a file that is not there", []Piece{{Text: "Go."}, {Path: "none.md", Dir: dir}}, "no prompt: none.md is missing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := refusal(t, &Builder{Title: "# T", Pieces: tt.pieces, Template: true, Tree: dir}).Error(); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestFrozenPiecesKeepTheirTexts(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "{{.Iteration}} first"})
	b := &Builder{Pieces: []Piece{{Path: "a.md", Dir: dir}, {Text: "b"}}, Frozen: true, Template: true, Tree: dir}
	build(t, b, loop.State{}, 1)
	if err := os.Remove(filepath.Join(dir, "a.md")); err != nil {
		t.Fatal(err)
	}
	if got, want := build(t, b, loop.State{}, 2).Text, "2 first\n\nb"; got != want {
		t.Errorf("got %q, want %q: the text stays, its variables do not", got, want)
	}
}

func TestATextMayBeTakenAsItIs(t *testing.T) {
	text := "---\nname: x\n---\nExplain {{.Foo}} in Go templates."
	if got := build(t, &Builder{Source: Source{Text: text}}, loop.State{}, 1).Text; got != text {
		t.Errorf("got %q, want %q", got, text)
	}
}

func TestNotesStandBetweenContextAndFeedback(t *testing.T) {
	b := &Builder{
		Source: Source{Text: "Go."}, Context: []string{"ctx"}, Feedback: Feedback{Enabled: true},
	}
	s := state("fed")
	s.Notes = []string{"Skip the docs.", " ", "two\n<promise>DONE</promise>"}
	p := build(t, b, s, 1)
	want := "Go.\n\n## Context\n\nctx\n\n## Notes from the operator\n\nA person who follows this run says:\n\n" +
		"- Skip the docs.\n- two\n    <promise>DONE</promise>\n\n## What happened so far\n\n"
	if got := p.Text[:min(len(want), len(p.Text))]; got != want {
		t.Error(cmp.Diff(want, got))
	}
	if want := "Go.\n\n## Context\n\nctx"; p.Own != want {
		t.Errorf("Own = %q, want %q", p.Own, want)
	}
	if got := build(t, b, loop.State{}, 1).Text; got != p.Own {
		t.Errorf("without notes: %q, want %q", got, p.Own)
	}
}

func TestLargestParts(t *testing.T) {
	p := Prompt{Parts: []Part{{"a", 5}, {"b", 90}, {"c", 5}, {"d", 7}}}
	if diff := cmp.Diff([]Part{{"b", 90}, {"d", 7}, {"a", 5}}, p.Largest(3)); diff != "" {
		t.Error(diff)
	}
	if got := len(p.Largest(9)); got != 4 {
		t.Errorf("Largest(9) of 4 gives %d", got)
	}
	if p.Parts[0].Name != "a" {
		t.Error("the parts of the prompt have changed their order")
	}
}

func TestBlockedCanBeSaidWithoutAPromise(t *testing.T) {
	b := &Builder{Source: Source{Text: "Go."}, Claims: Claims{Tell: true, Failure: "BLOCKED"}}
	wantIn(t, build(t, b, loop.State{}, 1).Text, "<promise>BLOCKED</promise> in your answer", "alone on its own line")
}
