package proof

import (
	"maps"
	"slices"

	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/tests"
)

// Known is what a run knows of its gates and tests beside its state, which has no
// room for every test by name. It is kept with the run.
type Known struct {
	Before map[string]Before `json:"before,omitempty"` // each gate before the first iteration, by its key
	Born   map[string]Born   `json:"born,omitempty"`   // and what came up since, by its name
	Around Around            `json:"around,omitempty"`
	Flags  string            `json:"flags,omitempty"` // what the user's Go adds to every command
	Seed   *Seed             `json:"seed,omitempty"`
}

// Before is a gate before the first iteration.
type Before struct {
	OK    bool `json:"ok"`
	Empty bool `json:"empty,omitempty"` // it was red since there was nothing to test
	Tally
}

// Tally is the tests that a gate ran.
type Tally struct {
	Counted  bool                    `json:"counted,omitempty"` // a test runner was seen
	Passed   int                     `json:"passed,omitempty"`
	Failed   int                     `json:"failed,omitempty"`
	Skipped  int                     `json:"skipped,omitempty"`
	Names    map[string]tests.Status `json:"names,omitempty"`
	Complete bool                    `json:"complete,omitempty"` // every test is among the names
}

// Born are tests that came up green in the run. One counts when it was seen
// twice: names that are made up anew each time are no promise.
type Born struct {
	Once  []string `json:"once,omitempty"`
	Twice []string `json:"twice,omitempty"`
}

// tally is what a gate's result says of tests.
func tally(r gate.Result) Tally {
	var t Tally
	if r.Tests == nil {
		return t
	}
	t = Tally{Counted: true, Passed: r.Tests.Passed, Failed: r.Tests.Failed, Skipped: r.Tests.Skipped, Names: map[string]tests.Status{}}
	if r.Report != nil {
		for _, one := range r.Report.Named {
			t.Names[one.Name] = one.Status
		}
		t.Complete = r.Report.Complete()
	}
	for _, name := range r.Tests.Failing {
		t.Names[name] = tests.Failed
	}
	return t
}

// before is what a result of the baseline is remembered as. The other place's is
// asked too: a name that only one of them has is made up anew each time.
func before(r gate.Result, other *gate.Result) Before {
	b := Before{OK: r.OK, Tally: tally(r)}
	b.Empty = !r.OK && b.Passed+b.Failed == 0 && (b.Counted || r.Exit != nil && *r.Exit == 0)
	if other == nil || other.Tests == nil || r.Tests == nil || other.Report == nil {
		return b
	}
	also := tally(*other)
	if len(also.Names) == 0 || also.Passed+also.Failed+also.Skipped != b.Passed+b.Failed+b.Skipped {
		return b // it did not see the same tests at all
	}
	n := len(b.Names)
	maps.DeleteFunc(b.Names, func(name string, _ tests.Status) bool { _, there := also.Names[name]; return !there })
	b.Complete = b.Complete && len(b.Names) == n
	return b
}

// learn takes note of the tests that a green gate names and that are new.
func (k *Known) learn(g Gate, r gate.Result) bool {
	old := k.Before[g.key()]
	if !r.OK || r.Report == nil || old.Counted && !old.Complete { // not every test had a name then, so more would seem new
		return false
	}
	born := k.Born[g.Name()]
	once, twice := set(born.Once), set(born.Twice)
	changed := false
	for _, name := range r.Report.Names(tests.Passed) {
		switch _, there := old.Names[name]; {
		case there, twice[name]:
		case once[name]:
			delete(once, name)
			twice[name], changed = true, true
		case len(once)+len(twice) < maxBorn:
			once[name], changed = true, true
		}
	}
	if changed {
		if k.Born == nil {
			k.Born = map[string]Born{}
		}
		k.Born[g.Name()] = Born{Once: slices.Sorted(maps.Keys(once)), Twice: slices.Sorted(maps.Keys(twice))}
	}
	return changed
}

func set(list []string) map[string]bool {
	all := make(map[string]bool, len(list))
	for _, one := range list {
		all[one] = true
	}
	return all
}

// maxBorn bounds the tests that join those that must stay.
const maxBorn = 5000
