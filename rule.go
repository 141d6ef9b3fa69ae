package refrain

// Rule is a rule of your own: it looks at the facts after every attempt and, with
// no outcome, before every step and while the run waits. It ends the run, makes
// it wait, gives the agent a fresh session, or has no opinion, which is the zero
// Verdict.
//
// Rules are asked in the order of the list, after every built-in rule that ends
// a run and before those that make it wait: the first opinion wins. So a rule can
// end a run that would go on, but not keep one going that would end; Continue is
// no opinion. Stop ends the run as Aborted, unless the verdict says Exhausted,
// Stopped or CouldNotRun. With Wait, Until or For says how long.
//
// Stop with the state Done is a claim that the work is done, and gates judge it as
// they judge any: when they agree, the run is done, and proven if they prove it.
// Without gates it is done and no more than claimed. It counts after an attempt that
// ended well, with its gates green in the work tree; else it is no opinion.
//
// A rule should be pure, the same verdict for the same facts, so that what was
// decided can be understood from the journal.
type Rule interface {
	// Name is the verdict's rule, as people are told.
	Name() string
	Decide(Facts) Verdict
}

// RuleFunc makes a rule of a function.
func RuleFunc(name string, decide func(Facts) Verdict) Rule { return ruleFunc{name, decide} }

type ruleFunc struct {
	name   string
	decide func(Facts) Verdict
}

func (r ruleFunc) Name() string           { return r.name }
func (r ruleFunc) Decide(f Facts) Verdict { return r.decide(f) }
