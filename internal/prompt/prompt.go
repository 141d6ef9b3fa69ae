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
	"fmt"
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
	// ShowCommands says that they are shown in their place and not run: nobody has
	// agreed to them.
	ShowCommands bool

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
	Tell     bool   // say how to make them
	From     int    // the first iteration that is told; 0 is the first of all
	Promise  string // what claims done; empty: there is nothing to claim
	Failure  string // what says blocked; empty: there is no such word
	Anywhere bool   // the promise is heard wherever its text stands, without its tag
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
	if b.Claims.Tell && iteration >= b.Claims.From {
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

// The tags below stand inside sentences, never alone on a line: an agent that
// only repeats its prompt must not be heard as making a claim.

const (
	contextHeading = "## Context\n\n"
	notesHeading   = "## Notes from the operator\n\nA person who follows this run says:\n\n"
)

// headed is a text under its heading, or nothing when there is no text.
func headed(heading, text string) string {
	if text == "" {
		return ""
	}
	return heading + text
}

// Notes is what people have said, the oldest first, under its heading.
func Notes(texts []string) string {
	var list strings.Builder
	for _, text := range texts {
		if !blank(text) {
			list.WriteString(entry("", text))
		}
	}
	return headed(notesHeading, list.String())
}

// iterationContext tells an agent with no memory that others came before it.
func iterationContext(n, most int, kept bool) string {
	only := " Previous work persists in the files and in the git history; nothing else does."
	if kept {
		only = ""
	}
	of := "an unlimited number"
	if most > 0 {
		of = fmt.Sprint(most)
	}
	return fmt.Sprintf(`---
ITERATION CONTEXT:
This is iteration %d of %s.%s
Review what is already there, then continue from it. Do not start over.
---
`, n, of, only)
}

// howToClaim tells the agent how to end the run, and when not to. Without a
// promise the run ends in another way, and blocked is all that can be said.
func howToClaim(c Claims, kept bool) string {
	if c.Promise == "" && c.Failure == "" {
		return ""
	}
	memory := ", each time with a fresh memory,"
	if kept {
		memory = ", sometimes with a fresh memory,"
	}
	text := `## How this run ends

You are run again and again` + memory + ` until the task is done. You need not finish everything now: leave the files in a good state and the next iteration goes on from there.

`
	if c.Promise != "" {
		text += fmt.Sprintf(`When everything that was asked for is finished, and you have checked that it works (run it, run the tests, read the result), say so by writing the tag %s in your answer. The claim ends the run and may be checked, so do not make it while any part is open, failing, assumed or untested.

`, tag(c.Promise))
	}
	if c.Failure != "" {
		text += fmt.Sprintf(`If you cannot go on without a person (an access, a decision or a fact that only they can give), say what you need and what you tried, then write the tag %s in your answer. That ends the run as blocked. A hard problem or a failing test is not a reason: try another way, or leave notes for the next iteration.

`, tag(c.Failure))
	}
	text += `A tag counts when it stands alone on its own line, exactly as shown, as plain text: no other words on that line, no quotes, no backticks, no code block. When you do not mean it, do not write it at all, not even to mention it.
`
	if c.Anywhere && c.Promise != "" {
		text += fmt.Sprintf("\nThe text %q is taken for the claim wherever it stands, in capitals or not, also without the tag: use other words for what is not finished yet.\n", c.Promise)
	}
	return text
}

// howTestsCount tells the agent what becomes of tests that it changes.
func howTestsCount(tests string) string {
	switch tests {
	case "kept":
		return `## How the work is checked

Tests are run as they were when this run began, too: one that was weakened, skipped or removed is noticed. Where the task itself asks for another meaning, say so for each such test: write the tag <test-changed name="NAME">the reason</test-changed>, alone on its own line. Work counts as proven when a test fails without it: add one where there is none.
`
	case "pinned":
		return `## How the work is checked

Tests are run as they were when this run began: make the work hold against them, and leave them alone. New tests are welcome.
`
	}
	return ""
}

func tag(text string) string {
	return "<promise>" + strings.Join(strings.Fields(text), " ") + "</promise>"
}
