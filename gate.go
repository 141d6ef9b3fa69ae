package refrain

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/testlist"
)

// Gate is a check of your own: a claim is believed when every gate passes. It
// runs before the first iteration, after every attempt that ended well, and, on a
// claim, in a clean checkout, if there is one. So it must look only at Place.Dir,
// and find the same there twice.
type Gate interface {
	// Name is what people are told, and the name of a file: letters, digits, dots,
	// dashes and underscores.
	Name() string
	// Check looks at the work. It comes back soon when ctx is done; what it found
	// does not count then.
	Check(ctx context.Context, p Place) Finding
}

// GateFunc makes a gate of a function.
func GateFunc(name string, check func(context.Context, Place) Finding) Gate {
	return gateFunc{name, check}
}

type gateFunc struct {
	name  string
	check func(context.Context, Place) Finding
}

func (g gateFunc) Name() string                               { return g.name }
func (g gateFunc) Check(ctx context.Context, p Place) Finding { return g.check(ctx, p) }

// Place is where a gate looks.
type Place struct {
	Dir   string    // the work, as it is to be judged
	Clean bool      // it is a clean checkout, not the work tree
	Env   []string  // for what the gate starts itself, complete
	Log   io.Writer // is kept with the attempt

	at gate.Place
}

// Finding is what a gate found.
type Finding struct {
	OK     bool
	Why    string // why it does not pass, in a few words: people and the next agent are told
	Output string // more for the next agent: the end of it, as far as there is room
	Tests  *Tests // the tests that ran, if any did

	// Each is the tests one by one, as far as they are known, for people who look at
	// them: Record.Tests and "refrain show --tests" have them. Nothing is judged by it.
	Each []TestResult
}

// Run runs a command line in the place and judges it as a gate of the settings
// would: exit 0 passes, unless tests failed. What it starts is ended with it, and
// what it prints is logged.
func (p Place) Run(ctx context.Context, line string) Finding {
	r := gate.Command(gate.Settings{Name: "command", Run: line}).Check(ctx, p.at)
	return Finding{OK: r.OK, Why: r.Why, Output: r.Tail, Tests: r.Tests, Each: testlist.Of(r.Report)}
}

// ownGate makes one of the runner's own checks of a gate.
type ownGate struct {
	own     Gate
	name    string // asked once: the run goes by it
	control *Control
}

func (g ownGate) Name() string { return g.name }

func (g ownGate) Check(ctx context.Context, p gate.Place) gate.Result {
	if p.Log == nil {
		p.Log = io.Discard
	}
	began := time.Now()
	expect := p.Expect
	p.Expect = 0 // of the whole gate, not of each of its commands
	var f Finding
	broken := g.control.guard("a gate", false, func() {
		f = g.own.Check(ctx, Place{Dir: p.Dir, Clean: p.Where == loop.InClean, Env: p.Env, Log: p.Log, at: p})
	})
	r := gate.Result{Gate: loop.Gate{Name: g.name, OK: f.OK, Where: p.Where, Duration: loop.Millis(time.Since(began))}, Tests: f.Tests, Each: f.Each, Tail: f.Output}
	if f.Tests != nil {
		r.Gate.Tests = f.Tests.Passed + f.Tests.Failed
	}
	switch {
	case ctx.Err() != nil, broken != nil:
		r.OK, r.Why, r.Interrupted = false, "interrupted", true
	case !f.OK:
		r.Why = cmp.Or(f.Why, "it does not pass")
	case r.Gate.Tests == 0 && expect > 0:
		r.OK, r.Why = false, fmt.Sprintf("ran no tests; it ran %d before", expect)
	}
	return r
}
