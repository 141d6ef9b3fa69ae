package detect

import (
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func exited(code int) *loop.AgentExited {
	return &loop.AgentExited{Exit: loop.Exit{Code: &code, Cause: loop.Exited}}
}

func ended(cause loop.Cause) *loop.AgentExited {
	return &loop.AgentExited{Exit: loop.Exit{Signal: "TERM", Cause: cause}}
}

func result(kind loop.ErrorKind) *loop.AgentResult {
	if kind == "" {
		return &loop.AgentResult{OK: true}
	}
	return &loop.AgentResult{Error: &loop.AgentError{Kind: kind, Message: "m"}}
}

func retry(kind loop.ErrorKind) *loop.AgentRetry {
	return &loop.AgentRetry{Error: &loop.AgentError{Kind: kind, Message: "m"}}
}

func TestHowAnAttemptEnded(t *testing.T) {
	tests := []struct {
		name   string
		events []loop.Payload
		want   loop.Result
		kind   loop.ErrorKind
		says   string
	}{
		{"exit 0 and a good result", []loop.Payload{result(""), exited(0)}, loop.OK, "", ""},
		{"exit 0 and no result", []loop.Payload{exited(0)}, loop.Failed, loop.ErrAgent, "no final result"},
		{"exit 0 and a result that failed", []loop.Payload{&loop.AgentResult{}, exited(0)}, loop.Failed, loop.ErrAgent, "the agent says that it failed"},
		{"exit 0 and an error", []loop.Payload{result(loop.ErrAuth), exited(0)}, loop.Failed, loop.ErrAuth, "m"},
		{"exit 3 and a good result", []loop.Payload{result(""), exited(3)}, loop.Failed, loop.ErrAgent, "exit 3"},
		{"exit 3 and no result", []loop.Payload{exited(3)}, loop.Failed, loop.ErrAgent, "exit 3"},
		{"a signal from outside", []loop.Payload{ended(loop.Signaled)}, loop.Failed, loop.ErrAgent, "ended by signal TERM"},
		{"nothing at all", nil, loop.Failed, loop.ErrAgent, "no final result"},
		{"a missing program", []loop.Payload{result(loop.ErrMissing)}, loop.Failed, loop.ErrMissing, "m"},
		{"a usage limit", []loop.Payload{result(loop.ErrUsageLimit), exited(1)}, loop.Limited, loop.ErrUsageLimit, "m"},
		{"an overloaded provider", []loop.Payload{result(loop.ErrOverloaded), exited(1)}, loop.Unavailable, loop.ErrOverloaded, "m"},
		{"a turn limit counts as ok", []loop.Payload{result(loop.ErrMaxTurns), exited(1)}, loop.OK, loop.ErrMaxTurns, "m"},
		{"the deadline", []loop.Payload{result(""), ended(loop.AtDeadline)}, loop.TimedOut, "", ""},
		{"silence", []loop.Payload{result(loop.ErrAgent), ended(loop.WhenIdle)}, loop.Idle, "", ""},
		{"a person's wish", []loop.Payload{ended(loop.OnRequest)}, loop.Interrupted, "", ""},
		{"the budget", []loop.Payload{ended(loop.OnBudget)}, loop.Interrupted, "", ""},
		{"the run's time", []loop.Payload{ended(loop.OnMaxTime)}, loop.Interrupted, "", ""},
		{"a skip", []loop.Payload{ended(loop.OnSkip)}, loop.Skipped, "", ""},
		{"tries again, for a limit", []loop.Payload{retry(loop.ErrRateLimit), ended(loop.OnRetry)}, loop.Limited, loop.ErrRateLimit, "it kept trying again (limits.patience): m"},
		{"tries again, with no money left", []loop.Payload{retry(loop.ErrBilling), ended(loop.OnRetry)}, loop.Failed, loop.ErrBilling, "it kept trying again (limits.patience): m"},
		{"tries again, for a reason that nobody knows", []loop.Payload{retry(loop.ErrAgent), result(loop.ErrAgent), ended(loop.OnRetry)}, loop.Unavailable, loop.ErrServer, "it kept trying again (limits.patience): m"},
		{"tries again, for none", []loop.Payload{&loop.AgentRetry{}, ended(loop.OnRetry)}, loop.Unavailable, loop.ErrServer, "it kept trying again (limits.patience)"},
		{"tried again and got through", []loop.Payload{retry(loop.ErrRateLimit), result(""), exited(0)}, loop.OK, "", ""},
		{"the redline", []loop.Payload{result(loop.ErrAgent), ended(loop.OnRedline)}, loop.OK, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var o loop.Outcome
			observe(Ending(), &o, tt.events...)
			var got loop.AgentError
			if o.Error != nil {
				got = *o.Error
			}
			if o.Result != tt.want || got.Kind != tt.kind || got.Message != tt.says {
				t.Errorf("result %s, error %+v; want %s, %s %q", o.Result, got, tt.want, tt.kind, tt.says)
			}
		})
	}
}

func TestEndingKeepsTheLastFigures(t *testing.T) {
	var o loop.Outcome
	observe(Ending(), &o,
		&loop.AgentSession{Session: "s-1", Model: "m-1"}, &loop.AgentSession{Model: "m-2"},
		&loop.AgentUsage{Usage: loop.Usage{Input: 10}}, &loop.AgentUsage{Usage: loop.Usage{Input: 25}},
		&loop.AgentLimit{Limit: loop.Limit{Kind: "five_hour"}}, result(loop.ErrUsageLimit), exited(1))
	if o.Session != "s-1" || o.Model != "m-2" {
		t.Errorf("session %q, model %q, want s-1 and m-2", o.Session, o.Model)
	}
	if o.Usage.Tokens() != 25 {
		t.Errorf("usage = %+v, want the last one", o.Usage)
	}
	if o.Limit == nil || o.Limit.Kind != "five_hour" || o.Exit == nil || *o.Exit.Code != 1 {
		t.Errorf("limit %+v, exit %+v", o.Limit, o.Exit)
	}
}

func TestWhatIsNotKnownStaysOut(t *testing.T) {
	var o loop.Outcome
	observe(Ending(), &o, result(""), exited(0))
	if o.Usage != nil || o.Limit != nil || o.Session != "" || o.Model != "" {
		t.Errorf("outcome = %+v, want nothing made up", o)
	}
}

// The last line on stderr explains a failure that says no more than its status;
// then somebody has told what went wrong.
func TestLastWordsTellWhatWentWrong(t *testing.T) {
	code := 1
	for _, tt := range []struct {
		name   string
		lines  []string
		want   string
		byExit bool
	}{
		{"nothing on stderr", nil, "exit 1", true},
		{"blank lines", []string{"", "  "}, "exit 1", true},
		{"a word", []string{"hello", "no model", ""}, "exit 1: no model", false},
		{"a notice", []string{"no model", "Ripgrep not available."}, "exit 1: no model", false},
		{"only a notice", []string{"Ripgrep not available."}, "exit 1", true},
		{"an error, and more words", []string{"TypeError: no model", "    at run (x.js:1)", "  }", "bye", "Node.js v22.1"}, "exit 1: TypeError: no model", false},
		{"an error of a log", []string{"2026-11-15T01:56:49.124647Z ERROR codex_core: no", "bye"}, "exit 1: 2026-11-15T01:56:49.124647Z ERROR codex_core: no", false},
	} {
		ending, last := Ending(), LastWords(func(line string) bool { return strings.HasPrefix(line, "Ripgrep") })
		for _, line := range tt.lines {
			last.(*lastWords).Complain([]byte(line))
		}
		ending.Hear(&loop.AgentExited{Exit: loop.Exit{Code: &code, Cause: loop.Exited}})
		var o loop.Outcome
		ending.Report(&o)
		last.Report(&o)
		if o.Error == nil || o.Error.Message != tt.want || o.Error.ByExit != tt.byExit {
			t.Errorf("%s: %+v, want %q, by its exit: %v", tt.name, o.Error, tt.want, tt.byExit)
		}
	}
}

// A limit that the agent got over held nobody up.
func TestALimitThatIsOver(t *testing.T) {
	limit := &loop.AgentLimit{Limit: loop.Limit{Kind: "five_hour"}}
	said := &loop.AgentText{Text: "a"}
	for _, tt := range []struct {
		events []loop.Payload
		kept   bool
	}{
		{[]loop.Payload{limit, result("")}, false},
		{[]loop.Payload{limit, result(loop.ErrUsageLimit)}, true},
		{[]loop.Payload{limit, result(loop.ErrServer)}, true},
		{[]loop.Payload{limit, said, result(loop.ErrServer)}, false},
		{[]loop.Payload{limit, said, limit, result(loop.ErrAgent)}, true},
		{[]loop.Payload{limit, said, result(loop.ErrUsageLimit)}, true},
	} {
		var o loop.Outcome
		d := Ending()
		for _, p := range append(tt.events, exited(0)) {
			d.Hear(p)
		}
		d.Report(&o)
		if kept := o.Limit != nil; kept != tt.kept {
			t.Errorf("after %+v the limit is %+v", tt.events, o.Limit)
		}
	}
}
