package notify

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// message is one that says a little of everything.
var message = Message{
	Kind: Aborted, Title: "refrain: build-7 was aborted", Text: "3 failures in a row\nGrüße <!channel> @everyone", Urgent: true,
	Run: "build-7", RunID: "loop_1", Procedure: "build", State: loop.Aborted, Reason: loop.ByFailures, Why: "3 failures in a row",
	Iterations: 6, CostUSD: 1.25, CostEstimated: true, Elapsed: loop.Millis(90 * time.Second), Dir: "/src/app",
	At: time.Date(2026, 11, 15, 3, 4, 5, 0, time.UTC),
}

// every is the kinds, as a user lists them.
func every() []string {
	var list []string
	for _, k := range Kinds() {
		list = append(list, string(k))
	}
	return list
}

// notify is a channel made of a function.
type notify func(context.Context, Message) error

func (n notify) Notify(ctx context.Context, m Message) error { return n(ctx, m) }

// sender is one with the given channels instead of real ones.
func sender(t *testing.T, s Settings, channels ...notify) *Sender {
	t.Helper()
	made, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	warn := s.Warn
	if warn == nil {
		warn = func(w loop.Warning) { t.Errorf("warning: %+v", w) }
	}
	for _, c := range channels {
		made.lanes = append(made.lanes, &lane{name: "fake", to: c, warn: warn, work: &made.work})
	}
	return made
}

func event(p loop.Payload) loop.Event {
	return loop.Event{Time: time.Now().UTC(), Run: "loop_1", Payload: p}
}

func finished(state loop.Status, reason loop.Reason) loop.Event {
	return event(&loop.RunFinished{State: state, Reason: reason, Why: "it is so", Totals: loop.Totals{Iterations: 2}})
}

// overBudget is a warning that a budget is nearly used up.
func overBudget() loop.Event {
	return event(&loop.Warning{Key: loop.BudgetKey + "cost", Text: "80 % of the money is spent", Hint: "raise budget.cost_usd"})
}
