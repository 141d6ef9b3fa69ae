// Package prompt puts together what the agent is told in one iteration.
//
// The user's own words come first: pieces in their order, under the headings of
// their sections, with what their templates ask for put in. What the runner
// adds follows in a fixed order, each part under its own heading, and nothing
// that it adds can be mistaken for a claim when an agent repeats its prompt. A
// mistake in a template is an error with file and line, never an empty place.
// The package reads the prompt files; what is worth telling is found by others.
package prompt

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// Builder makes the prompt of each iteration of a run.
type Builder struct {
	// What the user says.
	Title  string  // a line above all; empty is none
	Pieces []Piece // in order
	Source Source  // the same in one piece, used when there are no Pieces
	Frozen bool    // read the pieces once and keep their texts
	// Template says that the pieces are templates and may begin with front
	// matter. Files and fragments are; a text from the command line or stdin is
	// best taken as it is, so that a prompt about templates is not one.
	Template bool
	Context  []string // what the user adds to the prompt for this run

	// What templates may use.
	Tree   string                       // the root of the work tree: includes stay in it, commands run in it
	Facts  Facts                        // of the run
	Vars   map[string]any               // the user's variables, over those of the front matter
	Branch func(context.Context) string // asked when a template names it; nil is none
	Shell  Shell                        // runs commands
	// Commands are the {{run}} of the prompt as written. They are gathered until
	// Settle is called, and others are refused from then on.
	Commands []string

	// What the runner adds.
	Feedback         Feedback
	IterationContext bool   // say which iteration this is, from the second on
	Max              int    // iterations; 0 is unlimited
	Tests            string // what may become of tests: kept, pinned; else it is not told
	Kept             bool   // the agent's session goes on from one iteration to the next
	Claims           Claims

	// What is known since the last iteration.
	Last    *loop.Outcome // of the attempt before; nil when there is none
	Handoff *Handoff      // of the session before; nil is none

	settled bool
	first   map[int]string // the frozen texts
}

// Shell is how the commands of templates are run. They are run for a dry run too:
// they are the user's own, and what they print is part of what is shown.
type Shell struct {
	Exec func(context.Context, proc.Spec) (loop.Exit, error) // nil is proc.Run, which ends no more than their group
	Env  []string                                            // complete; nil is that of this process
	Time time.Duration                                       // how long one may take; 0 is ten seconds
}

// Claims is what the agent is told of claims.
type Claims struct {
	Tell    bool   // say how to make them
	Promise string // what claims done; empty: there is nothing to claim
	Failure string // what says blocked; empty: there is no such word
}

// Facts are what a template may say of the run. What is not known is empty.
type Facts struct {
	Run       string // its name
	RunID     string
	Procedure string
	WorkDir   string // where the agent works
	Agent     string
	Model     string
	Plan      string // the plan's file
}

// Prompt is what one agent is told.
type Prompt struct {
	Text   string
	Own    string // of this the user's words, before what the runner adds
	Tokens int    // an estimate
	Parts  []Part
}

// Part is a named piece of a prompt.
type Part struct {
	Name   string
	Tokens int // an estimate
}

// Largest is the n largest parts, the largest first.
func (p Prompt) Largest(n int) []Part {
	parts := slices.SortedStableFunc(slices.Values(p.Parts), func(a, b Part) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return parts[:min(n, len(parts))]
}

// Build makes the prompt of an iteration from the pieces as they are now and
// the state of the run. What the gates said of the last iteration is told in
// full as far as there is room. Context and feedback that a template has put in
// its own place are not told again. A prompt that cannot be had is an *Error.
func (b *Builder) Build(ctx context.Context, s loop.State, iteration int, gates []string) (Prompt, error) {
	handoff, feedback := b.Handoff.text(), b.Feedback
	if handoff != "" {
		feedback.Summaries = 0 // they are in it
	}
	t := b.newTurn(ctx, iteration, feedback.text(s, gates))
	texts, err := b.texts(ctx, t)
	if err != nil {
		return Prompt{}, err
	}
	var p Prompt
	p.add("title", b.Title)
	p.addPieces(b.pieces(), texts)
	if !t.placed.context {
		p.add("context", headed(contextHeading, t.context))
	}
	p.Own = p.Text
	p.add("handoff", handoff)
	p.add("notes", Notes(s.Notes))
	if !t.placed.feedback {
		p.add("feedback", headed(feedbackHeading, t.feedback))
	}
	if b.IterationContext && iteration > 1 {
		p.add("iteration", iterationContext(iteration, b.most(s), b.Kept))
	}
	if b.Claims.Tell {
		p.add("tests", howTestsCount(b.Tests))
		p.add("claims", howToClaim(b.Claims, b.Kept))
	}
	p.Tokens = estimate(p.Text)
	return p, nil
}

// most is how many iterations there may be: as the run has it now, once there is
// one.
func (b *Builder) most(s loop.State) int {
	if s.Limits != (loop.Limits{}) {
		return s.Limits.Iterations
	}
	return b.Max
}

// texts is what each piece says now. It is an error when none says anything.
func (b *Builder) texts(ctx context.Context, t *turn) ([]string, error) {
	pieces := b.pieces()
	texts := make([]string, len(pieces))
	silent := true
	for i, piece := range pieces {
		text, err := b.read(ctx, i)
		if err == nil && b.Template {
			text, err = t.render(ctx, t.page(piece, text))
		}
		if err != nil {
			return nil, err
		}
		texts[i] = text
		silent = silent && blank(text)
	}
	if !silent {
		return texts, nil
	}
	if len(pieces) == 1 {
		return nil, empty(pieces[0].name())
	}
	return nil, empty("")
}

// addPieces puts each text under the heading of its section, which stands once
// over those that follow each other. A section that says nothing has none.
func (p *Prompt) addPieces(pieces []Piece, texts []string) {
	section := ""
	for i, piece := range pieces {
		text := texts[i]
		if blank(text) {
			continue
		}
		if piece.Section != section && piece.Section != "" {
			text = "## " + piece.Section + "\n\n" + text
		}
		section = piece.Section
		p.add(cmp.Or(piece.name(), "prompt"), text)
	}
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
