package tui

import (
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestWhatHasNoRoomIsLeftOutByRank(t *testing.T) {
	p := newPalette(false)
	parts := []part{{"name", plain, 0}, {"", plain, 0}, {"first", plain, 2}, {"second", plain, 1}, {"third", plain, 2}}
	for _, tt := range []struct {
		width int
		want  string
	}{
		{80, "name  first  second  third"},
		{25, "name  first  second"},
		{18, "name  second"},
		{11, "name"},
		{3, "na…"},
		{0, ""},
	} {
		if got := p.facts(parts, "  ", tt.width); got != tt.want {
			t.Errorf("in %d cells: %q, want %q", tt.width, got, tt.want)
		}
	}
}

func TestTheHeaderSaysWhatPeopleWant(t *testing.T) {
	stop := &loop.CommandReceived{Command: "stop"}
	for _, tt := range []struct {
		name  string
		story *story
		want  string
	}{
		{"pausing", begin().working().tell(&loop.CommandReceived{Command: "pause"}), "running   pausing"},
		{"a refused pause is none", begin().working().tell(&loop.CommandReceived{Command: "pause", Refused: true}), "running   iteration"},
		{"paused", begin().working().tell(&loop.CommandReceived{Command: "pause"}, &loop.RunPaused{}), "paused   iteration"},
		{"stopping", begin().working().tell(stop), "running   stopping"},
		{"resumed", begin().working().tell(stop, &loop.RunResumed{}), "running   iteration"},
		{"a gate", begin().working().in(1, 1, &loop.GateStarted{Name: "test", Where: loop.InClean}), "gate test, in a clean checkout"},
		{"a second attempt", begin().in(1, 2, &loop.IterationStarted{}), "attempt 2"},
		{"proven", begin().worked(0).done(), "done, proven"},
		{"less than that", begin().worked(0).tell(changedTest()), "done, tests changed"},
		{"rebooting", begin().working().tell(&loop.RunRebootStarted{}), "rebooting"},
	} {
		if got := screen((&world{}).shown(tt.story, 100, 24)); !strings.Contains(got, tt.want) {
			t.Errorf("%s: no %q in\n%s", tt.name, tt.want, got)
		}
	}
}

// changedTest is the end of a run in which a test was changed.
func changedTest() *loop.RunFinished {
	return &loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Why: "the gates agree", Proof: &loop.Proof{
		Level: loop.LevelTestsChanged, Why: "1 test does not hold", Tree: "3f2a91c0d2e4f5",
		Tests: &loop.ProofTests{Held: 11, Changed: []loop.TestChange{{Name: "TestGreet", What: loop.TestGone, Why: "nobody greets any more"}}},
	}}
}

func TestThePaneOfChecksHasTheProof(t *testing.T) {
	m := (&world{}).shown(begin().worked(0).tell(changedTest()), 80, 24)
	press(m, "4")
	wantShown(t, m, "Proof", "1 test does not hold (tree 3f2a91c0d2e4)", "11 known tests pass in their old version", "Changed tests", "TestGreet is gone: nobody greets any more")
}

func TestStreaksShowBeforeARuleActs(t *testing.T) {
	s := begin()
	failed := func() {
		s.in(s.sum.Next(), 1, &loop.IterationStarted{Max: 20}, &loop.IterationFinished{Outcome: loop.Outcome{
			Result: loop.Failed, Exit: &loop.Exit{Code: number(1), Cause: loop.Exited}, Error: &loop.AgentError{Kind: loop.ErrAgent, Message: "exit 1"},
		}})
	}
	wantHidden(t, (&world{}).shown(s, 80, 24), "failures")
	failed()
	failed()
	wantShown(t, (&world{}).shown(s, 80, 24), "failures 2/3   no progress 2")
}

func TestARunThatDiedIsOver(t *testing.T) {
	m := (&world{}).shown(begin().working(), 80, 24)
	m.data.died()
	wantShown(t, m, "build-7   crashed", "build-7: crashed", "▸ Bash  make all && make check  no result")
	press(m, "2")
	wantShown(t, m, "lost", "the runner died")
	press(m, "p")
	wantShown(t, m, "The run is over.")
	m.data.observe(loop.Event{Seq: 90, Payload: &loop.RunResumed{From: loop.Crashed}})
	press(m, "1")
	wantHidden(t, m, "build-7: crashed")
	m.data.lost(errTest)
	wantShown(t, m, "no more is heard of the run: no such checkpoint")
}
