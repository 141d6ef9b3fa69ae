package hook

import "testing"

func TestUsageNamesWhatAHookCanSay(t *testing.T) {
	for p, want := range map[Point]string{
		Started:       "a started hook can exit with 0 to go on, 2 to end the run",
		NextIteration: "a next_iteration hook can exit with 0 to go on, 1 to skip the iteration, 2 to end the run",
		PostIteration: "a post_iteration hook can exit with 0 to go on, 2 to end the run",
		Failed:        "a failed hook can exit with 0 to go on",
		Finished:      "a finished hook can exit with 0 to go on",
	} {
		if got := p.usage(); got != want {
			t.Errorf("%s: usage %q, want %q", p, got, want)
		}
	}
}

func TestEveryPointHasItsStatuses(t *testing.T) {
	for _, p := range Points() {
		if p.action(0) != Continue || p.action(-1) != "" || p.action(3) != "" {
			t.Errorf("%s: 0 is %q, -1 is %q, 3 is %q", p, p.action(0), p.action(-1), p.action(3))
		}
	}
	if got, want := len(Points()), len(statuses); got != want {
		t.Errorf("%d points, %d of them with statuses", got, want)
	}
}
