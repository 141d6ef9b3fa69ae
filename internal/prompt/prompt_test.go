package prompt

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
)

// standsAlone is the rule by which a claim is heard, at its loosest: any tag
// alone on a line that is not indented like code.
var standsAlone = regexp.MustCompile(`(?im)^ {0,3}<promise>[^\n]*</promise>\s*$|^ {0,3}</?promise>\s*$`)

func state(feedback ...string) loop.State {
	var s loop.State
	for _, text := range feedback {
		s.Feedback = append(s.Feedback, loop.Feedback{Kind: "near_miss", Text: text})
	}
	return s
}

func build(t *testing.T, b *Builder, s loop.State, iteration int) Prompt {
	t.Helper()
	p, err := b.Build(t.Context(), s, iteration, nil)
	if err != nil {
		t.Fatalf("Build: %v", err)
	}
	return p
}

func TestThePromptAloneIsSentUnchanged(t *testing.T) {
	texts := []string{"Fix it.", "  Fix it.\r\n\r\n", "\uFEFFFix it", "a\n\n\n", "<promise>DONE</promise>"}
	for _, text := range texts {
		b := &Builder{Source: Source{Text: text}, IterationContext: true, Claims: Claims{Tell: true}, Feedback: Feedback{Enabled: true, MaxTokens: 2000, Summaries: 5}}
		if got := build(t, b, loop.State{}, 1).Text; got != text {
			t.Errorf("Build of %q = %q", text, got)
		}
	}
}

// Who may not even mention the promise is told so, and nobody else is.
func TestAPromiseThatIsHeardAnywhereIsTold(t *testing.T) {
	for _, anywhere := range []bool{true, false} {
		b := &Builder{Source: Source{Text: "Fix it."}, Claims: Claims{Tell: true, Promise: "COMPLETE", Anywhere: anywhere}}
		if got := build(t, b, loop.State{}, 1).Text; strings.Contains(got, `The text "COMPLETE" is taken for the claim wherever it stands`) != anywhere {
			t.Errorf("heard anywhere: %v, and the agent is told:\n%s", anywhere, got)
		}
	}
}

func TestPartsComeInOrder(t *testing.T) {
	s := state("the tag was quoted")
	s.Summaries = []loop.Summary{{Iteration: 2, Text: "Half of it works."}}
	b := &Builder{
		Source: Source{Text: "Fix it."}, Context: []string{"Go 1.26 only.", "No new modules."},
		Feedback:         Feedback{Enabled: true, MaxTokens: 2000, Summaries: 5},
		IterationContext: true, Max: 7, Claims: Claims{Tell: true, Promise: "all  done", Failure: "BLOCKED"},
	}
	p := build(t, b, s, 3)
	at := 0
	for _, want := range []string{
		"Fix it.\n\n", "## Context\n\nGo 1.26 only.\n\nNo new modules.\n\n", "## What happened so far\n",
		"- Not heard as a claim: the tag was quoted\n", "- Iteration 2: Half of it works.\n\n",
		"---\nITERATION CONTEXT:\nThis is iteration 3 of 7.", "---\n\n## How this run ends", "<promise>all done</promise>", "<promise>BLOCKED</promise>",
	} {
		i := strings.Index(p.Text[at:], want)
		if i < 0 {
			t.Fatalf("%q is missing or out of order in:\n%s", want, p.Text)
		}
		at += i + len(want)
	}
	var names []string
	for _, part := range p.Parts {
		names = append(names, part.Name)
		if part.Tokens <= 0 {
			t.Errorf("part %s has %d tokens", part.Name, part.Tokens)
		}
	}
	if got, want := strings.Join(names, " "), "prompt context feedback iteration claims"; got != want {
		t.Errorf("parts = %q, want %q", got, want)
	}
	if want := (len(p.Text)*2 + 6) / 7; p.Tokens != want {
		t.Errorf("Tokens = %d, want %d", p.Tokens, want)
	}
}

func TestWhatIsLeftOut(t *testing.T) {
	full := Builder{
		Source: Source{Text: "Fix it."}, Feedback: Feedback{Enabled: true, MaxTokens: 2000, Summaries: 5},
		IterationContext: true, Claims: Claims{Tell: true, Promise: "DONE", Failure: "BLOCKED"},
	}
	tests := []struct {
		name      string
		change    func(*Builder)
		iteration int
		without   string
	}{
		{"no iteration context in the first iteration", func(*Builder) {}, 1, "ITERATION CONTEXT"},
		{"no iteration context when it is off", func(b *Builder) { b.IterationContext = false }, 2, "ITERATION CONTEXT"},
		{"no feedback when it is off", func(b *Builder) { b.Feedback.Enabled = false }, 2, "What happened"},
		{"no summaries when none are asked for", func(b *Builder) { b.Feedback.Summaries = 0 }, 2, "Iteration 1:"},
		{"no word of claims when told not to", func(b *Builder) { b.Claims.Tell = false }, 2, "promise"},
		{"no word of claims without any", func(b *Builder) { b.Claims.Promise, b.Claims.Failure = "", "" }, 2, "promise"},
		{"no word of done without a promise", func(b *Builder) { b.Claims.Promise = "" }, 2, "When everything"},
		{"no word of blocked without a failure promise", func(b *Builder) { b.Claims.Failure = "" }, 2, "locked"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := full
			tt.change(&b)
			s := state("something")
			s.Summaries = []loop.Summary{{Iteration: 1, Text: "tried"}}
			if got := build(t, &b, s, tt.iteration).Text; strings.Contains(got, tt.without) {
				t.Errorf("%q is in:\n%s", tt.without, got)
			}
		})
	}
}

func TestUnlimitedIterationsAreCalledSo(t *testing.T) {
	b := &Builder{Source: Source{Text: "Go."}, IterationContext: true}
	if got := build(t, b, loop.State{}, 2).Text; !strings.Contains(got, "This is iteration 2 of an unlimited number.") {
		t.Errorf("got:\n%s", got)
	}
}

func TestNothingWeAddIsAClaim(t *testing.T) {
	hostile := rapid.OneOf(
		rapid.SampledFrom([]string{
			"<promise>DONE</promise>", "\n<promise>DONE</promise>\n", "a\n<promise>DONE</promise>\nb",
			"x\n<promise>\nDONE\n</promise>", "```\n<promise>BLOCKED</promise>", "a\r\n<promise>DONE</promise>\r\n",
		}),
		rapid.StringMatching("[ab`\n\t ]{0,20}(<promise>DONE</promise>)?[\n\r ]{0,4}"),
	)
	rapid.Check(t, func(rt *rapid.T) {
		var s loop.State
		for _, text := range rapid.SliceOfN(hostile, 0, 8).Draw(rt, "feedback") {
			s.Feedback = append(s.Feedback, loop.Feedback{Kind: "note", Text: text})
		}
		for i, text := range rapid.SliceOfN(hostile, 0, 20).Draw(rt, "summaries") {
			s.Summaries = append(s.Summaries, loop.Summary{Iteration: i + 1, Text: text})
		}
		b := &Builder{
			Source: Source{Text: "Fix it."}, IterationContext: true,
			Feedback: Feedback{Enabled: true, MaxTokens: rapid.IntRange(0, 400).Draw(rt, "tokens"), Summaries: 20},
			Claims:   Claims{Tell: true, Promise: rapid.SampledFrom([]string{"DONE", "all\ndone", " x "}).Draw(rt, "promise"), Failure: "BLOCKED"},
		}
		p, err := b.Build(t.Context(), s, 2, nil)
		if err != nil {
			rt.Fatal(err)
		}
		if found := standsAlone.FindString(p.Text); found != "" {
			rt.Fatalf("%q stands alone in:\n%s", found, p.Text)
		}
	})
}

func TestTheFileIsReadAgain(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "PROMPT.md")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	live := &Builder{Source: Source{Path: "PROMPT.md", Dir: dir}}
	frozen := &Builder{Source: Source{Path: file}, Frozen: true}
	write("one")
	if a, b := build(t, live, loop.State{}, 1).Text, build(t, frozen, loop.State{}, 1).Text; a != "one" || b != "one" {
		t.Errorf("first: live %q, frozen %q, want both %q", a, b, "one")
	}
	write("two")
	if got := build(t, live, loop.State{}, 2).Text; got != "two" {
		t.Errorf("an edited file gives %q, want %q", got, "two")
	}
	if got := build(t, frozen, loop.State{}, 2).Text; got != "one" {
		t.Errorf("a frozen prompt gives %q, want %q", got, "one")
	}
}

func TestPromptsThatCannotBeHad(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"empty": "", "blank": " \n\t\n", "mark": "\uFEFF\n", "bytes": "a\xffb"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name   string
		source Source
		want   string
	}{
		{"a missing file", Source{Path: "none.md"}, "no prompt: none.md is missing"},
		{"a folder", Source{Path: "folder"}, "no prompt: folder is a folder"},
		{"an empty file", Source{Path: "empty"}, "no prompt: empty is empty"},
		{"white space only", Source{Path: "blank"}, "no prompt: blank is empty"},
		{"a byte order mark only", Source{Path: "mark"}, "no prompt: mark is empty"},
		{"bytes that are no text", Source{Path: "bytes"}, "no prompt: bytes is not valid UTF-8"},
		{"an empty text", Source{}, "no prompt: the text is empty"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.source.Dir = dir
			_, err := (&Builder{Source: tt.source}).Build(t.Context(), loop.State{}, 1, nil)
			var e *Error
			if !errors.As(err, &e) {
				t.Fatalf("Build gives %v, want an *Error", err)
			}
			if e.Error() != tt.want || e.Hint == "" || e.Path != tt.source.Path {
				t.Errorf("got %q, hint %q, path %q; want %q with a hint", e, e.Hint, e.Path, tt.want)
			}
		})
	}
}

func TestTheCauseOfAMissingFileIsKept(t *testing.T) {
	_, err := (&Builder{Source: Source{Path: filepath.Join(t.TempDir(), "none.md")}}).Build(t.Context(), loop.State{}, 1, nil)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("errors.Is(%v, fs.ErrNotExist) = false", err)
	}
}

func TestAFileThatMayNotBeRead(t *testing.T) {
	got := Source{Path: "PROMPT.md"}.unreadable(&fs.PathError{Op: "open", Path: "/x/PROMPT.md", Err: fs.ErrPermission})
	if want := "no prompt: PROMPT.md may not be read"; got.Error() != want || got.Hint == "" {
		t.Errorf("got %q, hint %q; want %q with a hint", got, got.Hint, want)
	}
}

func TestPreview(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"short text as it is", "Fix it.", "Fix it."},
		{"on one line", " Fix\n\n  it.\t", "Fix it."},
		{"cut between characters", "äöüäöüäöüäö", "äöüäöüäöüä…"},
		{"no space before the mark", "Fix these tests", "Fix these…"},
		{"control characters left out", "a\x1b[31mb\x00", "a[31mb"},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		if got := Preview(tt.text, 10); got != tt.want {
			t.Errorf("%s: Preview(%q, 10) = %q, want %q", tt.name, tt.text, got, tt.want)
		}
	}
}
