// Package rehearsal plays a rehearsal script: the doing half of the built-in
// agent, for people who try out their configuration, for the demo and for our
// own tests.
//
// A script says, iteration by iteration, what the agent does: it talks, writes
// files, runs commands, claims to be done, hits a limit, hangs, crashes. It
// does these things for real, in a process of its own, and reports each on
// stdout as one JSON object a line, ending with agent.result unless it is told
// to crash. Package agent starts that process and reads those lines.
//
// On a Stage the same script is played without a process, on a clock of its own,
// so that a night passes in seconds; there the runner itself can die, too, and
// its disk fill up. What the runner makes of it is for others to see.
package rehearsal

import (
	"context"
	"fmt"
	"io"
	"os"
	"strconv"

	"github.com/refrain-loop/refrain/internal/files"
)

// Main plays the script named by its only argument in the current folder, with
// the prompt on stdin, and gives the exit status. It is run by a re-executed
// binary. REFRAIN_ITERATION and REFRAIN_ATTEMPT say which part to play, and
// REFRAIN_SESSION which session is continued.
func Main(args []string) int {
	if len(args) != 1 {
		fmt.Fprintln(os.Stderr, "rehearsal: it takes one argument, the script")
		return 2
	}
	p := &player{world: process{}, dir: ".", out: os.Stdout, err: os.Stderr}
	return p.finish(p.perform(args[0]))
}

// maxScript is more than anybody writes.
const maxScript = 16 << 20

func (p *player) perform(path string) error {
	if err := p.enter(os.Stdin, os.Getenv); err != nil {
		return err
	}
	b, err := files.ReadFile(context.Background(), path, maxScript)
	if err != nil {
		return fmt.Errorf("read the script: %w", err)
	}
	script, err := Parse(b)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return p.play(script)
}

// enter learns which part to play.
func (p *player) enter(stdin io.Reader, getenv func(string) string) (err error) {
	if stdin != nil {
		// An agent that leaves its prompt unread would show the runner a broken
		// pipe, which is not what most scripts are about.
		prompt, err := io.ReadAll(stdin)
		if err != nil {
			return fmt.Errorf("read the prompt: %w", err)
		}
		p.prompt = string(prompt)
	}
	p.session = getenv("REFRAIN_SESSION")
	if p.iteration, err = counter(getenv, "REFRAIN_ITERATION"); err != nil {
		return err
	}
	p.attempt, err = counter(getenv, "REFRAIN_ATTEMPT")
	return err
}

// counter reads a count that begins at 1, which is also what it is when unset.
func counter(getenv func(string) string, name string) (int, error) {
	text := getenv(name)
	if text == "" {
		return 1, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("read %s: %q is not a number from 1", name, text)
	}
	return n, nil
}
