package desk

import (
	"context"
	"errors"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// waits is an agent that waits in each iteration until there is a file "go" in its world,
// before it writes anything.
var waits = strings.Replace(agent(), "echo \"iteration", ": >\"$DESK_TEST_WORLD/slow\"\nwhile [ ! -e \"$DESK_TEST_WORLD/go\" ]; do sleep 0.05; done\necho \"iteration", 1)

// there tells whether there is a file in the world.
func (w *world) there(name string) func() bool {
	return func() bool {
		_, err := os.Stat(w.at(name))
		return err == nil
	}
}

func (w *world) await(what string, so func() bool) {
	w.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !so(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("still not: %s", what)
		}
	}
}

// starts is in which iterations agents were started.
func (w *world) starts() string {
	b, err := os.ReadFile(w.at("starts"))
	if err != nil {
		return err.Error()
	}
	return strings.Join(strings.Fields(string(b)), " ")
}

// going is a leg that is live meanwhile.
type going struct {
	out  fleet.Standing
	err  error
	wait func()
}

func (w *world) start(ctx context.Context, d *Desk, t fleet.Turn, h fleet.Hooks) *going {
	var wg sync.WaitGroup
	g := &going{wait: wg.Wait}
	wg.Go(func() { g.out, g.err = d.Run(ctx, t, h) })
	w.t.Cleanup(func() {
		w.write("go", "") // no agent is left behind
		wg.Wait()
	})
	return g
}

func TestOrdersComeBeforeTheFirstStep(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent(`cat >"$DESK_TEST_WORLD/told"`))
	d := w.desk("a")
	s := w.spec("loop.max_iterations=1")
	out := w.leg(d, s, 1, fleet.Order{Command: "raise", Key: "loop.max_iterations", Value: "2"}, fleet.Order{Command: "pause"})
	if out.State != loop.Parked || out.Iterations != 0 || out.Why != "it waits for a person" {
		t.Fatalf("paused from the first on: %+v", out)
	}
	if got := w.starts(); !strings.Contains(got, "no such file") {
		t.Errorf("an agent was started: %s", got)
	}
	out = w.leg(d, s, 2)
	if out.State != loop.Parked || out.Iterations != 1 {
		t.Errorf("the next leg: %+v", out)
	}
	out = w.leg(d, s, 3)
	if out.State != loop.Exhausted || out.Iterations != 2 {
		t.Errorf("with its raised limit: %+v", out)
	}
	s = w.spec()
	s.Branch = "refrain/other"
	out = w.leg(d, s, 1, fleet.Order{Command: "stop"})
	if out.State != loop.Stopped || out.Iterations != 0 {
		t.Errorf("stopped from the first on: %+v", out)
	}
}

func TestTell(t *testing.T) {
	t.Parallel()
	w := newWorld(t, waits)
	d := w.desk("a")
	s := w.spec()
	s.Quantum.Iterations = 0
	var mu sync.Mutex
	var told []fleet.Progress
	g := w.start(t.Context(), d, fleet.Turn{Spec: s, Leg: 1}, fleet.Hooks{Tell: func(p fleet.Progress) {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, p)
	}})
	w.await("the agent works", w.there("slow"))
	if d.Live() != 1 {
		t.Errorf("%d legs are live", d.Live())
	}
	for _, tt := range []struct {
		order fleet.Order
		want  fleet.Answer
	}{
		{fleet.Order{Command: "note", Text: "look at the tests"}, fleet.Answer{OK: true, Effect: "the next agent is told", State: loop.Running}},
		{fleet.Order{Command: "raise", Key: "loop.max_iterations", Value: "30"}, fleet.Answer{OK: true, Effect: "loop.max_iterations is 30 now", State: loop.Running}},
		{fleet.Order{Command: "raise", Key: "loop.max_iterations", Value: "x"}, fleet.Answer{State: loop.Running}},
		{fleet.Order{Command: "approve"}, fleet.Answer{Why: "nobody is asked anything", State: loop.Running}},
		{fleet.Order{Command: "dance"}, fleet.Answer{Why: `there is no command "dance"`, State: loop.Running}},
		{fleet.Order{Command: "stop"}, fleet.Answer{OK: true, Effect: "stopping"}},
	} {
		got, err := d.Tell(t.Context(), s.ID, 1, tt.order)
		if err != nil || got.OK != tt.want.OK || got.Effect != tt.want.Effect || tt.want.Why != "" && got.Why != tt.want.Why || !got.OK && got.Why == "" {
			t.Errorf("%+v: %+v, %v", tt.order, got, err)
		}
	}
	for _, leg := range []int{0, 2} {
		var unknown *fleet.UnknownError
		if _, err := d.Tell(t.Context(), s.ID, leg, fleet.Order{Command: "note", Text: "x"}); !errors.As(err, &unknown) {
			t.Errorf("leg %d: %v", leg, err)
		}
	}
	w.write("go", "")
	g.wait()
	if g.err != nil || g.out.State != loop.Stopped || g.out.Iterations != 1 || d.Live() != 0 {
		t.Errorf("%+v, %v", g.out, g.err)
	}
	mu.Lock()
	defer mu.Unlock()
	last := told[len(told)-1]
	if last.Iterations != 1 || last.State != loop.Stopped || last.At != g.out.At || last.Worker != "a" || last.Host != "host/a" || last.Leg != 1 {
		t.Errorf("its progress: %+v", told)
	}
	if left := d.trees(s.ID); len(left) > 0 {
		t.Errorf("a run that is over has left %v", left)
	}
}

// A leg is left between two steps, or at once: then its agent is ended, and its attempt is
// made again.
func TestLeaving(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		leave func(d *Desk, cancel func())
		made  int
	}{
		{"between two steps", func(d *Desk, _ func()) { d.Leave(false) }, 1},
		{"at once", func(d *Desk, _ func()) { d.Leave(true) }, 0},
		{"by its context", func(_ *Desk, cancel func()) { cancel() }, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, waits)
			d := w.desk("a")
			s := w.spec()
			s.Quantum.Iterations = 0
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			g := w.start(ctx, d, fleet.Turn{Spec: s, Leg: 1}, fleet.Hooks{})
			w.await("the agent works", w.there("slow"))
			tt.leave(d, cancel)
			if tt.made == 1 {
				w.write("go", "")
			}
			g.wait()
			w.write("go", "")
			if g.err != nil || g.out.State != loop.Parked || g.out.Iterations != tt.made || g.out.Stuck || g.out.Why == "" {
				t.Fatalf("%+v, %v", g.out, g.err)
			}
			if c := w.card(s); c.Held || c.State != loop.Parked {
				t.Errorf("its card: %+v", c)
			}
			b := w.desk("b")
			for leg := 2; !w.leg(b, s, leg).Over(); leg++ {
			}
			w.whole(s)
		})
	}
}

// An agent may take its time to end, and its work to be kept: nobody waits for that.
func TestSkipIsAnsweredWhenItIsTaken(t *testing.T) {
	t.Parallel()
	for _, order := range []string{"skip", "stop_now"} {
		t.Run(order, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, strings.Replace(waits, "#!/bin/sh\n", "#!/bin/sh\ntrap 'while [ ! -e $DESK_TEST_WORLD/go ]; do sleep 0.05; done; exit 1' TERM INT\n", 1))
			d := w.desk("a")
			s := w.spec()
			g := w.start(t.Context(), d, fleet.Turn{Spec: s, Leg: 1}, fleet.Hooks{})
			w.await("the agent works", w.there("slow"))
			a, err := d.Tell(t.Context(), s.ID, 1, fleet.Order{Command: order})
			if _, e, _ := here(d.trees(s.ID)[1], s.ID); err != nil || !a.OK || !atWork(e) {
				t.Errorf("%+v, %v; the agent is at work: %v", a, err, atWork(e))
			}
			w.write("go", "")
			g.wait()
			if g.err != nil || g.out.State == "" {
				t.Errorf("%+v, %v", g.out, g.err)
			}
		})
	}
}

// Between the last step of a leg and its end nobody hears orders, and the fleet keeps them
// for the next leg.
func TestOrdersThatComeTooLate(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	w.write("hub.git/hooks/pre-receive", `#!/bin/sh
while read old new ref; do
	git cat-file blob $new:card.json 2>/dev/null | grep -q '"state": "parked"' || continue
	: >'`+w.dir+`/slow'
	while [ ! -e '`+w.dir+`/go' ]; do sleep 0.05; done
done
`)
	d := w.desk("a")
	s := w.spec()
	g := w.start(t.Context(), d, fleet.Turn{Spec: s, Leg: 1}, fleet.Hooks{})
	w.await("it is left", w.there("slow"))
	for _, o := range []fleet.Order{{Command: "note", Text: "look at the tests"}, {Command: "stop"}, {Command: "skip"}, {Command: "pause"}} {
		var unknown *fleet.UnknownError
		if a, err := d.Tell(t.Context(), s.ID, 1, o); !errors.As(err, &unknown) {
			t.Errorf("%s: %+v, %v; want that it is not live", o.Command, a, err)
		}
	}
	w.write("go", "")
	g.wait()
	if g.err != nil || g.out.State != loop.Parked || g.out.Iterations != 1 {
		t.Errorf("%+v, %v", g.out, g.err)
	}
}

// Gates of a leg that is left at once are ended, too: the next worker judges the agent's
// work, and does not have it done again.
func TestLeavingWhileAGateRuns(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	w.write("gate.sh", "[ -e '"+w.dir+"/go' ] || [ ! -e work ] || { : >'"+w.dir+"/slow'; sleep 600; }\n")
	d := w.desk("a")
	s := w.spec("gate=sh " + w.at("gate.sh"))
	s.Quantum.Iterations = 0
	g := w.start(t.Context(), d, fleet.Turn{Spec: s, Leg: 1}, fleet.Hooks{})
	w.await("the gate runs", w.there("slow"))
	d.Leave(true)
	g.wait()
	w.write("go", "")
	if g.err != nil || g.out.State != loop.Parked || g.out.Iterations != 0 {
		t.Fatalf("%+v, %v", g.out, g.err)
	}
	out := w.leg(w.desk("b"), s, 2)
	if out.State != loop.Done || !out.Proven && out.Reason == "" || w.starts() != "1 2 3" {
		t.Errorf("%+v; agents were started in the iterations %s", out, w.starts())
	}
}

// Long waits are nothing for a worker.
func TestPatience(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent("exit 1"))
	s := w.spec()
	s.Quantum = fleet.Quantum{Patience: time.Millisecond}
	began := time.Now()
	out := w.leg(w.desk("a"), s, 1)
	if out.State != loop.Parked || out.Iterations != 1 || out.Rule != "backoff" || out.Until.Before(began) || out.Why == "" || out.Why == "others have a turn" {
		t.Fatalf("%+v", out)
	}
}

// Others have a turn when a leg has had its time, or nothing is left to spend.
func TestQuantum(t *testing.T) {
	t.Parallel()
	t.Run("iterations", func(t *testing.T) {
		w := newWorld(t, agent())
		s := w.spec()
		s.Quantum.Iterations = 2
		if out := w.leg(w.desk("a"), s, 1); out.Iterations != 2 || out.Why != "others have a turn" {
			t.Errorf("%+v", out)
		}
	})
	t.Run("time", func(t *testing.T) {
		w := newWorld(t, agent())
		s := w.spec()
		s.Quantum = fleet.Quantum{Time: time.Millisecond}
		if out := w.leg(w.desk("a"), s, 1); out.Iterations != 1 || out.Why != "others have a turn" {
			t.Errorf("%+v", out)
		}
	})
	t.Run("money", func(t *testing.T) {
		w := newWorld(t, agent())
		s := w.spec()
		s.Quantum.Iterations = 0
		asked := 0
		out, err := w.desk("a").Run(t.Context(), fleet.Turn{Spec: s, Leg: 1}, fleet.Hooks{Spent: func(float64, int64) bool {
			asked++
			return asked == 2
		}})
		if err != nil || out.Iterations != 2 || !out.Broke || out.State != loop.Parked {
			t.Errorf("%+v, %v", out, err)
		}
	})
	t.Run("the fleet has given it up", func(t *testing.T) {
		w := newWorld(t, agent())
		s := w.spec()
		s.Quantum.Iterations = 0
		out, err := w.desk("a").Run(t.Context(), fleet.Turn{Spec: s, Leg: 1}, fleet.Hooks{Heard: func() fleet.Beat { return fleet.Beat{At: time.Now(), Gone: true} }})
		if err != nil || out.Iterations != 0 || out.State != loop.Parked {
			t.Errorf("%+v, %v", out, err)
		}
	})
}

// A question that nobody answers is asked again where the run goes on.
func TestAQuestion(t *testing.T) {
	t.Parallel()
	w := newWorld(t, agent())
	d := w.desk("a")
	s := w.spec(`ask.at=["1"]`)
	out := w.leg(d, s, 1)
	if out.State != loop.Parked || out.Iterations != 0 || out.Why != "it waits for a person" {
		t.Fatalf("%+v", out)
	}
	out = w.leg(w.desk("b"), s, 2, fleet.Order{Command: "approve"})
	if out.State != loop.Parked || out.Iterations != 1 {
		t.Errorf("%+v", out)
	}
}

// Where an answer is taken when nobody gives one, no person is waited for: the leg that
// comes when the time is over takes it, or the answer that comes along.
func TestAQuestionWithATime(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		orders []fleet.Order
		want   loop.Status
	}{
		{"nobody answers", nil, loop.Stopped},
		{"somebody has", []fleet.Order{{Command: "approve", Text: "continue"}}, loop.Parked},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agent())
			s := w.spec(`ask.at=["1"]`, "ask.timeout=3s", "ask.default=stop")
			s.Quantum.Patience = -1
			out := w.leg(w.desk("a"), s, 1)
			if out.State != loop.Parked || out.Person || out.Rule != "asked" || out.Until.IsZero() || out.Agent != "" {
				t.Fatalf("%+v", out)
			}
			w.await("the time of the question is over", func() bool { return time.Now().After(out.Until) })
			if out := w.leg(w.desk("b"), s, 2, tt.orders...); out.State != tt.want {
				t.Errorf("%+v", out)
			}
		})
	}
}
