//go:build unix

package journal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/seal"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestAPipeInTheFolderOfARunIsNotWaitedFor(t *testing.T) {
	s := newStore(t)
	r := create(t, s)
	startOf(r)
	r.Append(at(1, 1, 1, &loop.AgentText{Text: "hello"}))
	a := r.Attempt(1, 1)
	a.WriteFeedback([]string{"x"})
	r.Close()
	for _, file := range []string{feedbackName, changesName, stdoutName, stderrName, eventsName} {
		story.Pipe(t, filepath.Join(a.Dir(), file))
	}
	if got := a.ReadFeedback(); got != nil {
		t.Errorf("ReadFeedback = %q", got)
	}
	var other *files.NotRegularError
	_, changes := ReadChanges(a.Dir())
	_, stdout := a.OpenStdout()
	_, stderr := a.OpenStderr()
	_, said := story.Collect(AttemptEvents(a.Dir()))
	for act, err := range map[string]error{"ReadChanges": changes, "OpenStdout": stdout, "OpenStderr": stderr, "AttemptEvents": said} {
		if !errors.As(err, &other) {
			t.Errorf("%s = %v, want a NotRegularError", act, err)
		}
	}
	for _, file := range []string{journalName, metaName} {
		story.Pipe(t, filepath.Join(r.Dir(), file))
		_, loaded := s.Load("build-1")
		_, _, resumed := s.Resume("build-1")
		_, read := story.Collect(s.Events("build-1", 0))
		for act, err := range map[string]error{"Load": loaded, "Resume": resumed, "Events": read} {
			if !errors.As(err, &other) {
				t.Errorf("%s with a pipe as %s = %v, want a NotRegularError", act, file, err)
			}
		}
	}
}

// Nor do those who write wait for who reads a pipe: there is nobody.
func TestAPipeInTheFolderOfAnAttemptIsNotWrittenTo(t *testing.T) {
	r := create(t, newStore(t))
	startOf(r)
	a := r.Attempt(1, 1)
	gates := filepath.Join(a.Dir(), gatesName)
	if err := os.Mkdir(gates, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{a.PromptPath(), filepath.Join(a.Dir(), changesName), filepath.Join(a.Dir(), stdoutName), filepath.Join(gates, "test.log")} {
		story.Pipe(t, path)
	}
	a.WritePrompt("go on")
	a.WriteChanges(AttemptChanges{Base: "x"})
	a.Stdout().Write([]byte("hello\n"))
	gate, _ := a.GateFile("test", loop.InWorkspace, ".log")
	gate.Write([]byte("ok\n"))
	gate.Close()
	if got := readFile(t, a.PromptPath()); got != "go on" {
		t.Errorf("the prompt is %q", got)
	}
	if made, err := ReadChanges(a.Dir()); err != nil || made.Base != "x" {
		t.Errorf("ReadChanges = %+v, %v", made, err)
	}
	if got := len(r.Trouble()); got != 2 {
		t.Errorf("Trouble = %q, want one for stdout and one for the gate's log", r.Trouble())
	}
}

// A file that takes another's place is made under a name that nobody can know.
func TestAPipeBesideAFileIsNotWaitedFor(t *testing.T) {
	s := sealedStore(t)
	r := create(t, s)
	startOf(r)
	for _, name := range []string{stateName, metaName, journalName, seal.HeadName} {
		story.Pipe(t, filepath.Join(r.Dir(), name+".tmp"))
	}
	r.WriteState([]byte("{}\n"))
	if err := r.Restate([]byte("{}"), []byte("{}")); err != nil {
		t.Error(err)
	}
	os.Remove(filepath.Join(r.Dir(), journalName))
	story.Pipe(t, filepath.Join(r.Dir(), seal.HeadName))
	r.Append(at(1, 1, 1, &loop.IterationStarted{}))
	if got := r.Trouble(); len(got) > 0 {
		t.Errorf("it could not save: %q", got)
	}
	if e, err := s.Load("build-1"); err != nil || e.Tampered != "" {
		t.Errorf("Load found %q, %v", e.Tampered, err)
	}
}

func TestAPipeInThePlaceOfTheLockIsNotWaitedFor(t *testing.T) {
	s := newStore(t)
	l, err := s.Lock(Holder{PID: os.Getpid()})
	if err != nil {
		t.Fatal(err)
	}
	story.Pipe(t, lockPath(s))
	var other *files.NotRegularError
	if err := l.Unlock(); !errors.As(err, &other) {
		t.Errorf("Unlock = %v, want a NotRegularError", err)
	}
	if h, held := s.Holder(); held {
		t.Errorf("Holder = %+v, and nobody can hold a pipe", h)
	}
	if _, err := s.Lock(Holder{PID: os.Getpid()}); !errors.As(err, &other) {
		t.Errorf("Lock = %v, want a NotRegularError", err)
	}
}

func TestAPipeInThePlaceOfGitIsNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	story.Pipe(t, filepath.Join(dir, ".git"))
	var other *files.NotRegularError
	if _, err := Open(dir); !errors.As(err, &other) {
		t.Errorf("Open = %v, want a NotRegularError", err)
	}
}
