package notify

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// verbs say what the run does, or did.
var verbs = map[Kind]string{
	Done:      "is done",
	Exhausted: "hit the limit",
	Aborted:   "gave up",
	Stopped:   "was stopped",
	Failed:    "could not run",
	Waiting:   "is waiting",
	Person:    "needs a person",
	Budget:    "has nearly used up its budget",
}

// title is one line that can stand alone.
func title(m Message, verb string) string {
	return "refrain: " + text.Shorten(cleanLine(cmp.Or(m.Run, "the run")), maxTitle/2) + " " + verb
}

// endWords are the title and the text of a run's end: what happened, then what
// to do. need is what a person is needed for.
func endWords(m Message, proof *loop.Proof, need string) (string, string) {
	verb, next := verbs[m.Kind], "Go on with: refrain resume "
	switch {
	case m.Kind == Done:
		verb = "is " + view.People(loop.Done, m.Level)
	case m.Urgent:
		verb += " and needs a person"
	}
	switch m.Kind {
	case Done:
		next = "Look at it with: refrain show "
	case Exhausted:
		next = "Go on with a higher limit: refrain resume "
	}
	if !m.Urgent || strings.Contains(m.Why, need) {
		need = ""
	}
	if m.Run == "" {
		next = ""
	}
	return title(m, verb), paragraphs(m.Why, backing(m, proof), need, tally(m), next+cleanLine(m.Run))
}

// backing is what stands behind a run that is done, where that is less than a
// proof in a clean checkout: what is missing, or the tests that do not hold as they
// were. What the cause of the end says already is left out.
func backing(m Message, proof *loop.Proof) string {
	var lines []string
	switch {
	case proof == nil:
	case proof.Level == loop.LevelProven && proof.Place == loop.InWorkspace:
		lines = []string{view.Standing(proof, m.Reason)}
	case proof.Level == loop.LevelProven:
	case proof.Level == loop.LevelTestsChanged:
		lines = append([]string{"tests that do not hold as they were:"}, view.ChangedTests(proof)...)
	case !strings.Contains(m.Why, m.LevelWhy):
		lines = []string{m.LevelWhy}
	}
	return text.Shorten(cleanText(paragraphs(lines...)), maxText/2)
}

// tally is what the run has come to so far.
func tally(m Message) string {
	said := "1 iteration"
	if m.Iterations != 1 {
		said = fmt.Sprintf("%d iterations", m.Iterations)
	}
	if m.Elapsed > 0 {
		said += " in " + text.Seconds(m.Elapsed.Duration())
	}
	switch {
	case m.CostUSD > 0 && m.CostEstimated:
		said += fmt.Sprintf(", ≈$%.2f", m.CostUSD)
	case m.CostUSD > 0:
		said += fmt.Sprintf(", $%.2f", m.CostUSD)
	}
	if m.Dir != "" {
		said += ", in " + cleanLine(m.Dir)
	}
	return said
}

// untilWords say when a wait is over, by the clock of the person.
func untilWords(until, now time.Time) string {
	left := until.Sub(now)
	layout := "15:04"
	if left > 12*time.Hour {
		layout = "Mon 15:04"
	}
	return fmt.Sprintf("It goes on by itself at %s, in %s.", until.Local().Format(layout), text.Seconds(left))
}

// paragraphs puts each text that says anything on a line of its own.
func paragraphs(texts ...string) string {
	var lines []string
	for _, text := range texts {
		if text != "" {
			lines = append(lines, text)
		}
	}
	return strings.Join(lines, "\n")
}

// testMessage shows that a channel works.
func testMessage(s story, now time.Time) Message {
	return Message{
		Kind: Test, Title: "refrain can reach you", Text: "This is a test: messages about your runs arrive here.",
		Run: s.run, Procedure: s.procedure, Dir: s.dir, At: now.UTC().Truncate(time.Millisecond),
	}
}
