package rehearsal

import (
	"context"
	"os"
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
	p := &part{stage: s, ctx: ctx, spec: spec, began: now, heard: now}
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
