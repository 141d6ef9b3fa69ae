package tui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os/exec"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// Options is what a screen needs of the world. Card, Diff and Past are
// always needed.
type Options struct {
	In  io.Reader // nil: stdin, or the terminal itself when stdin is none
	Out io.Writer

	Color   bool
	Unicode bool // the terminal shows more than ASCII

	// Card sums up a run that is over, for a width.
	Card func(run *view.Run, width int) string
	// Do has a command carried out; nil: the run takes none.
	Do func(context.Context, control.Command) (control.Answer, error)
	// Away is where the run is, if it is not on this machine; nil: it is.
	Away func() *view.Away
	// Diff is what an iteration did to the files, as a unified diff.
	Diff func(ctx context.Context, run string, iteration int) (string, error)
	// Live is what has changed in the files since a checkpoint; nil: nobody knows.
	Live func(ctx context.Context, run, checkpoint string) (string, error)
	// Past reads the events of the run again, after a number.
	Past func(run string, after int64) iter.Seq2[loop.Event, error]
	// Prompt is what an attempt was told; nil: nobody knows.
	Prompt func(ctx context.Context, run string, iteration, attempt int) (string, error)
	// Gates is what the gates of an attempt printed; nil: nobody knows.
	Gates func(ctx context.Context, run string, iteration, attempt int) ([]GateOutput, error)
	// Tasks are those of the run's plan, as it stands; nil: it has none.
	Tasks func(ctx context.Context, run string) ([]Task, error)
	// Runs lists what is alive; nil: nobody knows.
	Runs func(ctx context.Context) ([]LiveRun, error)
	// Switch is told which run is to be shown when the screen has closed; the zero
	// one without a name is the same again. nil: this screen belongs to its run.
	Switch func(LiveRun)
	// Resume goes on with a run that is over, with settings changed as KEY=VALUE, in
	// place of the screen; nil: it cannot.
	Resume func(run string, changed ...string) (*exec.Cmd, error)
	// Review goes through what a run has changed, in place of the screen; nil: it cannot.
	Review func(run string) (*exec.Cmd, error)
	// RollBack puts the files back as they were after an iteration, and says what it
	// did; nil: it cannot.
	RollBack func(ctx context.Context, run string, iteration int) (string, error)
	// Edit opens a file in an editor; nil: there is none.
	Edit func(file string) (*exec.Cmd, error)
	// Lend is told that another program gets the terminal, and gives what is to be
	// called when the screen has it back; nil: nobody wants to know.
	Lend func() (back func())
	// Interrupt is what Ctrl+C asks of a run that was started for this screen, each
	// time that it is pressed; nil: the screen only looks on, and Ctrl+C leaves it.
	Interrupt func()

	// Said is what was said before the screen was there, in lines.
	Said string

	Now func() time.Time // nil is time.Now
}

// screenOf shows a run by its events.
type screenOf struct {
	data    *runData
	work    work
	program *tea.Program
	cancel  context.CancelFunc

	dirty chan struct{} // something is to be drawn
	done  chan struct{} // the screen is off
	err   error         // why, when that was not wanted
	wg    sync.WaitGroup
}

// open takes the terminal, and gives it back when its reader leaves, or with the
// context.
func open(ctx context.Context, o Options, more ...tea.ProgramOption) *screenOf {
	ctx, cancel := context.WithCancel(ctx)
	s := &screenOf{
		data: newRunData(o), work: newWork(ctx, o), cancel: cancel,
		dirty: make(chan struct{}, 1), done: make(chan struct{}),
	}
	options := []tea.ProgramOption{tea.WithContext(ctx), tea.WithOutput(o.Out), tea.WithoutSignalHandler()}
	if o.In != nil {
		options = append(options, tea.WithInput(o.In))
	}
	s.program = tea.NewProgram(newModel(s.data, s.work, o), append(options, more...)...)
	s.wg.Go(func() {
		defer close(s.done)
		if _, err := s.program.Run(); err != nil && !errors.Is(err, context.Canceled) {
			s.err = err
		}
	})
	s.wg.Go(s.pump)
	return s
}

// frameTime is the least time between two drawings: more often nobody sees, and
// an agent that prints a lot would keep a processor busy.
const frameTime = 40 * time.Millisecond

// pump has the screen drawn when something has happened, and every second, for
// the times on it.
func (s *screenOf) pump() {
	second := time.NewTicker(time.Second)
	defer second.Stop()
	rest := time.NewTimer(0)
	defer rest.Stop()
	for {
		select {
		case <-s.done:
			return
		case <-rest.C:
		}
		select {
		case <-s.done:
			return
		case <-second.C:
		case <-s.dirty:
		}
		s.program.Send(redraw{})
		rest.Reset(frameTime)
	}
}

// observe takes in one event. It never waits for the terminal.
func (s *screenOf) observe(e loop.Event) {
	s.data.observe(e)
	s.stir()
}

func (s *screenOf) stir() {
	select {
	case s.dirty <- struct{}{}:
	default:
	}
}

// wait lets everything end that the screen has started.
func (s *screenOf) wait() {
	<-s.done
	s.cancel()
	s.work.wait()
	s.wg.Wait()
}

// Watch shows a run by its events until its reader leaves, or the context ends.
// The events end with the context that they are asked for with. Where they end
// before the run does, its runner has died; an error at their end says why they
// do.
func Watch(ctx context.Context, events func(context.Context) iter.Seq2[loop.Event, error], o Options) error {
	return watch(ctx, events, o)
}

func watch(ctx context.Context, events func(context.Context) iter.Seq2[loop.Event, error], o Options, more ...tea.ProgramOption) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := open(ctx, o, more...)
	var reading sync.WaitGroup
	reading.Go(func() { s.read(events(ctx)) })
	s.wait()
	cancel()
	reading.Wait()
	if s.err != nil {
		return fmt.Errorf("show the run: %w", s.err)
	}
	return nil
}

func (s *screenOf) read(events iter.Seq2[loop.Event, error]) {
	defer s.stir()
	for e, err := range events {
		if err != nil {
			s.data.lost(err)
			return
		}
		s.observe(e)
	}
	s.data.died()
}

// work is what the screen has others do while it goes on drawing.
type work struct {
	do   func(control.Command) (control.Answer, error) // nil: the run takes no commands
	diff func(run string, iteration int) (string, error)
	past func(run string, after int64) iter.Seq2[loop.Event, error]

	// What is nil cannot be had.
	live     func(run, checkpoint string) (string, error)
	prompt   func(run string, of row) (string, error)
	gates    func(run string, of row) ([]GateOutput, error)
	tasks    func(run string) ([]Task, error)
	runs     func() ([]LiveRun, error)
	rollBack func(run string, iteration int) (string, error)
	*inFlight
}

func newWork(ctx context.Context, o Options) work {
	w := work{
		diff: func(run string, iteration int) (string, error) { return o.Diff(ctx, run, iteration) },
		past: func(run string, after int64) iter.Seq2[loop.Event, error] { return until(ctx, o.Past(run, after)) },

		inFlight: &inFlight{},
	}
	if o.Do != nil {
		w.do = func(c control.Command) (control.Answer, error) { return o.Do(ctx, c) }
	}
	if o.Live != nil {
		w.live = func(run, checkpoint string) (string, error) { return o.Live(ctx, run, checkpoint) }
	}
	if o.Prompt != nil {
		w.prompt = func(run string, of row) (string, error) { return o.Prompt(ctx, run, of.iter, of.attempt) }
	}
	if o.Gates != nil {
		w.gates = func(run string, of row) ([]GateOutput, error) { return o.Gates(ctx, run, of.iter, of.attempt) }
	}
	if o.Tasks != nil {
		w.tasks = func(run string) ([]Task, error) { return o.Tasks(ctx, run) }
	}
	if o.Runs != nil {
		w.runs = func() ([]LiveRun, error) { return o.Runs(ctx) }
	}
	if o.RollBack != nil {
		w.rollBack = func(run string, iteration int) (string, error) { return o.RollBack(ctx, run, iteration) }
	}
	return w
}

// until ends a sequence with the context.
func until(ctx context.Context, events iter.Seq2[loop.Event, error]) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		for e, err := range events {
			if ctx.Err() != nil || !yield(e, err) {
				return
			}
		}
	}
}

// inFlight counts what is under way, for a program does not wait for the commands
// that it has started.
type inFlight struct {
	mu   sync.Mutex
	over bool
	wg   sync.WaitGroup
}

// wait lets what is under way end, and nothing more begin.
func (e *inFlight) wait() {
	e.mu.Lock()
	e.over = true
	e.mu.Unlock()
	e.wg.Wait()
}

func (e *inFlight) begin() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.over {
		e.wg.Add(1)
	}
	return !e.over
}

// inBackground makes a command of a function that takes its time.
func (f *inFlight) inBackground(do func() tea.Msg) tea.Cmd {
	return func() tea.Msg {
		if !f.begin() {
			return nil
		}
		defer f.wg.Done()
		return do()
	}
}
