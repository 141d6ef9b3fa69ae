package config

import (
	"slices"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/stop"
)

// rows is every setting that is not in a table of the user's naming, in the
// order in which people are shown them: what parts say of theirs, and the rest. A
// new setting is one field and one row.
func rows(c *Config) []setting.Row {
	return inOrder(slices.Concat(workRows(c), aroundRows(c), notifyRows(&c.Notify), fleetRows(&c.Fleet), stop.Rows(&c.Stop)))
}

// order is the keys as people are shown them. One that is not here comes at the
// end of its group, so that a part can declare a row without a line here.
var order = strings.Fields(`
agent model prompt profile
claims.tell claims.from
loop.max_iterations loop.iteration_delay loop.backoff loop.max_backoff loop.iteration_timeout
loop.idle_timeout loop.max_time loop.exit_zero_is_done loop.iteration_context loop.freeze_prompt
loop.prompt_as loop.on_interrupt loop.output loop.dir loop.progress loop.gates loop.skips_count loop.inhibit loop.attended
ask.done ask.at ask.on_failure ask.timeout ask.default
done.promise done.match done.any_exit done.failure_promise done.plan done.written done.gates done.proof
done.require done.tests done.confirmations
proof.baseline proof.setup proof.copy
stop.failures stop.red_gates stop.test_failures stop.no_progress stop.cost_without_progress
stop.repeats stop.gates_are_failures stop.limit_first stop.patterns stop.scripts
budget.cost_usd budget.tokens budget.prompt_tokens
limits.wait limits.max_wait limits.fallback
session.mode session.max_time session.max_iterations session.min_iterations session.handoff_tokens
context.redline context.warn context.on_redline
commands.build commands.lint commands.test commands.as_gates
hooks.enabled hooks.timeout hooks.run.started hooks.run.next_iteration hooks.run.post_iteration
hooks.run.failed hooks.run.finished
git.checkpoint git.commit git.commit_template git.branch git.branch_template git.on_regression
git.protect
feedback.enabled feedback.max_tokens feedback.summaries
permissions.mode
trust.folders
proc.keep
progress.ignore progress.only
retention.transcripts retention.redact
sandbox.mode sandbox.allow sandbox.hide sandbox.env sandbox.network sandbox.hosts
sandbox.image sandbox.options
fleet.address fleet.namespace fleet.tls fleet.tls_cert fleet.tls_key fleet.tls_ca fleet.tls_server_name
fleet.queue fleet.remote fleet.base fleet.branch fleet.lease fleet.patience fleet.leg_iterations
fleet.leg_time fleet.sticky fleet.priority
fleet.worker.queue fleet.worker.name fleet.worker.slots fleet.worker.root fleet.worker.trust
fleet.worker.only fleet.worker.grace
notify.on notify.desktop notify.bell notify.waiting_after notify.every notify.per_hour notify.quiet
notify.log notify.command notify.webhook.url notify.webhook.template notify.webhook.secret
notify.webhook.headers notify.slack.url notify.discord.url notify.ntfy.url notify.ntfy.token
notify.email.to notify.email.from notify.email.server notify.email.user notify.email.password
trace.endpoint trace.headers
metrics.file metrics.listen
log.level log.file log.format
`)

// inOrder puts rows into the order in which people are shown them.
func inOrder(rows []setting.Row) []setting.Row {
	at, last := map[string]int{}, map[string]int{}
	for i, key := range order {
		at[key] = i
		last[group(key)] = i
	}
	place := func(r setting.Row) int {
		if i, ok := at[r.Key]; ok {
			return 2 * i
		}
		return 2*last[group(r.Key)] + 1
	}
	slices.SortStableFunc(rows, func(a, b setting.Row) int { return place(a) - place(b) })
	return rows
}

// group is the first part of a key.
func group(key string) string {
	first, _, _ := strings.Cut(key, ".")
	return first
}

// The rows as they are when nothing is loaded, for lookup and for documents.
// They are made when they are first needed.
var (
	settings       = sync.OnceValue(func() []setting.Row { return rows(new(Config)) })
	agentSettings  = sync.OnceValue(func() []setting.Row { return agent.Rows(new(agent.Table)) })
	priceSettings  = sync.OnceValue(func() []setting.Row { return priceRows(new(Price)) })
	promptSettings = sync.OnceValue(func() []setting.Row { return procedureRows(new(ProcedureTable)) })
)

// Rows is every setting, for who writes about them.
func Rows() []setting.Row { return settings() }

// Keys is the keys of the settings that fit, in the order in which people are
// shown them.
func Keys(fits func(key string) bool) []string {
	var keys []string
	for _, r := range settings() {
		if fits(r.Key) {
			keys = append(keys, r.Key)
		}
	}
	return keys
}

// onlyAtTop tells whether a key cannot stand in a procedure's table.
func onlyAtTop(key string) bool {
	return key == "profile" || beginsWith(key, "log.", "trust.", "fleet.")
}

// onlyByUser tells whether a key is for the user's own settings, and not for what
// a project says of itself.
func onlyByUser(key string) bool { return strings.HasPrefix(key, "trust.") || ofFleetServer(key) }
