package scaffold

import (
	"fmt"
	"slices"
	"strings"
)

// Question is one that a person at a terminal is asked.
type Question struct {
	Text    string
	Choices []string // empty is any text
	Default string   // what an empty answer means; where it is empty, too, that is an answer
	Answer  *string  // where the answer goes
}

// Take is the answer that a line stands for, and whether it is one.
func (q Question) Take(line string) (string, bool) {
	line = strings.TrimSpace(line)
	if line == "" {
		return q.Default, true
	}
	for _, choice := range q.Choices {
		if strings.EqualFold(line, choice) {
			return choice, true
		}
	}
	return line, len(q.Choices) == 0
}

// Questions are what to ask before Files, three at most. The answers go into
// the options; one that has been given already is not asked for. The agents are
// those that are installed.
func (o *Options) Questions(p Project, agents []string) []Question {
	var list []Question
	if o.Agent == "" && len(agents) > 1 {
		list = append(list, Question{
			Text:    fmt.Sprintf("Which agent should work here (%s)?", strings.Join(agents, ", ")),
			Choices: agents, Default: agents[0], Answer: &o.Agent,
		})
	}
	if o.Test == "" && len(p.Parts) == 0 {
		q := Question{Text: "Which command runs the tests?", Default: p.Main.Test.Line, Answer: &o.Test}
		if at := slices.IndexFunc(p.guide, func(g Gate) bool { return g.checks == "test" }); q.Default == "" && at >= 0 {
			q.Default = p.guide[at].Line
		}
		if q.Default == "" {
			q.Text, q.Default = `Which command runs the tests ("none" for none yet)?`, "none"
		}
		list = append(list, q)
	}
	if o.Goal == "" {
		list = append(list, Question{Text: "What is to be built, in a sentence (empty to say it later)?", Answer: &o.Goal})
	}
	return list
}
