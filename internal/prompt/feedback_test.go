package prompt

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestFeedbackKeepsTheNewest(t *testing.T) {
	var s loop.State
	for i := range 8 {
		s.Feedback = append(s.Feedback, loop.Feedback{Kind: "note", Text: fmt.Sprintf("note %d %s", i+1, strings.Repeat("x", 100))})
	}
	for i := range 6 {
		s.Summaries = append(s.Summaries, loop.Summary{Iteration: i + 1, Text: "tried"})
	}
	got := Feedback{Enabled: true, MaxTokens: 200, Summaries: 5}.text(s, nil)
	if !strings.Contains(got, "note 8") || strings.Contains(got, "note 1 ") {
		t.Errorf("want the newest notes and not the oldest, got:\n%s", got)
	}
	if !strings.Contains(got, "older entries are left out") {
		t.Errorf("the cut is not said:\n%s", got)
	}
	all := Feedback{Enabled: true, Summaries: 5}.text(s, nil)
	if strings.Contains(all, "left out") || !strings.Contains(all, "note 1 ") || strings.Contains(all, "Iteration 1:") || !strings.Contains(all, "Iteration 2:") {
		t.Errorf("without a limit, want every note and the last five summaries, got:\n%s", all)
	}
}

func TestFeedbackCutsOneLongEntry(t *testing.T) {
	s := loop.State{Talk: loop.Talk{Feedback: []loop.Feedback{{Kind: "note", Text: strings.Repeat("ä", 600)}}}}
	got := Feedback{Enabled: true, MaxTokens: 100}.text(s, nil)
	if !strings.Contains(got, "ä … (cut)") || !utf8.ValidString(got) {
		t.Errorf("want a cut between characters that says so, got:\n%s", got)
	}
}

func TestFeedbackKeepsLinesApart(t *testing.T) {
	s := loop.State{Talk: loop.Talk{Feedback: []loop.Feedback{{Kind: "note", Text: "gate test failed:\r\n--- FAIL: TestX\nFAIL\n"}}}}
	want := "- gate test failed:\n    --- FAIL: TestX\n    FAIL\n"
	if got := (Feedback{Enabled: true}).text(s, nil); !strings.Contains(got, want) {
		t.Errorf("got:\n%s\nwant in it:\n%s", got, want)
	}
}

func TestFeedbackNeverExceedsItsTokens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringN(0, 300, 600)
		var s loop.State
		for _, one := range rapid.SliceOfN(text, 0, 8).Draw(rt, "feedback") {
			s.Feedback = append(s.Feedback, loop.Feedback{Kind: "near_miss", Text: one})
		}
		for i, one := range rapid.SliceOfN(text, 0, 20).Draw(rt, "summaries") {
			s.Summaries = append(s.Summaries, loop.Summary{Iteration: i, Text: one})
		}
		f := Feedback{Enabled: true, MaxTokens: rapid.IntRange(1, 3000).Draw(rt, "tokens"), Summaries: rapid.IntRange(0, 30).Draw(rt, "count")}
		got := headed(feedbackHeading, f.text(s, nil))
		if n := estimate(got); n > f.MaxTokens {
			rt.Fatalf("%d tokens, at most %d allowed:\n%s", n, f.MaxTokens, got)
		}
		if !utf8.ValidString(got) {
			rt.Fatalf("cut inside a character: %q", got)
		}
	})
}
