package view

import (
	"slices"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestRefusedClaimsStayAndSayWhetherTheyWereSentBack(t *testing.T) {
	r := &record{now: noon}
	r.add(0, 0, &loop.RunStarted{Name: "build-7"})
	r.add(0, 0, &loop.ClaimRefused{Text: "plan", Why: "gate test failed"})
	r.add(1, 1, &loop.IterationStarted{})
	r.add(1, 1, &loop.ClaimRefused{Text: "DONE", Why: "gate\x1b[2J test\nfailed"})
	r.add(1, 1, &loop.ClaimRefused{Text: "DONE", Why: "the tag was inside backticks", NearMiss: true})
	start := "at the start: claimed done, but gate test failed; sent back"
	check := func(when string, refused, near []string) {
		t.Helper()
		run := fold(r.events...)
		if got := run.Refused(); !slices.Equal(got, refused) {
			t.Errorf("%s: refused %q, want %q", when, got, refused)
		}
		if got := run.NearMisses(); !slices.Equal(got, near) {
			t.Errorf("%s: near misses %q, want %q", when, got, near)
		}
	}
	check("under way", []string{start, "iteration 1: claimed done, but gate test failed"}, []string{"the tag was inside backticks"})
	r.add(1, 1, &loop.IterationFinished{Outcome: loop.Outcome{Result: loop.OK}})
	check("after its end", []string{start, "iteration 1: claimed done, but gate test failed"}, []string{"the tag was inside backticks"})
	r.add(2, 1, &loop.IterationStarted{})
	check("in the next", []string{start, "iteration 1: claimed done, but gate test failed; sent back"}, nil)
}

func TestOfManyRefusalsTheFirstAreCounted(t *testing.T) {
	run := New()
	run.Iteration = 9
	run.Sum.Refusals = []loop.Refusal{{Iteration: 8, Why: "it lied"}, {Iteration: 9, Why: "it lied again"}}
	run.Sum.Totals.Refused = 1203
	want := []string{"iteration 8: claimed done, but it lied; sent back", "iteration 9: claimed done, but it lied again", "and 1,201 earlier"}
	if got := run.Refused(); !slices.Equal(got, want) {
		t.Errorf("refused %q, want %q", got, want)
	}
}

func TestWhatWasPutBackIsRemembered(t *testing.T) {
	run := New()
	if got := run.PutBack(); got != "" {
		t.Errorf("PutBack = %q before anything happened", got)
	}
	for _, key := range []string{loop.PutBackKey + "hooks/x", loop.UnseenKey, loop.LostGitKey} {
		run.Apply(loop.Event{Payload: &loop.Warning{Key: key}})
	}
	if got, want := run.PutBack(), "hooks/x; nothing of .git, which is gone or another one"; got != want {
		t.Errorf("PutBack = %q, want %q", got, want)
	}
}

func TestWhatIsNotUsedOfGitIsRemembered(t *testing.T) {
	run := New()
	for _, key := range []string{loop.PutBackKey + "hooks/x", loop.UnusedGitKey + "~/.gitconfig", loop.UnusedGitKey + ".husky/pre-commit"} {
		run.Apply(loop.Event{Payload: &loop.Warning{Key: key}})
	}
	if got, want := run.UnusedGit(), "~/.gitconfig, .husky/pre-commit"; got != want {
		t.Errorf("UnusedGit = %q, want %q", got, want)
	}
}
