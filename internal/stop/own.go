package stop

import (
	"cmp"
	"fmt"

	"github.com/refrain-loop/refrain/internal/loop"
)

// OwnRules are the rules that the program brings along, each for itself: one that
// wants a fresh session does not keep the next from waiting.
func OwnRules(s *Settings) Rule {
	return Rule{Name: "rules of a program's own", Own: s.Own, CanEnd: len(s.Own) > 0, Ends: []End{{
		Reason: loop.ByRule, State: loop.Aborted,
		When: "a rule of [a program's own](library.md) says so",
	}}}
}

// Own is a rule of a program that runs the loop. It is asked after every rule
// that ends a run and before those that make it wait, so that it can end a run
// that would go on, and not keep one going that would end: its "continue" is no
// opinion. Nor is its "done", which was heard as a claim before this: what became of
// that, another rule says.
func Own(name string, rule loop.Rule) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		v := rule(f)
		said := loop.Verdict{Action: v.Action, Rule: name, Why: cmp.Or(v.Why, "rule "+name+" says "+string(v.Action))}
		switch v.Action {
		case loop.Stop:
			if v.State == loop.Done {
				return none
			}
			return ending(said, v)
		case loop.Wait:
			until := v.Until
			if until.IsZero() {
				until = f.Now.Add(v.For.Duration())
			}
			if !until.After(f.Now) {
				return none
			}
			said.Until, said.For = until, loop.Millis(until.Sub(f.Now))
			return said
		case loop.Reboot:
			return said
		}
		return none
	}
}

// ending is a verdict that ends the run as the rule said, if it may.
func ending(said, v loop.Verdict) loop.Verdict {
	said.State, said.Reason = cmp.Or(v.State, loop.Aborted), cmp.Or(v.Reason, loop.ByRule)
	switch said.State {
	case loop.Exhausted, loop.Aborted, loop.Stopped, loop.CouldNotRun:
		return said
	}
	said.Why = fmt.Sprintf("rule %s wants to end the run as %s, which a rule cannot", said.Rule, said.State)
	said.State, said.Reason = loop.CouldNotRun, loop.ByError
	return said
}
