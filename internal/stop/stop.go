// Package stop holds the rules that end a run, or make it wait, one per file.
//
// A rule reads facts and gives a verdict with its name and its evidence, or
// none. Rules are pure: the engine has run the scripts, matched the patterns
// and looked at the clock before it asks. Which rule wins is their order in
// rules and nothing else.
//
// The file of a rule has all that is known of it: how it decides, its settings,
// the reason that it gives and the key that is to blame, what the manual says of
// it, and whether what-if can decide it again. Everybody else asks here.
package stop

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
)

// rules lists every rule in the order in which they win. A new rule is its file
// and its line here.
var rules = []func(*Settings) Rule{
	AskedNow,
	Fatal,
	ProviderLimit,
	Blocked,
	Person,
	Finished,
	AskedAfter,
	Hook,
	Script,
	Pattern,
	Permissions,
	Failures,
	RedGates,
	TestFailures,
	NoProgress,
	Repeats,
	Unrewarded,
	Iterations,
	Time,
	Cost,
	Tokens,
	MaxFiles,
	OwnRules,
	AwaitProvider,
	Session,
	Pace,
}

// Rule is all that is known of one rule.
type Rule struct {
	Name   string // in words, for the order in which rules win; "" for one that ends nothing
	Decide loop.Rule
	Own    []loop.Rule   // in the place of Decide: those of the program
	Rows   []setting.Row // the settings that it goes by
	// Limit notes what the rule is set to in what the journal tells of limits;
	// nil is nothing.
	Limit func(*loop.Limits)
	// Redecidable says that a record has all that the rule looks at, so that
	// what-if can suppose other settings for it.
	Redecidable bool
	// CanEnd says that the rule, as it is set, can end a run that nobody stops: by
	// what every run has, and not by what may never be seen.
	CanEnd bool
	// Notices says that the rule goes by what it sees in the work: that it is done, or
	// gets nowhere. Settings can have the limit win over that.
	Notices bool
	Ends    []End
}

// End is one way in which a rule ends a run.
type End struct {
	Rule    string // what verdicts call the rule; "" is the reason
	Reason  loop.Reason
	State   loop.Status
	Key     string // the setting that is to blame; "" is none
	When    string // when it comes to that, for the table of reasons
	Short   string // the same for the table of rules; "" leaves it out there
	Setting string // for that table: how to set it, if there is more to say than the key
	Default string // for that table: what holds when nobody sets it
	Raise   string // for a limit: the flag that lifts it; "" is --set and the key
}

// Settings are what the rules go by: what the user set, and below it what only
// this run knows. A zero limit is no limit.
type Settings struct {
	Iterations int
	Time       time.Duration
	CostUSD    float64
	Tokens     int

	LimitFirst       bool // the last iteration is the end, whatever was noticed in it
	Failures         int
	GatesAreFailures bool // a failing gate counts as a failure of the agent
	RedGates         int
	TestFailures     int
	NoProgress       int
	Repeats          int
	SkipsCount       bool     // an iteration that is skipped is a counted one
	Patterns         []string // each compiles with package regexp
	Scripts          []string

	Limit   ProviderPolicy
	Session Sessions
	Pace    Pacing

	// Values has the settings that no one but their rule asks for.
	Values setting.Values

	Done           Completion
	Own            []loop.Rule // that the program brings along
	PermissionsFix string      // what to do when the agent may not run commands
}

// all is every rule with these settings.
func all(s *Settings) []Rule {
	list := make([]Rule, len(rules))
	for i, rule := range rules {
		list[i] = rule(s)
	}
	if s.LimitFirst {
		return limitFirst(list)
	}
	return list
}

// limitFirst is the rules with those that only notice something in an iteration
// behind the one that knows it was the last.
func limitFirst(list []Rule) []Rule {
	notices := func(r Rule) bool { return r.Notices }
	noticing := slices.DeleteFunc(slices.Clone(list), func(r Rule) bool { return !r.Notices })
	list = slices.DeleteFunc(list, notices)
	limit := slices.IndexFunc(list, func(r Rule) bool { return r.Name == lastOne })
	return slices.Insert(list, limit+1, noticing...)
}

// Rules is how they decide, in the order in which they win.
func Rules(s Settings) []loop.Rule {
	var list []loop.Rule
	for _, r := range all(&s) {
		if list = append(list, r.Own...); r.Decide != nil {
			list = append(list, r.Decide)
		}
	}
	return list
}

// Rows is the settings of all rules, with their places in s.
func Rows(s *Settings) []setting.Row {
	var rows []setting.Row
	for _, r := range all(s) {
		rows = append(rows, r.Rows...)
	}
	return rows
}

// Limits is what the journal tells of what the rules are set to.
func Limits(s Settings) loop.Limits {
	var l loop.Limits
	for _, r := range all(&s) {
		if r.Limit != nil {
			r.Limit(&l)
		}
	}
	return l
}

// CanEnd tells whether any rule can end a run with these settings, but for a
// person.
func CanEnd(s Settings) bool {
	return slices.ContainsFunc(all(&s), func(r Rule) bool { return r.CanEnd })
}

// Redecidable tells whether a record can be decided again with another value of
// a key: one that says when a run waits and when it ends.
func Redecidable(key string) bool { return redecidable()[key] }

// redecidable is asked for every setting there is whenever the program starts.
var redecidable = sync.OnceValue(func() map[string]bool {
	keys := map[string]bool{}
	for _, r := range Known() {
		for _, row := range r.Rows {
			keys[row.Key] = keys[row.Key] || r.Redecidable
		}
	}
	return keys
})

// Known is every rule with nothing set, for those who write about them.
func Known() []Rule { return all(new(Settings)) }

// Ends is every way in which a run ends, in the order of the rules, and then
// what no rule decides.
func Ends() []End {
	var list []End
	for _, r := range Known() {
		list = append(list, r.Ends...)
	}
	return append(list, End{
		Reason: loop.BySandbox, State: loop.Aborted, Key: "sandbox.allow",
		When: "a gate passes outside of the [sandbox](sandbox.md) and fails in it, before the first iteration. Allow what it needs, and resume the run",
	}, End{
		Reason: loop.ByTampering, State: loop.Aborted,
		When: "somebody other than a runner has changed the journal, the settings or the fingerprints of the run, see [the seal](journal.md#the-seal). It does not go on: begin a new run",
	})
}

// Key is the setting that a verdict blames, by the names of its rule and its
// reason; "" is none.
func Key(rule string, reason loop.Reason) string {
	ends := Ends()
	for _, e := range ends {
		if e.Rule != "" && e.Rule == rule {
			return e.Key
		}
	}
	for _, e := range ends {
		if e.Rule == "" && e.Reason == reason {
			return e.Key
		}
	}
	return ""
}

// Raise is the flag that lifts the limit which a run has come to; "" where the
// reason is none.
func Raise(reason loop.Reason) string {
	for _, e := range Ends() {
		if e.Reason == reason && e.State == loop.Exhausted {
			return cmp.Or(e.Raise, "--set "+e.Key+"=N")
		}
	}
	return ""
}

// none is no opinion.
var none loop.Verdict

// end stops the run; the rule's name is its reason.
func end(state loop.Status, reason loop.Reason, why string) loop.Verdict {
	return loop.Verdict{Action: loop.Stop, Rule: string(reason), State: state, Reason: reason, Why: why}
}
