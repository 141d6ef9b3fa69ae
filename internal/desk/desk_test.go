package desk

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestARunGoesFromWorkerToWorker(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	a, b := w.desk("a"), w.desk("b")
	s := w.spec()
	for n, d := range []*Desk{a, b, b} {
		out := w.leg(d, s, n+1)
		want := loop.Parked
		if n == 2 {
			want = loop.Done
		}
		if out.State != want || out.Iterations != n+1 || out.Leg != n+1 || out.Worker != d.Worker || out.Stuck {
			t.Fatalf("leg %d: %+v", n+1, out)
		}
		if got := w.hub("rev-parse", "refs/heads/refrain/build"); got != out.Head {
			t.Errorf("leg %d: the branch is at %s, want %s", n+1, got, out.Head)
		}
	}
	if got := w.hub("show", "refrain/build:work"); got != allWork {
		t.Errorf("the work is %q", got)
	}
}
