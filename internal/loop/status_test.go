package loop

import "testing"

func TestWhatARunIsDoing(t *testing.T) {
	for _, tt := range []struct {
		name   string
		events []Payload
		want   Status
	}{
		{"nothing yet", nil, ""},
		{"begun", []Payload{&RunStarted{}}, Running},
		{"an agent at work", []Payload{&RunStarted{}, &IterationStarted{}, &AgentStarted{}, &AgentText{}}, Running},
		{"a wait", []Payload{&RunStarted{}, &RunWaiting{}}, Waiting},
		{"a warning in a wait", []Payload{&RunWaiting{}, &Warning{}}, Waiting},
		{"after a wait", []Payload{&RunWaiting{}, &IterationStarted{}}, Running},
		{"a question", []Payload{&IterationFinished{}, &RunAsked{}}, Waiting},
		{"and its answer", []Payload{&RunAsked{}, &RunAnswered{}}, Running},
		{"a pause", []Payload{&IterationFinished{}, &RunPaused{}}, Paused},
		{"a note in a pause", []Payload{&RunPaused{}, &NoteAdded{}}, Paused},
		{"a pause in a wait, and its end", []Payload{&RunWaiting{}, &RunPaused{}, &RunUnpaused{}}, Running},
		{"a reboot", []Payload{&RunRebootStarted{}}, Rebooting},
		{"after it", []Payload{&RunRebootStarted{}, &RunRebootFinished{}}, Running},
		{"a reboot in a wait", []Payload{&RunWaiting{}, &RunRebootStarted{}, &RunRebootFinished{}}, Waiting},
		{"a reboot in a pause", []Payload{&RunPaused{}, &RunRebootStarted{}, &RunRebootFinished{}}, Paused},
		{"a reboot at a question", []Payload{&RunAsked{}, &RunRebootStarted{}, &RunRebootFinished{}}, Waiting},
		{"a reboot after an answer", []Payload{&RunAsked{}, &RunAnswered{}, &RunRebootStarted{}}, Rebooting},
		{"an attempt has ended", []Payload{&IterationFinished{}}, Running},
		{"the end", []Payload{&IterationFinished{}, &RunFinished{State: Aborted}}, Aborted},
		{"a rollback after the end", []Payload{&RunFinished{State: Done}, &CheckpointRestored{}}, Done},
		{"parked", []Payload{&RunWaiting{}, &RunParked{}}, Parked},
		{"resumed after that", []Payload{&RunParked{}, &RunResumed{}}, Running},
		{"resumed", []Payload{&RunFinished{State: Stopped}, &RunResumed{}}, Running},
	} {
		var got Status
		for _, p := range tt.events {
			got = got.After(p)
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
	for s, over := range map[Status]bool{
		Running: false, Waiting: false, Paused: false, Rebooting: false,
		Done: true, Exhausted: true, Aborted: true, Stopped: true, CouldNotRun: true, Parked: true, Crashed: true,
	} {
		if s.Ended() != over {
			t.Errorf("%s has ended: %v, want %v", s, s.Ended(), over)
		}
	}
}
