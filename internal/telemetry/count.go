package telemetry

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// maxValues is how many values one label may have. Names of tools and gates
// are made up by others: what comes after these counts as "other".
const maxValues = 50

// counter only ever rises. It has at most one label of its own.
type counter struct {
	name, help, label string
	values            map[string]float64
}

func (c *counter) add(value string, n float64) {
	value = clean(value) // before it is a key: no two lines may have the same labels
	if _, known := c.values[value]; !known && len(c.values) >= maxValues {
		value = "other"
	}
	c.values[value] += n
}

func (c *counter) family() family {
	f := family{Name: c.name, Help: c.help, Type: "counter"}
	for _, value := range slices.Sorted(maps.Keys(c.values)) {
		one := sample{Name: c.name, Value: c.values[value]}
		if c.label != "" {
			one.Labels = labels{{c.label, value}}
		}
		f.Samples = append(f.Samples, one)
	}
	return f
}

// counted is everything that is counted: its name, its label if it has one, and
// what it is.
var counted = []struct{ name, label, help string }{
	{"iterations_total", "result", "Iterations that counted, by how they ended."},
	{"attempts_total", "result", "Attempts, by how they ended."},
	{"tokens_total", "kind", "Tokens that agents used, as they told."},
	{"cost_usd_total", "estimated", "What agents cost in US dollars, told or estimated from prices."},
	{"waits_total", "rule", "Waits, by the rule that asked for them."},
	{"wait_seconds_total", "", "Time spent in waits that are over."},
	{"limits_total", "kind", "Usage and rate limits that providers set."},
	{"agent_retries_total", "", "Requests that agents tried again."},
	{"reboots_total", "", "Sessions given up for a fresh one."},
	{"claims_total", "kind", "Claims that were heard."},
	{"claims_refused_total", "", "Claims that were refused."},
	{"claims_near_miss_total", "", "Texts that resembled a claim without being one."},
	{"tool_calls_total", "tool", "Calls of the agent's tools."},
	{"tool_failures_total", "", "Calls of the agent's tools that failed or were denied."},
	{"gates_total", "gate", "Runs of gates."},
	{"gate_failures_total", "gate", "Runs of gates that did not pass."},
	{"hooks_total", "point", "Runs of hooks."},
	{"files_changed_total", "", "Files that attempts created, changed or deleted."},
	{"lines_added_total", "", "Lines that attempts added."},
	{"lines_removed_total", "", "Lines that attempts removed."},
	{"commits_total", "", "Commits, the agents' own and the runner's."},
	{"checkpoints_total", "", "Checkpoints of the work tree."},
	{"restores_total", "", "Times that the work tree was put back."},
	{"resumes_total", "", "Times that a runner went on with the run."},
	{"warnings_total", "", "Warnings."},
	{"commands_total", "command", "Commands that people gave the run."},
}

// counters are the numbers of all these, by their names in the table.
type counters struct {
	named        map[string]*counter
	durations    *histogram
	waitingSince time.Time
}

// results are those that an attempt can have; they are told from the start, so
// that the first failure is a rise and not a new line.
var results = []loop.Result{
	loop.OK, loop.Failed, loop.TimedOut, loop.Idle, loop.Skipped, loop.Interrupted, loop.Limited, loop.Unavailable, loop.Lost,
}

func newCounters() counters {
	c := counters{
		named: map[string]*counter{},
		durations: newHistogram(prefix+"iteration_duration_seconds", "How long the agent of an iteration that counted worked.",
			10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200),
	}
	for _, row := range counted {
		one := &counter{name: prefix + row.name, label: row.label, help: row.help, values: map[string]float64{}}
		switch row.label {
		case "":
			one.values[""] = 0
		case "result":
			for _, result := range results {
				one.values[string(result)] = 0
			}
		}
		c.named[row.name] = one
	}
	return c
}

// one counts something that has no label, or one of a value of its label.
func (c *counters) one(name, value string) { c.named[name].add(value, 1) }

// add counts one event.
func (c *counters) add(e loop.Event) {
	if !c.waitingSince.IsZero() && begins(e.Payload) {
		c.named["wait_seconds_total"].add("", max(0, e.Time.Sub(c.waitingSince).Seconds()))
		c.waitingSince = time.Time{}
	}
	switch p := e.Payload.(type) {
	case *loop.RunResumed:
		c.one("resumes_total", "")
	case *loop.RunWaiting:
		c.one("waits_total", p.Rule)
		c.waitingSince = e.Time
	case *loop.RunRebootFinished:
		c.one("reboots_total", "")
	case *loop.AgentTool:
		c.one("tool_calls_total", p.Name)
	case *loop.AgentToolResult:
		if p.Failed || p.Denied {
			c.one("tool_failures_total", "")
		}
	case *loop.AgentLimit:
		c.one("limits_total", p.Limit.Kind)
	case *loop.AgentRetry:
		c.one("agent_retries_total", "")
	case *loop.GateFinished:
		if p.With != "" {
			break // it looked at another tree, where it may well fail
		}
		c.one("gates_total", p.Gate.Name)
		if !p.Gate.OK {
			c.one("gate_failures_total", p.Gate.Name)
		}
	case *loop.HookFinished:
		c.one("hooks_total", p.Point)
	case *loop.ClaimHeard:
		c.one("claims_total", string(p.Kind))
	case *loop.ClaimRefused:
		if p.NearMiss {
			c.one("claims_near_miss_total", "")
		} else {
			c.one("claims_refused_total", "")
		}
	case *loop.CheckpointMade:
		c.one("checkpoints_total", "")
	case *loop.CheckpointRestored:
		c.one("restores_total", "")
	case *loop.CommandReceived:
		c.one("commands_total", p.Command)
	case *loop.Warning:
		c.one("warnings_total", "")
	case *loop.IterationFinished:
		c.finish(p.Outcome, p.State.Totals.Iterations == e.Iter)
	}
}

// finish counts an attempt. Its number is only taken when it counted.
func (c *counters) finish(o loop.Outcome, counted bool) {
	c.one("attempts_total", string(o.Result))
	if counted {
		c.one("iterations_total", string(o.Result))
	}
	if counted && o.Result != loop.Skipped {
		c.durations.add(o.Duration.Duration().Seconds())
	}
	if u := o.Usage; u != nil {
		c.named["tokens_total"].add("input", float64(u.Input))
		c.named["tokens_total"].add("output", float64(u.Output))
		c.named["tokens_total"].add("cache_read", float64(u.CacheRead))
		c.named["tokens_total"].add("cache_write", float64(u.CacheWrite))
		if u.Estimated() {
			c.named["cost_usd_total"].add("true", u.CostUSD)
		} else {
			c.named["cost_usd_total"].add("false", u.CostUSD)
		}
	}
	if changes := o.Changes; changes != nil {
		c.named["files_changed_total"].add("", float64(changes.Created+changes.Modified+changes.Deleted))
		c.named["lines_added_total"].add("", float64(changes.LinesAdded))
		c.named["lines_removed_total"].add("", float64(changes.LinesRemoved))
		c.named["commits_total"].add("", float64(changes.Commits))
	}
}

func (c *counters) families() []family {
	var list []family
	for _, row := range counted {
		list = append(list, c.named[row.name].family())
	}
	return append(list, c.durations.family())
}

// histogram counts values by size.
type histogram struct {
	name, help string
	bounds     []float64
	counts     []float64 // of each bound alone; the last is what is above all
	sum        float64
}

func newHistogram(name, help string, bounds ...float64) *histogram {
	return &histogram{name: name, help: help, bounds: bounds, counts: make([]float64, len(bounds)+1)}
}

func (h *histogram) add(v float64) {
	i, _ := slices.BinarySearch(h.bounds, v) // a value on a bound is within it
	h.counts[i]++
	h.sum += v
}

// family tells each bound with all that is below it, as Prometheus wants it.
func (h *histogram) family() family {
	f := family{Name: h.name, Help: h.help, Type: "histogram"}
	below := 0.0
	for i, n := range h.counts {
		below += n
		bound := "+Inf"
		if i < len(h.bounds) {
			bound = strconv.FormatFloat(h.bounds[i], 'g', -1, 64)
		}
		f.Samples = append(f.Samples, sample{Name: h.name + "_bucket", Labels: labels{{"le", bound}}, Value: below})
	}
	return f.with(h.name+"_sum", h.sum).with(h.name+"_count", below)
}
