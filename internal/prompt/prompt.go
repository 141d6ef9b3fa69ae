// Package prompt puts together what the agent is told in one iteration.
//
// The user's own words come first and are never changed. What the runner adds
// follows in a fixed order, each part under its own heading, and nothing that
// it adds can be mistaken for a claim when an agent repeats its prompt. The
// package reads the prompt file; what is worth telling is found by others.
package prompt

import (
	"math"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Builder makes the prompt of each iteration of a run.
type Builder struct {
	Source  Source
	Frozen  bool     // read the source once and keep that text
	Context []string // what the user adds to the prompt for this run

	Feedback         Feedback
	IterationContext bool // say which iteration this is, from the second on
	Max              int  // iterations; 0 is unlimited

	Tell    bool   // say how to claim
	Promise string // what claims done; empty: there is nothing to claim
	Failure string // what says blocked; empty: there is no such word

	first *string // the frozen text
}

// Prompt is what one agent is told.
type Prompt struct {
	Text   string
	Tokens int // an estimate
	Parts  []Part
}

// Part is a named piece of a prompt.
type Part struct {
	Name   string
	Tokens int // an estimate
}

// Build makes the prompt of an iteration from the source as it is now and the
// state of the run. What the gates said of the last iteration is told in full
// as far as there is room. A prompt that cannot be had is an *Error.
func (b *Builder) Build(s loop.State, iteration int, gates []string) (Prompt, error) {
	own, err := b.read()
	if err != nil {
		return Prompt{}, err
	}
	var p Prompt
	p.add("prompt", own)
	p.add("context", userContext(b.Context))
	p.add("feedback", b.Feedback.text(s, gates))
	if b.IterationContext && iteration > 1 {
		p.add("iteration", iterationContext(iteration, b.Max))
	}
	if b.Tell && b.Promise != "" {
		p.add("claims", howToClaim(b.Promise, b.Failure))
	}
	p.Tokens = estimate(p.Text)
	return p, nil
}

func (b *Builder) read() (string, error) {
	if b.first != nil {
		return *b.first, nil
	}
	text, err := b.Source.Read()
	if err == nil && b.Frozen {
		b.first = &text
	}
	return text, err
}

// add puts a part at the end, a blank line after what is there.
func (p *Prompt) add(name, text string) {
	if text == "" {
		return
	}
	switch {
	case p.Text == "", strings.HasSuffix(p.Text, "\n\n"):
	case strings.HasSuffix(p.Text, "\n"):
		p.Text += "\n"
	default:
		p.Text += "\n\n"
	}
	p.Text += text
	p.Parts = append(p.Parts, Part{Name: name, Tokens: estimate(text)})
}

// bytesPerToken is what prose and code come to on average, over the models
// that people use. A tokenizer would be exact for one of them.
const bytesPerToken = 3.5

func estimate(text string) int { return int(math.Ceil(float64(len(text)) / bytesPerToken)) }
