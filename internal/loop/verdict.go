package loop

import "time"

// Action is what a verdict tells the driver to do.
type Action string

// The actions. The zero action is "no opinion": the next rule is asked.
const (
	Continue Action = "continue"
	Wait     Action = "wait"
	Reboot   Action = "reboot"
	Stop     Action = "stop"
)

// Verdict is the answer of a rule, with its name and its evidence.
type Verdict struct {
	Action  Action    `json:"action"`
	Rule    string    `json:"rule,omitempty"`
	State   Status    `json:"state,omitempty"` // with stop: the state it ends in
	Reason  Reason    `json:"reason,omitempty"`
	Why     string    `json:"why,omitempty"`
	Agent   string    `json:"agent,omitempty"`  // with wait: whose provider; with continue: who stands in
	Proven  bool      `json:"proven,omitempty"` // with done: the level of the proof is proven
	Proof   *Proof    `json:"proof,omitempty"`  // with done: what stands behind the claim
	For     Millis    `json:"for_ms,omitempty"`
	Until   time.Time `json:"until,omitzero"`
	Restore *int      `json:"restore,omitempty"` // the iteration whose checkpoint is put back; 0 is before the first

	Now     bool   `json:"now,omitempty"`      // with stopped: a person wanted it at once
	Signal  string `json:"signal,omitempty"`   // with stopped: by which signal
	Limit   string `json:"limit,omitempty"`    // with wait: the kind of the usage limit
	NotedBy string `json:"noted_by,omitempty"` // with wait: the run that met it
}

// Waiting is the event of a wait that a verdict asks for.
func (v Verdict) Waiting(from, until time.Time) *RunWaiting {
	return &RunWaiting{Rule: v.Rule, Why: v.Why, Agent: v.Agent, For: Millis(until.Sub(from)), Until: until, Limit: v.Limit, NotedBy: v.NotedBy}
}

// StopRequest is a person's wish to stop, as far as it has been heard.
type StopRequest struct {
	Now    bool   // at once, not after this iteration
	Signal string // "INT", "TERM" or "HUP"; empty when a command asked
	Hint   string // what asking again would do
}

// Facts are what a rule may look at.
type Facts struct {
	State   State
	Outcome *Outcome // nil when the driver asks before a step or at a wake
	Now     time.Time
	Asked   *StopRequest   // nil when nobody asked to stop
	Noted   []ProviderHold // what other runs have found out about our agents
	Hurry   bool           // a person wants no more waiting
}

// Live is how long the run has been alive, waits included.
func (f Facts) Live() time.Duration {
	live := f.State.Live.Duration()
	if since := f.Now.Sub(f.State.At); !f.State.At.IsZero() && since > 0 {
		live += since
	}
	return live
}

// Rule looks at the facts and gives a verdict, or the zero Verdict when it has
// no opinion. Rules are pure, and asked in order: the first opinion wins.
type Rule func(Facts) Verdict

// Decide adds the outcome, if there is one, to the state and asks the rules.
// When no rule has an opinion, the run goes on. The state itself changes when
// what was decided is recorded, and not before.
func Decide(f Facts, rules []Rule) Verdict {
	var restore *int
	if f.Outcome != nil {
		if f.State.Undone(*f.Outcome) {
			restore = &f.State.BestTree.Iteration
		}
		f.State = f.State.Add(*f.Outcome)
	}
	verdict := Verdict{Action: Continue}
	for _, rule := range rules {
		v := rule(f)
		if v.Action == "" {
			continue
		}
		if verdict.Action != Reboot {
			verdict = v
		} else if v.Action == Wait { // a fresh session waits as any other would
			verdict.For, verdict.Until = v.For, v.Until
		}
		if verdict.Action != Reboot || v.Action == Wait {
			break
		}
	}
	verdict.Restore = restore
	return verdict
}
