package engine

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/text"
)

// readPlan reads the tasks; nil without a plan, or when it can't be read.
func (e *Engine) readPlan() (plan.Tasks, error) {
	if e.Plan == "" {
		return nil, nil
	}
	return plan.Read(e.Plan)
}

// openPlan takes note of the tasks that the agent finds. Those of a plan that
// cannot be read are what they were: it may come back with fewer.
func (e *Engine) openPlan(a *attempt) {
	if e.Plan == "" {
		return
	}
	if tasks, err := e.readPlan(); err == nil {
		e.tasks = tasks
	}
	a.tasks = e.tasks
	a.dir.WritePlan(a.tasks)
}

// checkPlan compares the plan with what it was before the attempt. A task that
// vanished is told to people and to the next agent.
func (e *Engine) checkPlan(a *attempt, o *loop.Outcome) (ticked bool) {
	tasks, err := e.readPlan()
	if err != nil {
		a.planProblem = err.Error()
		e.warn("plan "+err.Error(), loop.Warning{Text: err.Error(), Hint: "a plan that cannot be read is not a finished one"})
		return false
	}
	if e.Plan == "" {
		return false
	}
	e.tasks = tasks
	a.lost = plan.Lost(a.tasks, tasks)
	count := tasks.Count()
	count.Lost = len(a.lost)
	count.Vanished, count.Marks = e.vanished(a.lost, tasks)
	o.Plan = &count
	if len(a.lost) > 0 {
		what := fmt.Sprintf("%d open %s vanished from the plan: %s", len(a.lost), noun(len(a.lost), "task"), text.FirstFew(texts(a.lost)))
		e.record(&loop.Warning{Text: what, Hint: "the next agent is told"})
		a.told = append(a.told, what+"; put back what is still to be done")
	}
	return count.Done > a.tasks.Count().Done
}

// How many vanished tasks are remembered, and how many of them in words.
const (
	mostMarks = 500
	mostWords = 5
	longWords = 100
)

// vanished is the open tasks that are gone: in this attempt or an earlier one,
// and not back, in whatever state.
func (e *Engine) vanished(lost []plan.Task, now plan.Tasks) (words, marks []string) {
	there := map[string]bool{}
	for _, t := range now {
		there[markOf(t.Text)] = true
	}
	s := e.snapshot()
	for _, mark := range s.Marks {
		if !there[mark] {
			marks = append(marks, mark)
		}
	}
	for _, text := range s.Vanished {
		if slices.Contains(marks, markOf(text)) {
			words = append(words, text)
		}
	}
	for _, t := range lost {
		marks = append(marks, markOf(t.Text))
		words = append(words, t.Text)
	}
	for i, task := range words[:min(len(words), mostWords)] {
		words[i] = text.Cut(task, longWords)
	}
	return words[:min(len(words), mostWords)], marks[:min(len(marks), mostMarks)]
}

// markOf tells one task from another, however long it is.
func markOf(task string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(text.Cut(task, longWords))))
	return hex.EncodeToString(sum[:6])
}

// refusedByPlan says why the plan does not let a claim stand, or nothing.
func (a *attempt) refusedByPlan(o *loop.Outcome) string {
	switch {
	case a.planProblem != "":
		return a.planProblem
	case o.Plan == nil:
		return ""
	case o.Plan.Open+o.Plan.InProgress > 0:
		return fmt.Sprintf("%d of %d tasks of the plan are not done", o.Plan.Open+o.Plan.InProgress, o.Plan.Open+o.Plan.InProgress+o.Plan.Done)
	case len(a.lost) > 0, len(o.Plan.Marks) > 0 && o.Claim == nil:
		// A promise after the iteration in which they went is a word to be
		// judged; a plan alone does not say that they are not needed.
		return fmt.Sprintf("%s vanished from the plan: %s; put them back, ticked if they are done or not needed", openTasks(len(o.Plan.Marks)), text.FirstFew(quoted(o.Plan.Vanished)))
	}
	return ""
}

func texts(tasks []plan.Task) []string {
	var list []string
	for _, t := range tasks {
		list = append(list, t.Text)
	}
	return quoted(list)
}

func quoted(texts []string) []string {
	var list []string
	for _, text := range texts {
		list = append(list, fmt.Sprintf("%q", text))
	}
	return list
}

func openTasks(n int) string {
	if n <= mostWords {
		return "open tasks"
	}
	return fmt.Sprintf("%d open tasks", n)
}

func noun(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
