package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// remember reads the journal. It must begin with all that it was last known to
// hold.
func (c *chaos) remember() {
	c.Helper()
	entry, ok := c.run()
	if !ok {
		return
	}
	b := c.read(entry.Dir, "journal.jsonl")
	b = b[:bytes.LastIndexByte(b, '\n')+1]
	if !bytes.HasPrefix(b, c.past) {
		c.Fatalf("the journal was\n%s\nand does not begin so any more:\n%s", c.past, b)
	}
	c.past = b
}

// shown is what a script can read in state.json at this moment.
func (c *chaos) shown() (s view.Status) {
	c.Helper()
	entry, ok := c.run()
	if !ok {
		return s
	}
	if _, err := os.Stat(filepath.Join(entry.Dir, "state.json")); errors.Is(err, fs.ErrNotExist) {
		return s
	}
	b := c.read(entry.Dir, "state.json")
	if err := json.Unmarshal(b, &s); err != nil {
		c.Fatalf("state.json: %v\n%s", err, b)
	}
	return s
}

// checkStatus checks that no less is told of a dead runner's run than it had
// told itself.
func (c *chaos) checkStatus(before view.Status) {
	c.Helper()
	if _, ok := c.run(); !ok {
		return
	}
	var s view.Status
	if err := json.Unmarshal(c.must(c.program, "status", "--json"), &s); err != nil {
		c.Fatalf("status --json: %v", err)
	}
	if s.State != loop.Crashed && s.State != loop.Done {
		c.Errorf("status of a killed runner's run = %s", s.State)
	}
	if s.Iteration < before.Iteration || s.Totals.Iterations < before.Totals.Iterations {
		c.Errorf("status after the kill = %+v, less than before: %+v", s, before)
	}
}

// check checks what must be true of a run that is done, whatever happened on
// the way.
func (c *chaos) check() {
	c.Helper()
	c.remember()
	events := c.events(c.past)
	c.checkEnd(events)
	c.checkAttempts(events)
	c.checkTranscripts(events)
	c.checkCheckpoints(events)
	end := events[len(events)-1].Payload.(*loop.RunFinished)
	if s := c.shown(); s.State != loop.Done || s.Totals != end.Totals {
		c.Errorf("state.json says %s with %+v, want done with %+v", s.State, s.Totals, end.Totals)
	}
	c.must(c.program, "status")
	if c.Failed() {
		c.Logf("the journal:\n%s", outline(events))
	}
}

// checkShort checks that a run whose journal was cut back to before its head does
// not go on, and that nothing is lost of what was found.
func (c *chaos) checkShort() {
	c.Helper()
	entry, _ := c.run()
	found := c.read(entry.Dir, "journal.jsonl")
	r := c.launch("resume", "-o", "json")
	<-r.gone
	if got := r.cmd.ProcessState.ExitCode(); got != 1 {
		c.Errorf("resume of a journal that was cut ended with %d, want 1\n%s", got, &r.stderr)
	}
	var s view.Status
	if err := json.Unmarshal(c.must(c.program, "status", "--json"), &s); err != nil {
		c.Fatalf("status --json: %v", err)
	}
	if s.Reason != loop.ByTampering || !strings.Contains(s.Why, "its head says") {
		c.Errorf("it ended as %s (%s): %s, want tampered, for its head says more", s.State, s.Reason, s.Why)
	}
	if kept := c.read(entry.Dir, "journal.tampered-1.jsonl"); !bytes.Equal(kept, found) {
		c.Errorf("the journal as it was found is kept as\n%s\nwant\n%s", kept, found)
	}
	whole := found[:bytes.LastIndexByte(found, '\n')+1]
	if now := c.read(entry.Dir, "journal.jsonl"); !bytes.HasPrefix(now, whole) {
		c.Errorf("the journal was\n%s\nand does not begin so any more:\n%s", whole, now)
	}
}

// checkCheckpoints checks that what every finished iteration did can be had
// again: at least the file that it wrote. Where the journal lost its beginning
// the first checkpoint has the file too, so what counts is that the one after
// the iteration has it.
func (c *chaos) checkCheckpoints(events []loop.Event) {
	c.Helper()
	name := events[0].Payload.(*loop.RunStarted).Name
	entry, _ := c.run()
	for _, e := range events {
		f, ok := e.Payload.(*loop.IterationFinished)
		if !ok || f.Outcome.Result != loop.OK {
			continue
		}
		var diff struct{ To string }
		if err := json.Unmarshal(c.must(c.program, "diff", fmt.Sprintf("%s/0..%d", name, e.Iter), "--json"), &diff); err != nil {
			c.Fatal(err)
		}
		file := fmt.Sprintf("%s:%d.txt", diff.To, e.Iter)
		out, err := c.command("git", "--git-dir", filepath.Join(entry.Dir, "objects"), "cat-file", "-p", file).CombinedOutput()
		if want := fmt.Sprintf("%d\n", e.Iter); err != nil || string(out) != want {
			c.Errorf("the checkpoint after iteration %d has %s as %q (%v), want %q", e.Iter, file, out, err, want)
		}
	}
}

// checkEnd checks that the run was begun once and ended once, done.
func (c *chaos) checkEnd(events []loop.Event) {
	c.Helper()
	starts, ends := 0, 0
	for _, e := range events {
		switch e.Payload.(type) {
		case *loop.RunStarted:
			starts++
		case *loop.RunFinished:
			ends++
		}
	}
	if starts != 1 || ends != 1 {
		c.Errorf("the run was started %d times and finished %d times, want 1 and 1", starts, ends)
	}
	end, ok := events[len(events)-1].Payload.(*loop.RunFinished)
	if !ok || end.State != loop.Done || end.Reason != loop.ByPromise {
		c.Fatalf("the last event is not done by promise:\n%s", outline(events))
	}
}

// number is an iteration and an attempt at it.
type number struct{ iter, attempt int }

func (n number) String() string { return fmt.Sprintf("%d/%d", n.iter, n.attempt) }

// checkAttempts checks that the journal counts upwards, that attempts come one
// after another, each finished once, and that every iteration counts once.
func (c *chaos) checkAttempts(events []loop.Event) {
	c.Helper()
	next, begun, last := number{1, 1}, false, int64(0)
	for _, e := range events {
		if e.Seq <= last {
			c.Errorf("seq %d comes after %d", e.Seq, last)
		}
		last = e.Seq
		at := number{e.Iter, e.Attempt}
		switch p := e.Payload.(type) {
		case *loop.IterationStarted:
			if begun || at != next {
				c.Errorf("seq %d: attempt %s is started, want %s (already begun: %v)", e.Seq, at, next, begun)
			}
			begun = true
		case *loop.IterationFinished:
			if !begun || at != next {
				c.Errorf("seq %d: attempt %s is finished, want %s (begun: %v)", e.Seq, at, next, begun)
			}
			begun = false
			next.attempt++
			if p.Outcome.Result != loop.Lost {
				next = number{e.Iter + 1, 1}
			}
			if counted := p.State.Totals.Iterations; counted != next.iter-1 {
				c.Errorf("seq %d: the state counts %d iterations, want %d", e.Seq, counted, next.iter-1)
			}
		}
	}
	if begun || next.iter <= chaosIterations {
		c.Errorf("the run ended before attempt %s (begun: %v), want %d iterations", next, begun, chaosIterations)
	}
}

// checkTranscripts checks that all is there of an agent that ended well: what
// it printed, to the last line, and its work.
func (c *chaos) checkTranscripts(events []loop.Event) {
	c.Helper()
	for _, e := range events {
		if p, ok := e.Payload.(*loop.AgentExited); !ok || !p.Exit.Zero() {
			continue
		}
		transcript := c.read(c.attempt(e), "stdout")
		last := transcript[bytes.LastIndexByte(bytes.TrimSuffix(transcript, []byte("\n")), '\n')+1:]
		if !bytes.HasPrefix(last, []byte(`{"type":"agent.result"`)) || !bytes.HasSuffix(last, []byte("}\n")) {
			c.Errorf("the transcript of %d/%d ends with %q, want the agent's result", e.Iter, e.Attempt, last)
		}
		if _, err := os.Stat(filepath.Join(c.tree, fmt.Sprintf("%d.txt", e.Iter))); err != nil {
			c.Errorf("the work of %d/%d: %v", e.Iter, e.Attempt, err)
		}
	}
}

// checkNothingLost checks that what runners showed and what agents printed is
// among the events, and that no two events have the same number.
func (c *chaos) checkNothingLost() {
	c.Helper()
	entry, _ := c.run()
	files, err := filepath.Glob(filepath.Join(entry.Dir, "iterations", "*", "events.jsonl"))
	if err != nil {
		c.Fatal(err)
	}
	written, numbers := map[string]bool{}, map[int64]string{}
	for _, file := range append(files, filepath.Join(entry.Dir, "journal.jsonl")) {
		b := c.read(file)
		for line := range bytes.Lines(b) {
			written[string(line)] = true
		}
		for _, e := range c.events(b) {
			if other, taken := numbers[e.Seq]; taken {
				c.Errorf("seq %d is in %s and in %s", e.Seq, other, file)
			}
			numbers[e.Seq] = file
		}
	}
	for line := range bytes.Lines(c.read(c.seen.Name())) {
		if line[0] == '{' && !written[string(line)] {
			c.Errorf("shown, and not written down: %s", line)
		}
	}
	for _, e := range c.events(c.past) {
		if _, ok := e.Payload.(*loop.AgentExited); ok {
			c.checkHeard(c.attempt(e))
		}
	}
}

// checkHeard checks that the agent's words are among the events of its attempt.
func (c *chaos) checkHeard(dir string) {
	c.Helper()
	if _, err := os.Stat(filepath.Join(dir, "stdout")); errors.Is(err, fs.ErrNotExist) {
		return // it was killed before it said anything
	}
	said, heard := bytes.Count(c.read(dir, "stdout"), []byte(`{"type":"agent.text"`)), 0
	for _, e := range c.events(c.read(dir, "events.jsonl")) {
		if p, ok := e.Payload.(*loop.AgentText); ok {
			heard += 1 + strings.Count(p.Text, "\n") // it says one line at a time; those that came together are one event
		}
	}
	if said != heard {
		c.Errorf("%s: the agent said %d things, and %d are among its events", dir, said, heard)
	}
}

// checkKilled checks that agents that were killed have failed, and no others.
// Of those, some may have been at their end when they were killed.
func (c *chaos) checkKilled(most int) {
	c.Helper()
	for _, e := range c.events(c.past) {
		p, ok := e.Payload.(*loop.IterationFinished)
		if !ok || p.Outcome.Result == loop.OK {
			continue
		}
		most--
		if p.Outcome.Result != loop.Failed || p.Outcome.Exit == nil || p.Outcome.Exit.Signal != "KILL" {
			c.Errorf("attempt %d/%d ended %+v, want failed by KILL", e.Iter, e.Attempt, p.Outcome)
		}
	}
	if most < 0 {
		c.Errorf("%d more agents failed than were killed", -most)
	}
}

// run is the run here. There is none when every runner so far died before its
// first event.
func (c *chaos) run() (journal.Entry, bool) {
	entry, err := c.store().Find("")
	return entry, err == nil
}

// attempt is the folder of the attempt that an event belongs to.
func (c *chaos) attempt(e loop.Event) string {
	entry, _ := c.run()
	return c.store().AttemptDir(entry.Name, e.Iter, e.Attempt)
}

func (c *chaos) events(lines []byte) []loop.Event {
	c.Helper()
	var list []loop.Event
	for line := range bytes.Lines(lines) {
		e, err := journal.Decode(line)
		if err != nil {
			c.Fatalf("%v: %s", err, line)
		}
		list = append(list, e)
	}
	return list
}

func (c *chaos) read(path ...string) []byte {
	c.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		c.Fatal(err)
	}
	return b
}

// outline is a journal for people who look for what went wrong.
func outline(events []loop.Event) string {
	var b strings.Builder
	for _, e := range events {
		fmt.Fprintf(&b, "%d %d/%d %s", e.Seq, e.Iter, e.Attempt, e.Type())
		if p, ok := e.Payload.(*loop.IterationFinished); ok {
			fmt.Fprintf(&b, " %s, %s", p.Outcome.Result, p.Verdict.Action)
		}
		b.WriteByte('\n')
	}
	return b.String()
}
