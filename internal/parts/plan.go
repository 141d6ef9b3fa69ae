package parts

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/plan"
	"github.com/refrain-loop/refrain/internal/text"
)

// Plan compares the tasks before and after each attempt.
type Plan struct {
	*engine.Kit
	File    files.Named // zero: there is none
	Written files.Named // a plan that a claim must have written; zero is none

	tasks  plan.Tasks // as they were last read well; each attempt's folder has them
	before plan.Tasks // as the agent of the attempt under way found them
}

// Take takes note of the tasks that the agent finds. Those of a plan that
// cannot be read are what they were: it may come back with fewer.
func (p *Plan) Take(_ context.Context, a *engine.Attempt) {
	if p.File.IsZero() {
		return
	}
	if tasks, err := plan.Read(p.File); err == nil {
		p.tasks = tasks
	}
	p.before = p.tasks
	a.Dir.WritePlan(p.before)
	now := tally(p.before)
	if last := p.State().Tasks.Plan; now.Total() > 0 && (last == nil || *last != now) {
		p.Record(&loop.PlanRead{Tally: now})
	}
}

func tally(tasks plan.Tasks) loop.Tally {
	count := tasks.Count()
	return loop.Tally{Open: count.Open, InProgress: count.InProgress, Done: count.Done, Task: text.Shorten(tasks.AtHand(), longWords)}
}

// Recall takes up the tasks that the attempt before found.
func (p *Plan) Recall(dir *journal.Attempt) { p.tasks = foundBy(dir) }

// foundBy is the tasks that the agent of an attempt found; none when its runner
// died before it looked.
func foundBy(dir *journal.Attempt) plan.Tasks {
	var tasks plan.Tasks
	dir.ReadPlan(&tasks)
	return tasks
}

// Recover takes up those of an attempt that is not judged yet.
func (p *Plan) Recover(_ context.Context, a *engine.Attempt) error {
	p.before = foundBy(a.Dir)
	return nil
}

// Lost looks at what an agent may have dropped before its runner died.
func (p *Plan) Lost(a *engine.Attempt, o *loop.Outcome) {
	p.before = foundBy(a.Dir)
	p.Check(context.Background(), a, o)
}

// Check compares the plan with what it was before the attempt. A task that
// vanished is told to people and to the next agent.
func (p *Plan) Check(_ context.Context, a *engine.Attempt, o *loop.Outcome) {
	if !p.Written.IsZero() && o.ClaimsDone() {
		if _, err := plan.Read(p.Written); err != nil {
			a.Refusal = err.Error()
		}
	}
	if p.File.IsZero() {
		return
	}
	now, err := plan.Read(p.File)
	if err != nil {
		a.Refusal = err.Error()
		p.Warn("plan "+err.Error(), loop.Warning{Text: err.Error(), Hint: "a plan that cannot be read is not a finished one"})
		return
	}
	p.tasks = now
	lost := plan.Lost(p.before, now)
	count := now.Count()
	count.Lost = len(lost)
	count.Vanished, count.Marks = p.vanished(lost, now)
	count.Task = text.Shorten(now.AtHand(), longWords)
	ticked := plan.Ticked(p.before, now)
	for _, task := range ticked[:min(len(ticked), maxTicked)] {
		count.Ticked = append(count.Ticked, text.Shorten(task.Title(), longWords))
	}
	o.Plan = &count
	if len(lost) > 0 {
		what := fmt.Sprintf("%d open %s vanished from the plan: %s", len(lost), text.OneOrMany(len(lost), "task", "tasks"), text.FirstFew(quoted(textsOf(lost))))
		p.Record(&loop.Warning{Text: what, Hint: "the next agent is told"})
		a.Feedback = append(a.Feedback, what+"; put back what is still to be done")
	}
	if a.Refusal == "" {
		a.Refusal = refusal(o, len(lost))
	}
	if count.Done > p.before.Count().Done {
		a.Signals = append(a.Signals, loop.InPlan)
	}
}

// refusal says why the plan does not let a claim stand, or nothing.
func refusal(o *loop.Outcome, lost int) string {
	open := o.Plan.Open + o.Plan.InProgress
	switch {
	case open > 0:
		return fmt.Sprintf("%d of %d tasks of the plan are not done", open, open+o.Plan.Done)
	case lost > 0, len(o.Plan.Marks) > 0 && o.Claim == nil:
		// A promise after the iteration in which they went is a word to be
		// judged; a plan alone does not say that they are not needed.
		return fmt.Sprintf("%s vanished from the plan: %s; put them back, ticked if they are done or not needed", openTasks(len(o.Plan.Marks)), text.FirstFew(quoted(o.Plan.Vanished)))
	}
	return ""
}

// Finished tells whether there is a plan, and nothing of it is open.
func (p *Plan) Finished() bool {
	if p.File.IsZero() {
		return false
	}
	tasks, err := plan.Read(p.File)
	return err == nil && tasks.Finished()
}

// open is the tasks that are still to be done.
func (p *Plan) open() []string {
	var list []string
	for _, t := range p.tasks {
		if t.Status != plan.Done {
			list = append(list, t.Text)
		}
	}
	return list
}

// How many vanished tasks are remembered, and how many of them in words; and how
// many of those that an attempt has done.
const (
	maxMarks  = 500
	maxTicked = 20
	maxWords  = 5
	longWords = 100
)

// vanished is the open tasks that are gone: in this attempt or an earlier one,
// and not back, in whatever state.
func (p *Plan) vanished(lost []plan.Task, now plan.Tasks) (words, marks []string) {
	there := map[string]bool{}
	for _, t := range now {
		there[taskMark(t.Text)] = true
	}
	s := p.State()
	for _, mark := range s.Marks {
		if !there[mark] {
			marks = append(marks, mark)
		}
	}
	for _, text := range s.Vanished {
		if slices.Contains(marks, taskMark(text)) {
			words = append(words, text)
		}
	}
	for _, t := range lost {
		marks = append(marks, taskMark(t.Text))
		words = append(words, t.Text)
	}
	for i, task := range words[:min(len(words), maxWords)] {
		words[i] = text.Cut(task, longWords)
	}
	return words[:min(len(words), maxWords)], marks[:min(len(marks), maxMarks)]
}

// taskMark tells one task from another, however long it is.
func taskMark(task string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(text.Cut(task, longWords))))
	return hex.EncodeToString(sum[:6])
}

func textsOf(tasks []plan.Task) []string {
	var list []string
	for _, t := range tasks {
		list = append(list, t.Text)
	}
	return list
}

func quoted(texts []string) []string {
	var list []string
	for _, text := range texts {
		list = append(list, fmt.Sprintf("%q", text))
	}
	return list
}

func openTasks(n int) string {
	if n <= maxWords {
		return "open tasks"
	}
	return fmt.Sprintf("%d open tasks", n)
}
