package whatif

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/policy"
)

// terms are what a runner goes by: its settings as it has read them, and what
// follows from them.
type terms struct {
	policy.Terms
	settings *config.Resolved
}

// terms is what each runner went by, as far as it decides, with flags laid over
// its settings.
func (rec *record) terms(flags []config.Flag) ([]terms, error) {
	var list []terms
	for _, r := range rec.runners {
		var all []config.Flag
		gated := false
		for _, key := range slices.Sorted(maps.Keys(r.settings)) {
			switch {
			case strings.HasPrefix(key, "gate."):
				gated = true
			case decides(key) && r.settings[key] != `""`:
				all = append(all, config.Flag{Name: "--set", Key: key, Value: r.settings[key]})
			}
		}
		if gated { // what they are decides nothing any more
			all = append(all, config.Flag{Name: "--gate", Key: "gate", Value: "true"})
		}
		settings, err := config.Load(config.Sources{Flags: append(all, flags...), Kind: rec.request.Kind()})
		if err != nil {
			return nil, err
		}
		list = append(list, terms{settings: settings, Terms: policy.Terms{
			Config: settings.Config, Kind: rec.request.Kind(), Agents: r.agents, KeepsSession: r.keeps, Margin: usualMargin,
		}})
	}
	return list, nil
}

// usualMargin is what is added to the end of a limit where the record shows no
// wait for one.
const usualMargin = 3 * time.Second

// decides tells whether rules may go by a setting.
func decides(key string) bool {
	section, _, _ := strings.Cut(key, ".")
	return slices.Contains([]string{"loop", "done", "stop", "budget", "limits", "session", "context"}, section) ||
		key == "git.on_regression" || key == "permissions.mode"
}

// comparison is the terms that the record's runners went by, and the supposed ones.
type comparison struct {
	was, now []terms         // by runner
	set      map[string]bool // the settings that are supposed
	next     int             // the runner that comes next

	old      terms       // of this runner as recorded, with what people have raised since
	supposed terms       // and as supposed
	rules    []loop.Rule // that are supposed
}

func compare(was, now []terms, flags []config.Flag) comparison {
	c := comparison{was: was, now: now, set: map[string]bool{}}
	for _, f := range flags {
		c.set[f.Key] = true
	}
	return c
}

// begin lets the next runner take over.
func (c *comparison) begin() {
	c.old, c.supposed = c.was[c.next], c.now[c.next]
	c.next++
	c.rules = c.supposed.Rules()
}

// counting is how attempts would have counted.
func (c *comparison) counting(recorded loop.Counting) loop.Counting {
	supposed := c.supposed.Counting()
	recorded.GatesAreFailures, recorded.SkipsAreFree = supposed.GatesAreFailures, supposed.SkipsAreFree
	return recorded
}

// raise changes the limit that a person has changed, unless it is what it is
// supposed to be.
func (c *comparison) raise(p *loop.CommandReceived) {
	limit := policy.Raised(p.Key, p.Value)
	_ = policy.Raise(&c.old.Config, limit) // it was right when it was given
	if !c.set[p.Key] {
		_ = policy.Raise(&c.supposed.Config, limit)
		c.rules = c.supposed.Rules()
	}
}

// useMargin takes what a runner added to the end of a limit.
func (c *comparison) useMargin(margin time.Duration) {
	c.old.Margin, c.supposed.Margin = margin, margin
	c.rules = c.supposed.Rules()
}
