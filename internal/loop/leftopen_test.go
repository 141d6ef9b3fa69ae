package loop_test

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestTheTreeBeforeAnAttemptThatWasNotFinished(t *testing.T) {
	event := func(p loop.Payload) loop.Event { return loop.Event{Payload: p} }
	made := func(id string, base bool) loop.Event { return event(&loop.CheckpointMade{Checkpoint: id, Base: base}) }
	started := event(&loop.IterationStarted{})
	for _, tt := range []struct {
		name string
		tail []loop.Event
		want string
	}{
		{"the agent was at work", []loop.Event{started, made("a", true), event(&loop.IterationPhase{Phase: loop.Executing, Base: "a"})}, "a"},
		{"without git it is a print", []loop.Event{started, event(&loop.IterationPhase{Phase: loop.Executing, Base: "files:1"})}, "files:1"},
		{"the journal has lost that the agent was at work", []loop.Event{started, made("a", true)}, "a"},
		{"the one after the agent is another", []loop.Event{started, made("a", true), made("b", false)}, "a"},
		{"the first of the run is not that of an attempt", []loop.Event{made("a", true), started}, ""},
		{"another attempt has begun", []loop.Event{started, made("a", true), started}, ""},
	} {
		if got := loop.LeftOpenOf(tt.tail).Base; got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}
