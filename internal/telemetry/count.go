package telemetry

import (
	"maps"
	"slices"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// mostValues is how many values one label may have. Names of tools and gates
// are made up by others: what comes after these counts as "other".
const mostValues = 50

// counter only ever rises. It has at most one label of its own.
type counter struct {
	name, help, label string
	values            map[string]float64
}

func (c *counter) add(value string, n float64) {
	value = clean(value) // before it is a key: no two lines may have the same labels
	if _, known := c.values[value]; !known && len(c.values) >= mostValues {
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

// counters is everything that is counted.
type counters struct {
	iterations, attempts, tokens, cost               *counter
	waits, waited, limits, retries, reboots          *counter
	claims, refused, nearMisses                      *counter
	tools, toolFailures, gates, gateFailures, hooks  *counter
	files, linesAdded, linesRemoved, commits         *counter
	checkpoints, restores, resumes, warnings, orders *counter
	durations                                        *histogram

	all          []*counter
	waitingSince time.Time
}

// results are those that an attempt can have; they are told from the start, so
// that the first failure is a rise and not a new line.
var results = []loop.Result{
	loop.OK, loop.Failed, loop.TimedOut, loop.Idle, loop.Skipped, loop.Interrupted, loop.Limited, loop.Unavailable, loop.Lost,
}

func newCounters() counters {
	var c counters
	counts := func(name, label, help string, from ...loop.Result) *counter {
		one := &counter{name: prefix + name, label: label, help: help, values: map[string]float64{}}
		for _, result := range from {
			one.values[string(result)] = 0
		}
		if label == "" {
			one.values[""] = 0
		}
		c.all = append(c.all, one)
		return one
	}
	c.iterations = counts("iterations_total", "result", "Iterations that counted, by how they ended.", results...)
	c.attempts = counts("attempts_total", "result", "Attempts, by how they ended.", results...)
	c.tokens = counts("tokens_total", "kind", "Tokens that agents used, as they told.")
	c.cost = counts("cost_usd_total", "estimated", "What agents cost in US dollars, told or estimated from prices.")
	c.waits = counts("waits_total", "rule", "Waits, by the rule that asked for them.")
	c.waited = counts("wait_seconds_total", "", "Time spent in waits that are over.")
	c.limits = counts("limits_total", "kind", "Usage and rate limits that providers set.")
	c.retries = counts("agent_retries_total", "", "Requests that agents tried again.")
	c.reboots = counts("reboots_total", "", "Sessions given up for a fresh one.")
	c.claims = counts("claims_total", "kind", "Claims that were heard.")
	c.refused = counts("claims_refused_total", "", "Claims that were refused.")
	c.nearMisses = counts("claims_near_miss_total", "", "Texts that resembled a claim without being one.")
	c.tools = counts("tool_calls_total", "tool", "Calls of the agent's tools.")
	c.toolFailures = counts("tool_failures_total", "", "Calls of the agent's tools that failed or were denied.")
	c.gates = counts("gates_total", "gate", "Runs of gates.")
	c.gateFailures = counts("gate_failures_total", "gate", "Runs of gates that did not pass.")
	c.hooks = counts("hooks_total", "point", "Runs of hooks.")
	c.files = counts("files_changed_total", "", "Files that attempts created, changed or deleted.")
	c.linesAdded = counts("lines_added_total", "", "Lines that attempts added.")
	c.linesRemoved = counts("lines_removed_total", "", "Lines that attempts removed.")
	c.commits = counts("commits_total", "", "Commits, the agents' own and the runner's.")
	c.checkpoints = counts("checkpoints_total", "", "Checkpoints of the work tree.")
	c.restores = counts("restores_total", "", "Times that the work tree was put back.")
	c.resumes = counts("resumes_total", "", "Times that a runner went on with the run.")
	c.warnings = counts("warnings_total", "", "Warnings.")
	c.orders = counts("commands_total", "command", "Commands that people gave the run.")
	c.durations = newHistogram(prefix+"iteration_duration_seconds", "How long the agent of an iteration that counted worked.",
		10, 30, 60, 120, 300, 600, 1200, 1800, 3600, 7200)
	return c
}

// add counts one event.
func (c *counters) add(e loop.Event) {
	if !c.waitingSince.IsZero() && begins(e.Payload) {
		c.waited.add("", max(0, e.Time.Sub(c.waitingSince).Seconds()))
		c.waitingSince = time.Time{}
	}
	switch p := e.Payload.(type) {
	case *loop.RunResumed:
		c.resumes.add("", 1)
	case *loop.RunWaiting:
		c.waits.add(p.Rule, 1)
		c.waitingSince = e.Time
	case *loop.RunRebootFinished:
		c.reboots.add("", 1)
	case *loop.AgentTool:
		c.tools.add(p.Name, 1)
	case *loop.AgentToolResult:
		if p.Failed || p.Denied {
			c.toolFailures.add("", 1)
		}
	case *loop.AgentLimit:
		c.limits.add(p.Limit.Kind, 1)
	case *loop.AgentRetry:
		c.retries.add("", 1)
	case *loop.GateFinished:
		if p.With != "" {
			break // it looked at another tree, where it may well fail
		}
		c.gates.add(p.Gate.Name, 1)
		if !p.Gate.OK {
			c.gateFailures.add(p.Gate.Name, 1)
		}
	case *loop.HookFinished:
		c.hooks.add(p.Point, 1)
	case *loop.ClaimHeard:
		c.claims.add(string(p.Kind), 1)
	case *loop.ClaimRefused:
		if p.NearMiss {
			c.nearMisses.add("", 1)
		} else {
			c.refused.add("", 1)
		}
	case *loop.CheckpointMade:
		c.checkpoints.add("", 1)
	case *loop.CheckpointRestored:
		c.restores.add("", 1)
	case *loop.CommandReceived:
		c.orders.add(p.Command, 1)
	case *loop.Warning:
		c.warnings.add("", 1)
	case *loop.IterationFinished:
		c.finish(p.Outcome, p.State.Totals.Iterations == e.Iter)
	}
}

// finish counts an attempt. Its number is only taken when it counted.
func (c *counters) finish(o loop.Outcome, counted bool) {
	c.attempts.add(string(o.Result), 1)
	if counted {
		c.iterations.add(string(o.Result), 1)
	}
	if counted && o.Result != loop.Skipped {
		c.durations.add(o.Duration.Duration().Seconds())
	}
	if u := o.Usage; u != nil {
		c.tokens.add("input", float64(u.Input))
		c.tokens.add("output", float64(u.Output))
		c.tokens.add("cache_read", float64(u.CacheRead))
		c.tokens.add("cache_write", float64(u.CacheWrite))
		if u.Estimated() {
			c.cost.add("true", u.CostUSD)
		} else {
			c.cost.add("false", u.CostUSD)
		}
	}
	if changes := o.Changes; changes != nil {
		c.files.add("", float64(changes.Created+changes.Modified+changes.Deleted))
		c.linesAdded.add("", float64(changes.LinesAdded))
		c.linesRemoved.add("", float64(changes.LinesRemoved))
		c.commits.add("", float64(changes.Commits))
	}
}

func (c *counters) families() []family {
	var list []family
	for _, one := range c.all {
		list = append(list, one.family())
	}
	return append(list, c.durations.family())
}
