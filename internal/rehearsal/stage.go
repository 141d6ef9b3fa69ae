package rehearsal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Stage plays attempts inside the process of the runner, as if each were a
// process: it prints, is silent, hangs and is ended, all by the stage's own time.
// What the script runs is run for real and takes none of it.
//
// Attempts are played one after another.
type Stage struct {
	Script Script
	Time   Time
	// Exec runs what the script runs.
	Exec func(context.Context, proc.Spec) (loop.Exit, error)

	Crash    func()                             // ends the runner at once, and does not return
	FullDisk func(time.Duration)                // from now on, for so long, nothing can be saved
	Note     func(iteration int, remark string) // a remark of the script
	// GiveUp has the runner end an attempt that would go on for ever.
	GiveUp func(why string)

	// Ended is every attempt that did not end by itself.
	Ended []Ended
}

// Ended is an attempt that was made to end.
type Ended struct {
	Iteration, Attempt int
	Cause              loop.Cause
	Silence            time.Duration // how long nothing had come from it
	Lasted             time.Duration
}

// longestSilence is when nobody will come to end the agent any more.
const longestSilence = 24 * time.Hour

// Play plays the attempt that the environment in s names, as proc.Run would run
// a process that does the same.
func (s *Stage) Play(ctx context.Context, spec proc.Spec) (loop.Exit, error) {
	if ctx.Err() != nil {
		return loop.Exit{Cause: causeOf(ctx)}, nil
	}
	now := s.Time.Now()
	p := &part{
		stage: s, spec: spec, began: now, heard: now,
		ended: ctx.Done(), cause: func() loop.Cause { return causeOf(ctx) },
		exec: func(spec proc.Spec) (loop.Exit, error) { return s.Exec(ctx, spec) },
	}
	if spec.Started != nil {
		spec.Started(os.Getpid(), now)
	}
	stdout, stderr := &stream{part: p, sink: spec.Stdout}, &stream{part: p, sink: spec.Stderr}
	p.player = &player{world: p, stage: p, dir: spec.Dir, out: stdout, err: stderr}
	err := p.player.enter(spec.Stdin, p.getenv)
	if err == nil {
		err = p.player.play(s.Script)
	}
	exit := p.exit(err)
	stdout.end()
	stderr.end()
	return exit, nil
}

// part is one attempt on the stage, and the world that it is played in.
type part struct {
	stage  *Stage
	player *player
	spec   proc.Spec
	began  time.Time
	heard  time.Time // the last sign of life
	deaf   bool

	// The life that a process has: what it prints, and what its script does, knows
	// of no context.
	ended <-chan struct{} // closed when the runner ends it
	cause func() loop.Cause
	exec  func(proc.Spec) (loop.Exit, error) // runs what the script runs, no longer than that
}

// over tells whether the runner has ended the agent.
func (p *part) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// killed says that the agent was ended before its script was.
type killed struct {
	cause  loop.Cause
	signal string
}

func (k *killed) Error() string { return "the agent was ended: " + string(k.cause) }

// exit is how the process would have ended.
func (p *part) exit(err error) loop.Exit {
	gone := new(killed)
	if !errors.As(err, &gone) {
		code := p.player.finish(err)
		if !p.over() {
			return loop.Exit{Code: &code, Cause: loop.Exited}
		}
		gone = p.kill(p.cause()) // with its last word
	}
	if gone.cause != loop.Signaled {
		p.stage.Ended = append(p.stage.Ended, Ended{
			Iteration: p.player.iteration, Attempt: p.player.attempt, Cause: gone.cause,
			Silence: p.now().Sub(p.heard), Lasted: p.now().Sub(p.began),
		})
	}
	return loop.Exit{Signal: gone.signal, Cause: gone.cause}
}

func (p *part) getenv(name string) string {
	value := ""
	for _, pair := range p.spec.Env {
		if v, ok := strings.CutPrefix(pair, name+"="); ok {
			value = v // of two the later one counts
		}
	}
	return value
}

func (p *part) now() time.Time { return p.stage.Time.Now() }

// rest moves the time on, but no further than to where the runner would end the
// agent.
func (p *part) rest(d time.Duration) error {
	until := p.now().Add(d)
	for {
		if err := p.alive(); err != nil {
			return err
		}
		now := p.now()
		if !now.Before(until) {
			return nil
		}
		next := until
		if at := p.began.Add(p.spec.Timeout); p.spec.Timeout > 0 && at.Before(next) {
			next = at
		}
		if at := p.heard.Add(p.spec.Idle); p.spec.Idle > 0 && at.Before(next) {
			next = at
		}
		p.stage.Time.Sleep(next.Sub(now), p.ended)
	}
}

// alive fails when the runner has ended the agent, or would have by now.
func (p *part) alive() error {
	now := p.now()
	silent := now.Sub(p.heard)
	switch {
	case p.over():
		return p.kill(p.cause())
	case p.spec.Timeout > 0 && now.Sub(p.began) >= p.spec.Timeout:
		return p.kill(loop.AtDeadline)
	case p.spec.Idle > 0 && silent >= p.spec.Idle && p.spec.Busy != nil && p.spec.Busy():
		p.heard = now
	case p.spec.Idle > 0 && silent >= p.spec.Idle:
		return p.kill(loop.WhenIdle)
	case silent >= longestSilence:
		p.stage.GiveUp(fmt.Sprintf("nothing ends an agent that hangs: iteration %d had been silent for %s", p.player.iteration, silent))
		<-p.ended
		return p.kill(p.cause())
	}
	return nil
}

// ladder is what it takes to end one that is deaf to polite signals.
const ladder = 5 * time.Second

// kill ends the agent as the runner does: politely, and if need be not so.
func (p *part) kill(cause loop.Cause) *killed {
	signal := p.spec.First
	if signal == "" {
		signal = "TERM"
	}
	if p.deaf {
		p.stage.Time.Sleep(ladder, nil)
		signal = "KILL"
	}
	return &killed{cause, signal}
}

func (p *part) die() error { return &killed{loop.Signaled, "KILL"} }
func (p *part) deafen()    { p.deaf = true }

func (p *part) run(what program) (*int, error) {
	if err := p.alive(); err != nil {
		return nil, err
	}
	sink := proc.Sink{}
	if what.output != nil {
		sink.Raw = &shared{Writer: what.output}
	}
	exit, err := p.exec(proc.Spec{
		Argv: what.argv, Dir: p.spec.Dir, Env: append(p.spec.Env[:len(p.spec.Env):len(p.spec.Env)], what.env...),
		Stdin: strings.NewReader(what.stdin), Stdout: sink, Stderr: sink, Warn: p.spec.Warn,
	})
	if err == nil {
		err = p.alive()
	}
	return exit.Code, err
}

// shared is a writer for two streams.
type shared struct {
	mu sync.Mutex
	io.Writer
}

func (s *shared) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.Writer.Write(b)
}

// daemon leaves the command behind in a process of its own, with which whoever
// runs that has to cope.
func (p *part) daemon(command string) error {
	_, err := p.run(program{argv: []string{"sh", "-c", "(" + command + "\n) </dev/null >/dev/null 2>&1 &"}})
	return err
}

func (p *part) crashRunner() error {
	p.stage.Crash()
	return nil
}

func (p *part) fullDisk(d time.Duration) error {
	p.stage.FullDisk(d)
	return nil
}

func (p *part) note(remark string) error {
	p.stage.Note(p.player.iteration, remark)
	return nil
}

// causeOf reads what proc.End has put into the context.
func causeOf(ctx context.Context) loop.Cause {
	for _, c := range []loop.Cause{loop.AtDeadline, loop.OnSkip, loop.OnBudget, loop.OnMaxTime, loop.OnRedline, loop.OnRetry} {
		if errors.Is(context.Cause(ctx), proc.End(c)) {
			return c
		}
	}
	return loop.OnRequest
}
