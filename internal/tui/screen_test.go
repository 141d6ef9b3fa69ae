package tui

import (
	"bytes"
	"context"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/exp/teatest/v2"

	"github.com/refrain-loop/refrain/internal/loop"
)

// keyboard gives what is typed on it.
type keyboard struct{ typed chan string }

func newKeyboard(t *testing.T) *keyboard {
	k := &keyboard{make(chan string, 10)}
	t.Cleanup(func() { close(k.typed) })
	return k
}

func (k *keyboard) Read(p []byte) (int, error) {
	text, ok := <-k.typed
	if !ok {
		return 0, io.EOF
	}
	return copy(p, text), nil
}

// terminal keeps what is written to it, and tells when a text has come.
type terminal struct {
	mu     sync.Mutex
	all    strings.Builder
	wanted string
	come   chan struct{}
	stuck  chan struct{} // closed: it takes what is written
}

func newTerminal() *terminal {
	t := &terminal{stuck: make(chan struct{})}
	close(t.stuck)
	return t
}

func (t *terminal) Write(p []byte) (int, error) {
	<-t.stuck
	t.mu.Lock()
	defer t.mu.Unlock()
	t.all.Write(p)
	t.check()
	return len(p), nil
}

func (t *terminal) check() {
	if t.come != nil && strings.Contains(t.all.String(), t.wanted) {
		close(t.come)
		t.come = nil
	}
}

// wait returns when a text has been written.
func (t *terminal) wait(text string) {
	t.mu.Lock()
	come := make(chan struct{})
	t.wanted, t.come = text, come
	t.check()
	t.mu.Unlock()
	<-come
}

func (t *terminal) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.all.String()
}

func aScreen(t *testing.T, w *world) (Options, *keyboard, *terminal) {
	o, k, out := w.options(), newKeyboard(t), newTerminal()
	o.In, o.Out = k, out
	return o, k, out
}

var size = tea.WithWindowSize(80, 24)

func TestWatchShowsARunUntilItsReaderLeaves(t *testing.T) {
	w := &world{story: begin().worked(2).working()}
	o, k, out := aScreen(t, w)
	events := func(ctx context.Context) iter.Seq2[loop.Event, error] {
		return func(yield func(loop.Event, error) bool) {
			for _, e := range w.story.events {
				if !yield(e, nil) {
					return
				}
			}
			<-ctx.Done() // it is live: more may come
		}
	}
	done := make(chan error)
	go func() { done <- watch(context.Background(), events, o, size) }()
	out.wait("second")
	k.typed <- "q"
	if err := <-done; err != nil {
		t.Errorf("watch: %v", err)
	}
}

func TestWatchEndsWithItsContext(t *testing.T) {
	w := &world{story: begin().working()}
	o, _, out := aScreen(t, w)
	ctx, cancel := context.WithCancel(context.Background())
	events := func(ctx context.Context) iter.Seq2[loop.Event, error] {
		return func(yield func(loop.Event, error) bool) {
			yield(w.story.events[0], nil)
			<-ctx.Done()
		}
	}
	done := make(chan error)
	go func() { done <- watch(ctx, events, o, size) }()
	out.wait("build-7")
	cancel()
	if err := <-done; err != nil {
		t.Errorf("watch: %v", err)
	}
}

func TestWatchTellsWhyNoMoreComes(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{{nil, "crashed"}, {errTest, "checkpoint"}} {
		w := &world{story: begin().working()}
		o, k, out := aScreen(t, w)
		events := func(context.Context) iter.Seq2[loop.Event, error] {
			return func(yield func(loop.Event, error) bool) {
				for _, e := range w.story.events {
					yield(e, nil)
				}
				if tt.err != nil {
					yield(loop.Event{}, tt.err)
				}
			}
		}
		done := make(chan error)
		go func() { done <- watch(context.Background(), events, o, size) }()
		out.wait(tt.want)
		k.typed <- "q"
		if err := <-done; err != nil {
			t.Errorf("watch: %v", err)
		}
	}
}

func TestAScreenWaitsForTheReaderOfARunThatHasEnded(t *testing.T) {
	w := &world{story: begin().worked(0).done()}
	o, k, out := aScreen(t, w)
	events := func(context.Context) iter.Seq2[loop.Event, error] {
		return func(yield func(loop.Event, error) bool) {
			for _, e := range w.story.events {
				yield(e, nil)
			}
		}
	}
	done := make(chan error, 1)
	go func() { done <- watch(context.Background(), events, o, size) }()
	out.wait("proven")
	select {
	case <-done:
		t.Error("the screen went before its reader did")
	default:
	}
	k.typed <- "q"
	if err := <-done; err != nil {
		t.Errorf("watch: %v", err)
	}
}

func TestARunIsNotHeldUpByItsTerminal(t *testing.T) {
	w := &world{story: begin().working()}
	o, k, out := aScreen(t, w)
	out.stuck = make(chan struct{})
	s := open(context.Background(), o, size)
	for range 100 { // more than any buffer on the way has room for
		for _, e := range w.story.events {
			s.observe(e)
		}
	}
	s.observe(loop.Event{Seq: 99, Payload: &loop.RunFinished{State: loop.Done}})
	close(out.stuck)
	k.typed <- "q"
	s.wait()
}

// A whole program, as a person uses it.
func TestAVisit(t *testing.T) {
	w := &world{story: begin().worked(3).worked(1).working(), diff: "+something new\n"}
	m := w.shown(w.story, 80, 24)
	tm := teatest.NewTestModel(t, m, teatest.WithInitialTermSize(80, 24))
	sees := func(text string) {
		t.Helper()
		teatest.WaitFor(t, tm.Output(), func(b []byte) bool { return bytes.Contains(b, []byte(text)) }, teatest.WithDuration(10*time.Second), teatest.WithCheckInterval(time.Millisecond))
	}
	sees("following")
	tm.Send(keyPress("d"))
	sees("something new")
	tm.Send(keyPress("t"))
	tm.Type("look at Zoë")
	tm.Send(keyPress("enter"))
	sees("wish")
	tm.Send(tea.WindowSizeMsg{Width: 45, Height: 12})
	tm.Send(keyPress("4"))
	sees("Failing")
	tm.Send(keyPress("q"))
	tm.WaitFinished(t, teatest.WithFinalTimeout(10*time.Second))
	if len(w.sent) != 1 || w.sent[0].Text != "look at Zoë" {
		t.Errorf("sent %v", w.sent)
	}
}

// Who lends the terminal is told before another program has it, and afterwards.
func TestTheTerminalIsLent(t *testing.T) {
	mark := filepath.Join(t.TempDir(), "mark")
	w := &world{story: begin().worked(1).tell(&loop.RunAsked{Question: "run iteration 2?", Choices: []string{"continue"}, Prompt: "prompt.md"})}
	o, k, out := aScreen(t, w)
	o.Edit = func(string) (*exec.Cmd, error) {
		editor := exec.Command("mkdir", mark)
		editor.Stdin = strings.NewReader("") // the keyboard is no file, and would be waited for
		return editor, nil
	}
	there := func() bool { _, err := os.Stat(mark); return err == nil }
	var lent bool // after the editor had been there
	back := make(chan bool)
	o.Lend = func() func() {
		lent = there()
		return func() { back <- there() }
	}
	ctx, leave := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- watch(ctx, w.live, o, size) }()
	out.wait("iteration")
	k.typed <- "e"
	if came := <-back; lent || !came {
		t.Errorf("lent after the editor: %v, back after it: %v", lent, came)
	}
	leave()
	if err := <-done; err != nil {
		t.Errorf("watch: %v", err)
	}
}

// live tells of a run that goes on.
func (w *world) live(ctx context.Context) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		for _, e := range w.story.events {
			if !yield(e, nil) {
				return
			}
		}
		<-ctx.Done()
	}
}
