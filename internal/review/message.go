package review

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// Facts is what the message of a commit is made of.
type Facts struct {
	Tasks      []string // of the plan
	Iterations []int
	Summary    string // what the agent said of it
	Asked      string // what the run was told to do, in a sentence
	Subject    string // a person's own words for it; empty: none
}

// maxSubject is where git and its web pages cut a subject.
const maxSubject = 72

// Message says what a commit holds, how it came about, and what stands behind it.
func Message(run *view.Run, f Facts) (message string, trailers []string) {
	subject := f.subject(run.Name)
	paragraphs := []string{shortened(subject)}
	if paragraphs[0] != subject {
		paragraphs = append(paragraphs, wrapped(subject))
	}
	if len(f.Tasks) > 1 {
		var tasks []string
		for _, task := range f.Tasks {
			tasks = append(tasks, "- "+text.Line(task))
		}
		paragraphs = append(paragraphs, strings.Join(tasks, "\n"))
	}
	said := fmt.Sprintf("%s of %s: %s.", text.Sentence(iterations(f.Iterations)), run.Name, run.Headline())
	if changed := view.ChangedTests(run.Proof()); len(changed) > 0 {
		said += " Changed tests: " + strings.Join(changed, ", ") + "."
	}
	paragraphs = append(paragraphs, wrapped(said))
	trailers = []string{"Refrain-Run: " + run.Name}
	if len(f.Iterations) > 0 {
		trailers = append(trailers, "Refrain-Iterations: "+strings.TrimPrefix(strings.TrimPrefix(iterations(f.Iterations), "iterations "), "iteration "))
	}
	return strings.Join(paragraphs, "\n\n"), trailers
}

// subject is the first of what is known that says what was done.
func (f Facts) subject(run string) string {
	switch {
	case f.Subject != "":
		return text.Line(f.Subject)
	case len(f.Tasks) == 1:
		return text.Line(f.Tasks[0])
	case len(f.Tasks) > 1:
		return fmt.Sprintf("%s (and %s)", text.Line(f.Tasks[0]), text.Plural(len(f.Tasks)-1, "more task"))
	}
	for _, said := range []string{f.Asked, f.Summary} {
		for line := range strings.Lines(said) {
			if line = strings.TrimLeft(text.Line(line), "#*-> "); line != "" {
				return line
			}
		}
	}
	return fmt.Sprintf("%s: %s", run, iterations(f.Iterations))
}

// shortened cuts a subject between two words.
func shortened(subject string) string {
	if len([]rune(subject)) <= maxSubject {
		return subject
	}
	cut := string([]rune(subject)[:maxSubject-1])
	if at := strings.LastIndexByte(cut, ' '); at > maxSubject/2 {
		cut = cut[:at]
	}
	return strings.TrimRight(cut, " ,;:.") + text.Ellipsis
}

// wrapped breaks a paragraph into lines of at most maxSubject, where it can.
func wrapped(paragraph string) string {
	var b strings.Builder
	at := 0
	for word := range strings.FieldsSeq(paragraph) {
		n := len([]rune(word))
		switch {
		case at == 0:
		case at+1+n > maxSubject:
			b.WriteByte('\n')
			at = 0
		default:
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += n
	}
	return b.String()
}

// iterations lists numbers as "iteration 2" or "iterations 1-3, 5".
func iterations(list []int) string {
	if len(list) == 0 {
		return "no iteration"
	}
	var spans []string
	for i := 0; i < len(list); {
		j := i
		for j+1 < len(list) && list[j+1] == list[j]+1 {
			j++
		}
		if i == j {
			spans = append(spans, fmt.Sprint(list[i]))
		} else {
			spans = append(spans, fmt.Sprintf("%d-%d", list[i], list[j]))
		}
		i = j + 1
	}
	return text.OneOrMany(len(list), "iteration ", "iterations ") + strings.Join(spans, ", ")
}
