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

// A next runner that took a glance for a look would judge a claim on files that nobody
// has looked at, whatever its own settings are.
func TestAGlanceIsKnownToTheNextRunner(t *testing.T) {
	made := func(id string, glance bool) loop.Event {
		return loop.Event{Payload: &loop.CheckpointMade{Checkpoint: id, Glance: glance}}
	}
	started := loop.Event{Payload: &loop.IterationStarted{}}
	for _, tt := range []struct {
		name string
		tail []loop.Event
		want bool
	}{
		{"it was glanced at", []loop.Event{started, made("a", true)}, true},
		{"it was looked at", []loop.Event{started, made("a", false)}, false},
		{"it was looked at afterwards, and nothing else was found", []loop.Event{started, made("a", true), made("a", false)}, false},
		{"the attempt before was", []loop.Event{started, made("a", true), started}, false},
	} {
		if got := loop.LeftOpenOf(tt.tail).Glanced; got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}
