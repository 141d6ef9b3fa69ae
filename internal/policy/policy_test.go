package policy

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/loop"
)

// with is the terms of a run with these settings, as KEY=VALUE separated by
// spaces.
func with(t *testing.T, kind config.Kind, settings string) Terms {
	t.Helper()
	var flags []config.Flag
	for _, arg := range strings.Fields(settings) {
		f, err := config.ParseSet(arg)
		if arg == "gate" {
			f, err = config.Flag{Name: "--gate", Key: "gate", Value: "true"}, nil
		}
		if err != nil {
			t.Fatal(err)
		}
		flags = append(flags, f)
	}
	loaded, err := config.Load(config.Sources{Flags: flags, Kind: kind})
	if err != nil {
		t.Fatal(err)
	}
	return Terms{Config: loaded.Config, Kind: kind, Agents: []string{"agent"}}
}

// forever leaves nothing that ends a run.
const forever = "loop.max_iterations=0 stop.failures=0 stop.no_progress=0 stop.repeats=0 "

func TestWhetherARunCanEnd(t *testing.T) {
	tests := []struct {
		what, settings    string
		kind              config.Kind
		canEnd, canBeDone bool
	}{
		{"with nothing that ends it", forever, config.AdHocPrompt, false, false},
		{"by a number", forever + "loop.max_iterations=9", config.AdHocPrompt, true, false},
		{"by time", forever + "loop.max_time=1h", config.AdHocPrompt, true, false},
		{"by money", forever + "budget.cost_usd=5", config.AdHocPrompt, true, false},
		{"by failures", forever + "stop.failures=3", config.AdHocPrompt, true, false},
		{"by files", forever + "stop.max_files=9", config.AdHocPrompt, true, false},
		{"by doing the same again and again", forever + "stop.repeats=4", config.AdHocPrompt, true, false},
		{"by money without progress", forever + "stop.cost_without_progress=5", config.AdHocPrompt, true, false},
		{"by tokens", forever + "budget.tokens=5", config.AdHocPrompt, true, false},
		{"by no progress", forever + "stop.no_progress=5", config.AdHocPrompt, true, false},
		{"by red gates that are switched off", forever + "stop.red_gates=3 loop.gates=false gate", config.AdHocPrompt, false, false},
		{"by a full context, which ends nothing", forever + "context.redline=90", config.AdHocPrompt, false, false},
		{"by a pattern", forever + `stop.patterns=["x"]`, config.AdHocPrompt, true, false},
		{"by a script", forever + `stop.scripts=["x"]`, config.AdHocPrompt, true, false},
		{"by red gates that nobody has", forever + "stop.red_gates=3", config.AdHocPrompt, false, false},
		{"by red gates", forever + "stop.red_gates=3 gate", config.AdHocPrompt, true, false},
		{"by failing tests, which may never be seen", forever + "stop.test_failures=3", config.AdHocPrompt, false, false},
		{"by a promise", forever + "done.promise=DONE", config.AdHocPrompt, true, true},
		{"by a plan", forever + "done.plan=PLAN.md", config.AdHocPrompt, true, true},
		{"by gates that are enough", forever + "done.gates=true gate", config.AdHocPrompt, true, true},
		{"by status 0 of a command", forever, config.AdHocCommand, true, true},
		{"a command with a promise, by that", forever + "done.promise=DONE", config.AdHocCommand, true, true},
		{"a command with gates, not by status 0", forever + "gate stop.red_gates=0", config.AdHocCommand, false, false},
	}
	for _, tt := range tests {
		terms := with(t, tt.kind, tt.settings)
		if terms.CanEnd() != tt.canEnd || terms.CanBeDone() != tt.canBeDone {
			t.Errorf("%s: can end %v, can be done %v; want %v and %v", tt.what, terms.CanEnd(), terms.CanBeDone(), tt.canEnd, tt.canBeDone)
		}
	}
	terms := with(t, config.AdHocPrompt, forever)
	terms.OwnRules = []loop.Rule{func(loop.Facts) loop.Verdict { return loop.Verdict{} }}
	if !terms.CanEnd() {
		t.Error("a rule of the program's cannot end the run")
	}
}

func TestWhatIsTakenForDone(t *testing.T) {
	tests := []struct {
		what, settings  string
		kind            config.Kind
		own             int
		exitZero        bool
		proof, proofOff bool
		tests           string
	}{
		{"a command", "", config.AdHocCommand, 0, true, false, false, ""},
		{"a command with a promise", "done.promise=DONE", config.AdHocCommand, 0, false, false, false, ""},
		{"a command with a gate of the program's", "", config.AdHocCommand, 1, false, true, false, ""},
		{"a prompt", "", config.AdHocPrompt, 0, false, false, false, ""},
		{"switched on", "loop.exit_zero_is_done=true done.promise=DONE", config.AdHocPrompt, 0, true, false, false, ""},
		{"gates that prove", "gate done.promise=DONE done.tests=pinned", config.AdHocPrompt, 0, false, true, false, "pinned"},
		{"gates that are not to prove", "gate done.promise=DONE done.proof=none", config.AdHocPrompt, 0, false, false, true, ""},
		{"gates that are switched off", "gate done.promise=DONE loop.gates=false", config.AdHocPrompt, 0, false, false, false, ""},
	}
	for _, tt := range tests {
		terms := with(t, tt.kind, tt.settings)
		terms.OwnGates = tt.own
		c := terms.Completion()
		if c.ExitZero != tt.exitZero || c.Proof != tt.proof || c.ProofOff != tt.proofOff || terms.TestsMayBecome() != tt.tests {
			t.Errorf("%s: %+v, tests may become %q", tt.what, c, terms.TestsMayBecome())
		}
	}
}

func TestASessionThatGoesOnHasARedline(t *testing.T) {
	terms := with(t, config.AdHocPrompt, "context.redline=70")
	if got := terms.Limits().Redline; got != 0 {
		t.Errorf("redline without a session = %d", got)
	}
	terms.KeepsSession = true
	if got := terms.Limits().Redline; got != 70 {
		t.Errorf("redline = %d, want 70", got)
	}
	if !terms.Counting().Keep {
		t.Error("attempts count as if every one had a session of its own")
	}
}

func TestRules(t *testing.T) {
	start := time.Date(2026, 11, 16, 1, 0, 0, 0, time.UTC)
	terms := with(t, config.AdHocPrompt, "loop.max_iterations=2")
	state := loop.State{}.Sum(loop.Event{Time: start, Payload: &loop.RunStarted{Limits: terms.Limits(), Counting: terms.Counting()}})
	for n, want := range []loop.Action{loop.Continue, loop.Stop} {
		outcome := loop.Outcome{Result: loop.OK}
		v := loop.Decide(loop.Facts{State: state, Outcome: &outcome, Now: start}, terms.Rules())
		if v.Action != want {
			t.Errorf("after iteration %d: %s, want %s", n+1, v.Action, want)
		}
		state = state.Add(outcome)
	}
}

func TestRaise(t *testing.T) {
	tests := []struct{ what, key, value, err string }{
		{"a limit", "loop.max_iterations", "50", ""},
		{"one of time", "loop.max_time", "2h", ""},
		{"what is no limit", "stop.failures", "9", "cannot be changed while the run is alive: only budget.cost_usd"},
		{"what is no number", "loop.max_iterations", "many", "loop.max_iterations"},
	}
	for _, tt := range tests {
		c := with(t, config.AdHocPrompt, "stop.failures=7").Config
		err := Raise(&c, Raised(tt.key, tt.value))
		switch {
		case tt.err == "" && err != nil, tt.err != "" && (err == nil || !strings.Contains(err.Error(), tt.err) || strings.HasPrefix(err.Error(), "raise:")):
			t.Errorf("%s: %v, want %q", tt.what, err, tt.err)
		case c.Stop.Failures != 7:
			t.Errorf("%s: another setting has changed", tt.what)
		}
	}
	c := with(t, config.AdHocPrompt, "").Config
	if err := Raise(&c, Raised("loop.max_iterations", "50")); err != nil || c.Stop.Iterations != 50 {
		t.Errorf("max_iterations = %d, %v; want 50", c.Stop.Iterations, err)
	}
}

func TestTheMarginIsAFewSeconds(t *testing.T) {
	for range 100 {
		if m := NewMargin(rand.IntN); m < time.Second || m >= 5*time.Second {
			t.Fatalf("margin = %s", m)
		}
	}
}
