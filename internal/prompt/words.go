package prompt

import (
	"fmt"
	"strings"
)

// The tags below stand inside sentences, never alone on a line: an agent that
// only repeats its prompt must not be heard as making a claim.

// userContext is what the user adds to the prompt.
func userContext(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return "## Context\n\n" + strings.Join(texts, "\n\n")
}

// iterationContext tells an agent with no memory that others came before it.
func iterationContext(n, most int) string {
	of := "an unlimited number"
	if most > 0 {
		of = fmt.Sprint(most)
	}
	return fmt.Sprintf(`---
ITERATION CONTEXT:
This is iteration %d of %s. Previous work persists in the files and in the git history; nothing else does.
Review what is already there, then continue from it. Do not start over.
---
`, n, of)
}

// howToClaim tells the agent how to end the run, and when not to.
func howToClaim(promise, failure string) string {
	text := fmt.Sprintf(`## How this run ends

You are run again and again, each time with a fresh memory, until the task is done. You need not finish everything now: leave the files in a good state and the next iteration goes on from there.

When everything that was asked for is finished, and you have checked that it works (run it, run the tests, read the result), say so by writing the tag %s in your answer. It must stand alone on its own line, exactly as shown, as plain text: no other words on that line, no quotes, no backticks, no code block. The claim ends the run and may be checked, so do not make it while any part is open, failing, assumed or untested. Otherwise, do not write the tag at all, not even to mention it.
`, tag(promise))
	if failure == "" {
		return text
	}
	return text + fmt.Sprintf(`
If you cannot go on without a person (an access, a decision or a fact that only they can give), say what you need and what you tried, then write the tag %s in the same way, alone on its own line. That also ends the run, as blocked. A hard problem or a failing test is not a reason: try another way, or leave notes for the next iteration.
`, tag(failure))
}

func tag(text string) string {
	return "<promise>" + strings.Join(strings.Fields(text), " ") + "</promise>"
}
