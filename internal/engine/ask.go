package engine

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Asking is when a person is asked before the loop goes on.
type Asking struct {
	Always    bool // before each iteration
	Done      bool // before the run is declared done
	At        []int
	OnFailure bool          // before the iteration after one that failed
	Timeout   time.Duration // for an answer; 0 is for ever
	Default   string        // the answer when none comes
}

// The answers to a question.
const (
	GoOn  = "continue"
	Skip  = "skip"
	Fresh = "reboot"
	Halt  = "stop"

	// Accept ends a run that would be done.
	Accept = "done"
)

// Answers is everything that may be said to a question.
var Answers = []string{GoOn, Skip, Fresh, Halt, Accept}

// What may be said before an iteration, and before the run is declared done. The
// first is meant by whoever only approves.
var (
	beforeIteration = []string{GoOn, Skip, Fresh, Halt}
	beforeDone      = []string{Accept, GoOn}
)

// nextPrompt is the file in which the next prompt lies while a person is asked.
// What they change in it is what the agent gets.
const nextPrompt = "next-prompt.md"

// attend asks a person about the next iteration, if one wants to be asked. It
// gives the answer; without a question that is to go on.
func (e *Engine) attend(ctx context.Context) string {
	why := e.wantsAsking()
	if why == "" {
		return GoOn
	}
	s := e.snapshot()
	question := fmt.Sprintf("%s: run iteration %d?", why, s.Next())
	file := e.layOut(ctx)
	answer := e.question(question, beforeIteration, file)
	e.takeUp(file)
	return answer
}

// wantsAsking says why a person is asked now, or nothing.
func (e *Engine) wantsAsking() string {
	s := e.snapshot()
	switch {
	case slices.Contains(e.Asking.At, s.Next()) && s.Attempts == 0:
		return fmt.Sprintf("breakpoint at iteration %d", s.Next())
	case e.Asking.OnFailure && e.last.failed():
		return "the last iteration failed"
	case e.Asking.Always:
		return "attended"
	}
	return ""
}

// question asks and waits for the answer, a wish to stop, or the time when the
// usual answer is taken.
func (e *Engine) question(text string, choices []string, file string) string {
	e.untouched = nil // people work while they are asked
	e.leave()
	usual := e.Asking.Default
	if !slices.Contains(choices, usual) || choices[0] == Accept {
		usual = choices[0]
	}
	asked := &loop.RunAsked{Question: text, Choices: choices, Default: usual, Prompt: file}
	if e.Asking.Timeout > 0 {
		asked.Until = e.now().Add(e.Asking.Timeout)
	}
	e.mu.Lock()
	e.asking, e.answered = asked, ""
	e.mu.Unlock()
	e.record(asked)
	answer := e.awaitAnswer(asked)
	if !slices.Contains(choices, answer.text) {
		answer.text = choices[0] // who wants it to end agrees that it is done
	}
	e.mu.Lock()
	e.asking = nil
	e.mu.Unlock()
	e.record(&loop.RunAnswered{Answer: answer.text, By: answer.by})
	return answer.text
}

type reply struct{ text, by string }

func (e *Engine) awaitAnswer(asked *loop.RunAsked) reply {
	for {
		e.mu.Lock()
		said := e.answered
		e.mu.Unlock()
		switch {
		case said != "":
			return reply{said, "a person"}
		case e.Control.Asked() != nil:
			return reply{Halt, "a wish to stop"}
		case !asked.Until.IsZero() && !e.now().Before(asked.Until):
			return reply{asked.Default, "nobody in time"}
		case asked.Choices[0] != Accept && e.ask().Action == loop.Stop, e.timeLeft() == 0: // its time is over
			return reply{Halt, "a rule"}
		}
		left := slice
		if !asked.Until.IsZero() {
			left = min(left, asked.Until.Sub(e.now()))
		}
		e.rebootIfAsked()
		e.Clock.Sleep(max(0, min(left, e.timeLeft())), e.Control.stir)
	}
}

// layOut writes the next prompt where a person can change it.
func (e *Engine) layOut(ctx context.Context) string {
	if e.Prompt == nil {
		return ""
	}
	e.choose()
	s := e.snapshot()
	e.Prompt.Handoff = e.handoff(ctx, s)
	p, err := e.Prompt.Build(ctx, s, s.Next(), e.told)
	if err != nil {
		return "" // the attempt says it
	}
	file := filepath.Join(e.Journal.Dir(), nextPrompt)
	if err := files.Replace(file, []byte(p.Text), 0o600, files.NoSync); err != nil {
		e.warn("next prompt", loop.Warning{Text: "the next prompt cannot be shown: " + err.Error()})
		return ""
	}
	e.laidOut, e.laidNotes = p.Text, len(s.Notes)
	return file
}

// mostEdited is more than a person writes into a prompt.
const mostEdited = 16 << 20

// takeUp keeps what a person has made of the next prompt.
func (e *Engine) takeUp(file string) {
	e.edited = ""
	if file == "" {
		return
	}
	defer os.Remove(file)
	b, err := files.ReadFile(context.Background(), file, mostEdited)
	if err == nil && string(b) != e.laidOut && strings.TrimSpace(string(b)) != "" {
		e.edited = string(b)
	}
}

// confirm asks a person whether a run that would be done is.
func (e *Engine) confirm(v loop.Verdict) loop.Verdict {
	if !e.Asking.Done || v.Action != loop.Stop || v.State != loop.Done {
		return v
	}
	if e.question("it is done ("+v.Why+"): end the run?", beforeDone, "") != GoOn {
		return v
	}
	return loop.Verdict{Action: loop.Continue, Rule: "asked", Why: "a person wants it to go on"}
}

// approve answers the question that a person is asked.
func (e *Engine) approve(o order) {
	answer := o.Text
	e.mu.Lock()
	asking := e.asking
	if asking != nil && answer == "" {
		answer = asking.Choices[0]
	}
	ok := asking != nil && slices.Contains(asking.Choices, answer)
	answered := e.answered
	e.mu.Unlock()
	switch {
	case asking != nil && answered != "":
		e.decline(o, "somebody has answered already: "+answered)
	case asking == nil:
		e.decline(o, "nobody is asked anything")
	case !ok:
		e.decline(o, fmt.Sprintf("%q is no answer: say one of %s", answer, strings.Join(asking.Choices, ", ")))
	default:
		e.accept(o, "answered: "+answer, "run.answered") // before it is: the loop may be quick
		e.mu.Lock()
		e.answered = answer
		e.mu.Unlock()
		e.Control.wake()
	}
}

// leaveOut makes the next iteration one that was skipped.
func (e *Engine) leaveOut(ctx context.Context) loop.Verdict {
	s := e.snapshot()
	a := e.enter(s.Next(), s.Attempts+1, e.Journal.Begin)
	defer a.dir.Close()
	e.edited = "" // it was for this iteration
	e.record(&loop.IterationStarted{Max: e.limits().Iterations})
	o := &loop.Outcome{Result: loop.Skipped, EndedAt: e.now()}
	e.remember(o)
	return e.conclude(ctx, a, o)
}

// halted is the end that a person asked for: by a signal, or by this answer.
func (e *Engine) halted() loop.Verdict {
	if v := e.ask(); v.Action == loop.Stop {
		return v
	}
	return loop.Verdict{Action: loop.Stop, Rule: "asked", State: loop.Stopped, Reason: loop.ByRequest, Why: "stopped by request before the next iteration"}
}
