package stop

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/setting"
)

// ProviderPolicy says how to treat a provider that turns attempts away.
type ProviderPolicy struct {
	Wait    bool          // false: the first such attempt ends the run
	MaxWait time.Duration // per wait; 0 is none
	MaxTime time.Duration // of the whole run, live; 0 is none
	Backoff time.Duration // when no time is stated: this, doubling
	// Margin is added to a stated reset: clocks differ, and an attempt one second
	// early would be turned away again.
	Margin time.Duration
}

// providerMaxBackoff caps the pause between two tries of an unavailable
// provider: an outage of hours should be noticed to be over within minutes.
const providerMaxBackoff = 10 * time.Minute

// A sign-in that expired comes back by itself within minutes, when the agent can
// renew it, or not before a person does something.
const (
	signInBackoff  = 30 * time.Second
	signInPatience = 30 * time.Minute
)

// ProviderLimit waits when a usage limit, an outage or a lost sign-in kept the
// attempt's agent from working and no other can, goes on with one that can, and
// gives up when it would take too long.
func ProviderLimit(s *Settings) Rule {
	return Rule{
		Name: "a limit, an outage or a lost sign-in (wait, or another agent)", Decide: providerLimit(s.Limit), Redecidable: true,
		Rows: []setting.Row{
			{
				Key: "limits.wait", Kind: setting.Bool, At: &s.Limit.Wait, Default: true,
				Doc: "wait when the provider says that a usage limit is reached, or is unavailable; false: the first such attempt ends the run",
			},
			{
				Key: "limits.max_wait", Kind: setting.Duration, At: &s.Limit.MaxWait, Default: 6 * time.Hour,
				Doc: "the longest single wait; a limit that lasts longer stops the run at once",
			},
		},
		Ends: []End{
			{
				Reason: loop.ByProvider, State: loop.Aborted, Key: "limits.max_wait",
				When:  "the provider was unavailable for longer than `limits.max_wait`, or at all with `limits.wait = false`",
				Short: "a usage limit or an outage lasts too long", Default: "6h",
			},
			{
				Reason: loop.ByWaitTooLong, State: loop.Aborted, Key: "limits.max_wait",
				When: "a usage limit lasts longer than `limits.max_wait`, or was met with `limits.wait = false`",
			},
		},
	}
}

func providerLimit(h ProviderPolicy) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Outcome == nil || !f.State.HeldByProvider(*f.Outcome) {
			return none
		}
		return h.turnedAway(f)
	}
}

// AwaitProvider waits before an attempt that would only be turned away, by what
// is known of this run and of others that have met the same limit. It is asked
// late: a run that is over need not wait.
func AwaitProvider(s *Settings) Rule {
	return Rule{Decide: awaitProvider(s.Limit)}
}

func awaitProvider(h ProviderPolicy) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		if f.Outcome != nil || f.Hurry || h.Agent(f) != "" {
			return none
		}
		v := h.wait(f)
		if first, _, _ := h.first(f); first.By != "" && (!h.Wait || v.Action == loop.Stop) {
			return none // what others say ends nothing: the attempt finds out for itself
		}
		return v
	}
}

// Agent is who works next: the first agent that nothing keeps from it. Where all
// are kept, or none is known, it is "".
func (h ProviderPolicy) Agent(f loop.Facts) string {
	for _, name := range f.State.Agents() {
		if at, ok := h.ready(f, name); ok && !at.After(f.Now) {
			return name
		}
	}
	return ""
}

// turnedAway is what comes of an attempt that could not get at its model.
func (h ProviderPolicy) turnedAway(f loop.Facts) loop.Verdict {
	away, _ := f.State.HoldOf(f.Outcome.Agent)
	if next := h.Agent(f); next != "" && next != away.Agent {
		return loop.Verdict{Action: loop.Continue, Rule: loop.RuleFallback, Agent: next, Why: fmt.Sprintf("%s; %s goes on meanwhile", whatUntil(away), next)}
	}
	_, _, ok := h.first(f)
	switch {
	case ok && !h.Wait:
		return end(tooLong(away, met(away)+", and limits.wait is off"))
	case ok:
		return h.wait(f)
	case permanent(away.Kind):
		return end(loop.CouldNotRun, loop.Treat(away.Kind).Fatal, what(away)+", and no other agent can go on")
	case away.Kind == loop.ErrAuth && slices.Contains(f.State.AgentsProven, away.Agent):
		return end(loop.CouldNotRun, loop.ByNotSignedIn, fmt.Sprintf("%s for longer than %s", what(away), signInPatience))
	case away.Kind == loop.ErrAuth:
		return end(loop.CouldNotRun, loop.ByNotSignedIn, what(away)+", and no other agent can go on")
	}
	return end(tooLong(away, fmt.Sprintf("%s for longer than %s (limits.max_wait)", what(away), h.MaxWait)))
}

// hopeless tells whether an agent has been turned away for so long that nobody
// waits for it any more.
func (h ProviderPolicy) hopeless(f loop.Facts, a loop.ProviderHold) bool {
	lasted := f.Now.Sub(a.Since)
	switch {
	case permanent(a.Kind):
		return true
	case a.At.IsZero() || stated(a):
		return false
	case a.Kind == loop.ErrAuth:
		return lasted > signInPatience || !slices.Contains(f.State.AgentsProven, a.Agent)
	}
	return h.MaxWait > 0 && lasted > h.MaxWait
}

// first is the agent that can work again before all others, and when. It is not
// ok when none ever will.
func (h ProviderPolicy) first(f loop.Facts) (away loop.ProviderHold, at time.Time, ok bool) {
	for _, name := range f.State.Agents() {
		ready, returns := h.ready(f, name)
		if returns && (!ok || ready.Before(at)) {
			away, at, ok = h.away(f, name), ready, true
		}
	}
	return away, at, ok
}

// wait lets time pass until the first agent can work again.
func (h ProviderPolicy) wait(f loop.Facts) loop.Verdict {
	first, at, ok := h.first(f)
	if !ok {
		return none // none is known, or the attempt that found it out has ended the run
	}
	wait := at.Sub(f.Now)
	if h.MaxWait > 0 && wait > h.MaxWait+h.Margin {
		return end(tooLong(first, fmt.Sprintf("%s until %s, which is longer than %s (limits.max_wait)", what(first), clock(at), h.MaxWait)))
	}
	if h.MaxTime > 0 && f.Live()+wait > h.MaxTime {
		return end(loop.Exhausted, loop.ByTime, fmt.Sprintf("%s until %s, beyond loop.max_time (%s)", what(first), clock(at), h.MaxTime))
	}
	v := loop.Verdict{Action: loop.Wait, Rule: waits[loop.Treat(first.Kind).Result], Agent: first.Agent, Why: what(first), For: loop.Millis(wait), Until: at, NotedBy: first.By}
	if first.Limit != nil {
		v.Limit = first.Limit.Kind
	}
	return v
}

// waits names the rule by what it waits for.
var waits = map[loop.Result]string{loop.Limited: loop.RuleLimit, loop.Unavailable: loop.RuleProvider, loop.Failed: loop.RuleSignIn}

// away is the last that is known of an agent: by us, or by another run.
func (h ProviderPolicy) away(f loop.Facts, agent string) loop.ProviderHold {
	a, _ := f.State.HoldOf(agent)
	for _, noted := range f.Noted {
		if noted.Agent == agent && h.until(noted).After(h.until(a)) {
			a = noted
		}
	}
	return a
}

// ready is when an agent can work again; never is not ok.
func (h ProviderPolicy) ready(f loop.Facts, agent string) (at time.Time, ok bool) {
	a := h.away(f, agent)
	return h.until(a), !h.hopeless(f, a)
}

// until is when an agent that was turned away is worth another try.
func (h ProviderPolicy) until(a loop.ProviderHold) time.Time {
	switch {
	case a.At.IsZero():
		return time.Time{}
	case stated(a):
		return a.Limit.Until.Add(h.Margin)
	case a.Kind == loop.ErrAuth:
		return a.At.Add(doubled(signInBackoff, a.Tries, providerMaxBackoff))
	}
	return a.At.Add(doubled(max(h.Backoff, time.Second), a.Tries, providerMaxBackoff))
}

// stated tells whether the provider said when the limit ends.
func stated(a loop.ProviderHold) bool { return a.Limit != nil && a.Limit.Until.After(a.At) }

// permanent tells whether only a person can bring the agent back.
func permanent(k loop.ErrorKind) bool {
	t := loop.Treat(k)
	return k != "" && t.Fatal != "" && !t.OnlyAtFirst
}

// what says in words what keeps an agent.
func what(a loop.ProviderHold) string {
	said := fmt.Sprintf("%s cannot work (%s)", a.Agent, strings.ReplaceAll(string(a.Kind), "_", " "))
	switch {
	case loop.Treat(a.Kind).Result == loop.Limited && a.Limit != nil && a.Limit.Kind != "":
		said = fmt.Sprintf("usage limit (%s)", a.Limit.Kind)
	case loop.Treat(a.Kind).Result == loop.Limited:
		said = "usage limit"
	case loop.Treat(a.Kind).Result == loop.Unavailable:
		said = fmt.Sprintf("the provider is unavailable (%s)", a.Kind)
	case a.Kind == loop.ErrAuth:
		said = a.Agent + " is not signed in"
	case a.Kind == loop.ErrBilling:
		said = a.Agent + " has no credit left"
	}
	if a.By != "" {
		said += ", noted by " + a.By
	}
	return said
}

// whatUntil adds for how long, where that is known.
func whatUntil(a loop.ProviderHold) string {
	if !stated(a) {
		return what(a)
	}
	return what(a) + " until " + clock(a.Limit.Until)
}

// met is what for something that has just happened.
func met(a loop.ProviderHold) string {
	if loop.Treat(a.Kind).Result == loop.Limited {
		return what(a) + " reached"
	}
	return what(a)
}

// tooLong is the end of a wait that nobody wants to wait out.
func tooLong(a loop.ProviderHold, why string) (loop.Status, loop.Reason, string) {
	switch loop.Treat(a.Kind).Result {
	case loop.Limited:
		return loop.Aborted, loop.ByWaitTooLong, why
	case loop.Unavailable:
		return loop.Aborted, loop.ByProvider, why
	}
	return loop.CouldNotRun, loop.ByNotSignedIn, why
}

func clock(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") }

// doubled is first for try 1, twice that for try 2, and so on up to most.
func doubled(first time.Duration, try int, most time.Duration) time.Duration {
	d := first
	for i := 1; i < try && d < most; i++ {
		d *= 2
	}
	return min(d, most)
}
