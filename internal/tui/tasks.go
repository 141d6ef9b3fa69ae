package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

// Task is one of the plan's.
type Task struct {
	Text  string
	Title string // what iterations call it that have done it
	Done  bool
	Doing bool // somebody has said that it is being worked on
}

// tasks is the plan as it stands, read again every now and then: the agent ticks off
// what it has done while it works.
type tasks struct {
	list    []Task
	reading bool
	next    time.Time // when to read again
	last    bool      // the run is over, and this was read since
}

const tasksEvery = 2 * time.Second

// tasksRead is the plan that was read; nil when it could not be.
type tasksRead struct{ list []Task }

func (p *panes) readTasks() tea.Cmd {
	now := p.dialog.now()
	over := p.data.run.State.Ended()
	due := !now.Before(p.tasks.next) || over && !p.tasks.last // what the run has done last counts at once
	if p.work.tasks == nil || p.tasks.reading || !due || p.data.run.Name == "" {
		return nil
	}
	p.tasks.last = over
	p.tasks.reading, p.tasks.next = true, now.Add(tasksEvery)
	name := p.data.run.Name
	return p.work.inBackground(func() tea.Msg {
		list, err := p.work.tasks(name)
		if err != nil {
			list = nil
		}
		return tasksRead{list}
	})
}

// take shows the plan. One that cannot be read for a moment, while it is written, is
// shown as it was.
func (t *tasks) take(read tasksRead) {
	t.reading = false
	if len(read.list) > 0 {
		t.list = read.list
	}
}

// count is how many tasks are done, of all.
func (t *tasks) count() string {
	done := 0
	for _, x := range t.list {
		if x.Done {
			done++
		}
	}
	return fmt.Sprintf("%d/%d", done, len(t.list))
}

// said is the count in words; empty without a plan.
func (t *tasks) said() string {
	if len(t.list) == 0 {
		return ""
	}
	return "tasks " + t.count()
}

// hand is the task at hand: the one that is said to be, or else the first that is
// open; -1 when all are done.
func (t *tasks) hand() int {
	first := -1
	for i, x := range t.list {
		switch {
		case x.Doing:
			return i
		case !x.Done && first < 0:
			first = i
		}
	}
	return first
}

// room is how many lines the tasks take of a height: at most half of it.
func (t *tasks) room(height int) int {
	if len(t.list) == 0 || height < 8 {
		return 0
	}
	return min(len(t.list), height/2-1)
}

// show draws the tasks around the one at hand. At the end of one that is done stands
// the iteration that did it.
func (t *tasks) show(p palette, did map[string]int, width, height int) []string {
	hand := t.hand()
	at := hand
	if at < 0 {
		at = len(t.list) - 1
	}
	top := min(max(at-height/2, 0), max(len(t.list)-height, 0))
	var lines []string
	for i := top; i < len(t.list) && len(lines) < height; i++ {
		x, sign, s := t.list[i], "○ ", plain
		switch {
		case x.Done:
			sign, s = "✓ ", faint
		case i == hand:
			sign, s = "▸ ", live
		}
		by := ""
		if n := did[x.Title]; n > 0 && x.Done {
			by = fmt.Sprintf(" #%d", n)
		}
		said := sign + view.Fit(text.Line(x.Text), max(width-2-len(by), 1))
		lines = append(lines, p.paint(s, pad(said, width-len(by))+by))
	}
	return lines
}
