//go:build unix

package refrain_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/refrain-loop/refrain"
)

// live is a run that goes on beside the test.
type live struct {
	*refrain.Control
	t    *testing.T
	dir  string
	wait func() refrain.Result // for its end
}

func start(t *testing.T, o refrain.Options) live {
	t.Helper()
	o.Dir, o.Control = t.TempDir(), refrain.NewControl()
	var wg sync.WaitGroup
	var result refrain.Result
	var err error
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() { cancel(); wg.Wait() })
	wg.Go(func() { result, err = refrain.Run(ctx, o) })
	return live{o.Control, t, o.Dir, func() refrain.Result {
		wg.Wait()
		if err != nil {
			t.Fatal(err)
		}
		return result
	}}
}

// until follows the run until something has happened in it.
func (l live) until(what string, happened func(refrain.Event) bool) {
	l.t.Helper()
	for e, err := range l.Subscribe(l.t.Context(), 0) {
		if err != nil {
			l.t.Fatal(err)
		}
		if happened(e) {
			return
		}
	}
	l.t.Fatalf("the run is over without %s", what)
}

func (l live) untilAgentStarts(iter int) {
	l.t.Helper()
	l.until("the agent's start", func(e refrain.Event) bool { return e.Type() == "agent.started" && e.Iter == iter })
}

func (l live) untilAsked(command string) {
	l.t.Helper()
	l.until(command, func(e refrain.Event) bool {
		p, ok := e.Payload.(*refrain.CommandReceived)
		return ok && p.Command == command
	})
}

// patient is a command that keeps its prompt and ends when it is let go.
const patient = `n=$REFRAIN_ITERATION; cat > "prompt-$n"; while [ ! -e "go-$n" ]; do sleep 0.01; done`

func (l live) letGo(iter string) { write(l.t, filepath.Join(l.dir, "go-"+iter), "") }

// API-08: a program runs a loop, hears of it and steers it.
func TestPauseNoteAndResume(t *testing.T) {
	t.Parallel()
	l := start(t, refrain.Options{
		Command: script(patient), Prompt: "Work", MaxIterations: 2,
		Settings: map[string]string{"loop.exit_zero_is_done": "false"},
	})
	l.untilAgentStarts(1)

	held := make(chan error)
	go func() { held <- l.Pause(t.Context()) }()
	l.untilAsked("pause")
	l.letGo("1")
	if err := <-held; err != nil || l.State() != refrain.Paused {
		t.Fatalf("Pause = %v, and the run is %s", err, l.State())
	}
	var refused *refrain.RefusedError
	if err := l.Pause(t.Context()); !errors.As(err, &refused) || refused.State != refrain.Paused || refused.Why == "" {
		t.Errorf("a second Pause = %v, want it refused with the state and the reason", err)
	}
	if err := l.Skip(t.Context()); !errors.As(err, &refused) || refused.Command != "skip" {
		t.Errorf("Skip of a paused run = %v, want it refused", err)
	}
	if err := l.Note(t.Context(), "Mind the gap"); err != nil {
		t.Error(err)
	}
	if err := l.Resume(t.Context()); err != nil {
		t.Error(err)
	}
	l.untilAgentStarts(2)
	l.letGo("2")
	if r := l.wait(); r.State != refrain.Done || r.Totals.Iterations != 2 {
		t.Errorf("result = %+v, want two iterations", r)
	}
	told, err := os.ReadFile(filepath.Join(l.dir, "prompt-2"))
	if err != nil || !strings.Contains(string(told), "Mind the gap") {
		t.Errorf("the second prompt is %q, %v; want the note in it", told, err)
	}
}

// API-08: a program ends a loop, and its agent.
func TestSkipRaiseAndStop(t *testing.T) {
	t.Parallel()
	l := start(t, refrain.Options{Command: script(patient), Prompt: "Work", MaxIterations: 1})
	l.untilAgentStarts(1)
	if err := l.Raise(t.Context(), "loop.max_iterations", "5"); err != nil {
		t.Error(err)
	}
	var refused *refrain.RefusedError
	if err := l.Raise(t.Context(), "agent", "other"); !errors.As(err, &refused) {
		t.Errorf("Raise of no limit = %v, want it refused", err)
	}
	if err := l.Skip(t.Context()); err != nil {
		t.Error(err)
	}
	l.untilAgentStarts(2)
	stopped := make(chan error)
	go func() { stopped <- l.Stop(t.Context()) }()
	l.untilAsked("stop")
	l.letGo("2")
	r := l.wait()
	if err := <-stopped; err != nil {
		t.Errorf("Stop = %v", err)
	}
	if r.Totals.Skipped != 1 || r.Totals.OK != 1 {
		t.Errorf("totals = %+v, want one skipped and one ok", r.Totals)
	}
	if s := l.Stats(); s.Runs != 1 || s.Totals.Iterations != 2 {
		t.Errorf("stats = %+v", s)
	}
	if s := l.Snapshot(); s.Run != r.Run || s.Dir != r.Dir || s.State != r.State || s.Why != r.Why {
		t.Errorf("snapshot = %+v, want %+v", s, r)
	}
	if err := l.Pause(t.Context()); !errors.As(err, &refused) || refused.State != r.State {
		t.Errorf("Pause of a run that is over = %v, want it refused with its state", err)
	}
}

func TestRebootAndStopNow(t *testing.T) {
	t.Parallel()
	l := start(t, refrain.Options{Agent: "mine", Prompt: "Work", Settings: map[string]string{
		"agents.mine.command": `["sh", "-c", '` + patient + `; echo "{\"type\":\"agent.result\",\"ok\":true}"']`,
		"agents.mine.format":  "rehearsal", "agents.mine.resume_flag": "--resume", "session.mode": "keep",
	}})
	l.untilAgentStarts(1)
	rebooted := make(chan error)
	go func() { rebooted <- l.Reboot(t.Context()) }()
	l.untilAsked("reboot")
	l.letGo("1")
	if err := <-rebooted; err != nil {
		t.Errorf("Reboot = %v", err)
	}
	l.untilAgentStarts(2)
	if err := l.StopNow(t.Context()); err != nil {
		t.Errorf("StopNow = %v", err)
	}
	if r := l.wait(); r.State != refrain.Stopped || r.Reason != refrain.ByRequest || r.Totals.Iterations != 1 {
		t.Errorf("result = %+v, want stopped after one iteration", r)
	}
}

func TestRebootOfFreshSessionsIsRefused(t *testing.T) {
	t.Parallel()
	l := start(t, refrain.Options{Command: script(patient), Prompt: "Work"})
	l.untilAgentStarts(1)
	var refused *refrain.RefusedError
	if err := l.Reboot(t.Context()); !errors.As(err, &refused) {
		t.Errorf("Reboot = %v, want it refused", err)
	}
	l.letGo("1")
	l.wait()
}

func TestApprove(t *testing.T) {
	t.Parallel()
	l := start(t, refrain.Options{
		Command: script("true"), MaxIterations: 9,
		Settings: map[string]string{"loop.attended": "true", "loop.exit_zero_is_done": "false"},
	})
	asked := 0
	for e, err := range l.Subscribe(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		question, ok := e.Payload.(*refrain.RunAsked)
		if !ok {
			continue
		}
		var refused *refrain.RefusedError
		if err := l.Approve(t.Context(), "perhaps"); !errors.As(err, &refused) {
			t.Errorf("Approve with no answer to %q = %v, want it refused", question.Question, err)
		}
		answer := ""
		if asked++; asked == 3 {
			answer = "stop"
		}
		if err := l.Approve(t.Context(), answer); err != nil {
			t.Errorf("Approve(%q) = %v", answer, err)
		}
	}
	if r := l.wait(); r.State != refrain.Stopped || r.Totals.Iterations != 2 {
		t.Errorf("result = %+v, want it stopped after two iterations", r)
	}
}

// API-08: a program hears of all that has happened.
func TestSubscribeReplaysThePast(t *testing.T) {
	t.Parallel()
	dir, control := t.TempDir(), refrain.NewControl()
	first := run(t, refrain.Options{Dir: dir, Command: script("echo one"), Until: "DONE", MaxIterations: 1})
	_, err := refrain.Resume(t.Context(), refrain.ResumeOptions{Dir: dir, Run: first.Run, MaxIterations: 2, Control: control})
	if err != nil {
		t.Fatal(err)
	}
	follow := func(after int64) (list []refrain.Event) {
		for e, err := range control.Subscribe(t.Context(), after) {
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, e)
		}
		return list
	}
	all := follow(0)
	for i, e := range all {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has the number %d", i+1, e.Seq)
		}
	}
	if all[0].Type() != "run.started" || all[len(all)-1].Type() != "run.finished" {
		t.Errorf("the events go from %s to %s, want from the start to the end", all[0].Type(), all[len(all)-1].Type())
	}
	if rest := follow(5); len(rest) != len(all)-5 || rest[0].Seq != 6 {
		t.Errorf("after 5 there are %d events of %d", len(rest), len(all))
	}
	if rest := follow(int64(len(all))); len(rest) != 0 {
		t.Errorf("after the last there are %d", len(rest))
	}
}

func TestSubscribeEnds(t *testing.T) {
	t.Parallel()
	control := refrain.NewControl()
	why := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	for _, err := range control.Subscribe(ctx, 0) {
		if !errors.Is(err, why) {
			t.Errorf("error = %v, want the cause of the context", err)
		}
	}
	if control.State() != "" {
		t.Errorf("state = %s before there is a run", control.State())
	}
	if _, err := refrain.Run(t.Context(), refrain.Options{Dir: filepath.Join(t.TempDir(), "gone"), Control: control}); err == nil {
		t.Fatal("a run begins in a folder that is not there")
	}
	for range control.Subscribe(t.Context(), 0) { // it never began, and never will
		t.Error("there is an event of a run that never began")
	}
	var refused *refrain.RefusedError
	if err := control.Pause(t.Context()); !errors.As(err, &refused) {
		t.Errorf("Pause of a run that never began = %v, want it refused", err)
	}
}
