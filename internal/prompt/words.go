package prompt

import (
	"fmt"
	"strings"
)

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
	return text + `A tag counts when it stands alone on its own line, exactly as shown, as plain text: no other words on that line, no quotes, no backticks, no code block. When you do not mean it, do not write it at all, not even to mention it.
`
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
