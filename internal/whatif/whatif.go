// Package whatif decides a recorded run once more, under other settings.
//
// It reads the record and nothing else: what agents, gates and people did is
// taken as it was. So it can tell where the run would have ended earlier, and
// not what would have come where it goes on. When to wait, to ask and to end is
// decided by the driver of real runs, on a clock of its own and with a stepper
// that plays the record.
package whatif

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/stop"
)

// Result is what would have come of a recorded run under other settings, as far
// as the record tells.
type Result struct {
	Run string     `json:"run"`
	Set []Supposed `json:"set"`

	// Stops says that it would have ended where the record goes on, or for
	// another reason than the record gives.
	Stops bool `json:"stops"`
	// GoesOn says that it would not have ended where the record does. What came
	// then, nobody knows.
	GoesOn bool `json:"goes_on"`

	Iteration int       `json:"iteration"`       // the last one that began
	Within    bool      `json:"within"`          // it would have ended in the middle of that
	Place     string    `json:"place,omitempty"` // what the record calls it, for "refrain show"
	SameEnd   bool      `json:"same_end"`        // the record ends there too
	At        time.Time `json:"at,omitzero"`     // when, with the waits that it would have had
	Rule      string    `json:"rule,omitempty"`  // that would have ended it
	Recorded  Tally     `json:"recorded"`        // what really happened
	Supposed  Tally     `json:"supposed"`        // what would have
	Saved     Savings   `json:"saved"`           // the one less the other
	Notes     []string  `json:"notes,omitempty"` // what the record does not tell
}

// Supposed is a setting that is taken to be another.
type Supposed struct {
	Key   string       `json:"key"`
	Value config.Value `json:"value"`
	Was   config.Value `json:"was"`
}

// Tally is what a run came to.
type Tally struct {
	State  loop.Status `json:"state,omitempty"` // left out when it would have gone on
	Reason loop.Reason `json:"reason,omitempty"`
	Why    string      `json:"why,omitempty"`
	Proven bool        `json:"proven"`
	Level  loop.Level  `json:"level,omitempty"` // of a run that is done

	Iterations    int         `json:"iterations"`
	Elapsed       loop.Millis `json:"elapsed_ms"`
	CostUSD       float64     `json:"cost_usd,omitempty"`
	CostEstimated bool        `json:"cost_estimated,omitempty"`
	Tokens        int         `json:"tokens,omitempty"`
}

// Savings is what would not have been used up. Time is negative where the run
// would have waited longer.
type Savings struct {
	Iterations int         `json:"iterations"`
	Elapsed    loop.Millis `json:"elapsed_ms"`
	CostUSD    float64     `json:"cost_usd"`
	Tokens     int         `json:"tokens"`
}

// Redecidable is every setting with which a record can be decided again: those
// that say when a run waits and when it ends.
var Redecidable = sync.OnceValue(func() []string { return config.Keys(stop.Redecidable) })

// Suppose decides a recorded run once more, with flags laid over the settings that
// it had. It reads the record and nothing else, starts nothing and writes nothing.
func Suppose(store journal.Store, entry journal.Entry, flags []config.Flag) (*Result, error) {
	rec, err := readRecord(store, entry)
	if err != nil {
		return nil, err
	}
	was, err := rec.terms(nil)
	if err != nil {
		return nil, fmt.Errorf("rebuild the settings that %s had: %v", entry.Name, err) // not a mistake in the flags
	}
	if err := onlyDecisions(flags, was); err != nil {
		return nil, err
	}
	now, err := rec.terms(flags)
	if err != nil {
		return nil, err
	}
	w := &Result{Run: entry.Name, Set: supposed(flags, was, now), Recorded: rec.tally(), Notes: rec.missing(was)}
	own, err := rec.play(was, nil, nil)
	if err != nil {
		return nil, err
	}
	if own.stops() || own.goesOn {
		w.Notes = append(w.Notes, "decided again with its own settings, this run does not end as it did: it was recorded by another version, or somebody intervened; take this for an estimate")
	}
	end, err := rec.play(now, flags, own.own)
	if err != nil {
		return nil, err
	}
	w.take(end)
	return w, nil
}

// onlyDecisions refuses what a record cannot tell of.
func onlyDecisions(flags []config.Flag, was []terms) error {
	can := "these can: " + strings.Join(Redecidable(), ", ")
	if len(flags) == 0 {
		return &request.UsageError{What: "no other setting is given", Hint: "write it like --set stop.no_progress=3; " + can}
	}
	for _, f := range flags {
		switch _, err := was[0].settings.Explain(f.Key); {
		case slices.Contains(Redecidable(), f.Key):
		case f.Key == "gate" || strings.HasPrefix(f.Key, "gate."), err == nil:
			return &request.UsageError{What: f.Key + " cannot be tried: a record tells when the run could have ended, not what its agents, gates and scripts would have done otherwise", Hint: can}
		default:
			return err
		}
	}
	if !request.Sets(flags, "stop.repeats") {
		return nil
	}
	for _, t := range was {
		if t.Config.Stop.Repeats == 0 {
			return &request.UsageError{
				What: "stop.repeats cannot be tried: it was 0, so the run did not mark what its iterations had in common",
				Hint: "leave it out, or look at a run that had it",
			}
		}
	}
	return nil
}

// supposed is the settings that are other than they were when the run was last
// started.
func supposed(flags []config.Flag, was, now []terms) []Supposed {
	var list []Supposed
	for _, f := range flags {
		s := Supposed{Key: f.Key, Value: valueOf(now, f.Key), Was: valueOf(was, f.Key)}
		if !slices.Contains(list, s) { // set twice
			list = append(list, s)
		}
	}
	return list
}

// valueOf is what a setting was to the last runner.
func valueOf(list []terms, key string) config.Value {
	e, err := list[len(list)-1].settings.Explain(key)
	if err != nil {
		panic(err) // it was looked up before
	}
	return e.Value
}

// missing says which settings an older version did not store. What is off when
// nobody sets it was off before it existed too, and needs no words.
func (rec *record) missing(was []terms) []string {
	off := []config.Value{"0", "0.0", `"0s"`, "false"}
	var list []string
	for _, key := range Redecidable() {
		if _, ok := rec.runners[len(rec.runners)-1].settings[key]; !ok && !slices.Contains(off, valueOf(was, key)) {
			list = append(list, fmt.Sprintf("%s was not stored with the run: it is taken to be what it is when nobody sets it", key))
		}
	}
	return list
}

// tally is what really happened.
func (rec *record) tally() Tally {
	t := tallyOf(rec.entry.State)
	t.State = rec.store.Status(rec.entry)
	if f := rec.entry.Finished; f != nil {
		t.Reason, t.Why, t.Elapsed = f.Reason, f.Why, f.Elapsed
		t.Level, t.Proven = f.Level(), f.Level() == loop.LevelProven
	}
	return t
}

// take fills in what the supposed run came to.
func (w *Result) take(end *ending) {
	w.Supposed = tallyOf(end.state)
	w.Supposed.Elapsed = end.live
	w.Iteration, w.At = end.state.Totals.Iterations, end.at
	if end.place > 0 {
		w.Place = fmt.Sprintf("%s/%d", w.Run, end.place)
	}
	w.Notes = append(w.Notes, end.notes...)
	switch {
	case end.goesOn:
		w.GoesOn, w.SameEnd = true, true
	case end.died: // or is alive
		w.SameEnd, w.Supposed.State = true, w.Recorded.State
	case end.same:
		w.SameEnd = true
		w.Supposed.end(end.verdict)
	default:
		w.Stops, w.Within, w.SameEnd, w.Rule = true, end.within, end.there != nil, end.verdict.Rule
		w.Supposed.end(end.verdict)
		if end.within {
			w.Iteration++
		}
	}
	w.Saved = Savings{
		Iterations: w.Recorded.Iterations - w.Supposed.Iterations,
		Elapsed:    w.Recorded.Elapsed - w.Supposed.Elapsed,
		CostUSD:    math.Round((w.Recorded.CostUSD-w.Supposed.CostUSD)*1e6) / 1e6, // as sums are kept
		Tokens:     w.Recorded.Tokens - w.Supposed.Tokens,
	}
}

func (t *Tally) end(v loop.Verdict) {
	f := loop.RunFinished{State: v.State, Proven: v.Proven, Proof: v.Proof}
	t.State, t.Reason, t.Why = v.State, v.Reason, v.Why
	t.Level, t.Proven = f.Level(), f.Level() == loop.LevelProven
}

func tallyOf(s loop.State) Tally {
	return Tally{
		Iterations: s.Totals.Iterations, Elapsed: s.Live, Tokens: s.Totals.Tokens,
		CostUSD: s.Totals.CostUSD, CostEstimated: s.Totals.CostEstimated,
	}
}
