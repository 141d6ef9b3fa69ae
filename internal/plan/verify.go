package plan

import (
	"fmt"
	"math"
	"slices"
)

// Report is a plan held against the specs. The names of its counts in JSON are
// those that scripts know from other tools. Lists are in the order of the plan
// and of the specs.
type Report struct {
	Total      int `json:"total_tasks"`
	Open       int `json:"pending_tasks"`
	InProgress int `json:"in_progress_tasks"`
	Done       int `json:"completed_tasks"`
	WithSpec   int `json:"tasks_with_refs"` // that lead to a spec
	Orphaned   int `json:"orphan_tasks"`    // that lead to none, though there are specs

	Sections  []Section   `json:"sections"`
	Coverage  []Coverage  `json:"coverage"`
	Uncovered []Uncovered `json:"uncovered"`
	LostRefs  []LostRef   `json:"lost_refs"`
	Orphans   []Task      `json:"orphans"`
	Tasks     Tasks       `json:"tasks"` // with those of their references that count

	// Problems says in words what keeps the report from being OK.
	Problems []string `json:"problems"`
}

// Section is how far the tasks below one heading are.
type Section struct {
	File       string `json:"file,omitempty"`
	Name       string `json:"section"`
	Priority   *int   `json:"priority,omitempty"` // of its first task
	Total      int    `json:"total_tasks"`
	Open       int    `json:"pending_tasks"`
	InProgress int    `json:"in_progress_tasks"`
	Done       int    `json:"completed_tasks"`
}

// Coverage is how much of one spec the plan is about.
type Coverage struct {
	Name         string  `json:"spec_name"`
	Path         string  `json:"path"`
	Title        string  `json:"title"`
	Requirements int     `json:"requirement_count"`
	Covered      int     `json:"covered_count"`
	Tasks        int     `json:"task_count"`
	Done         int     `json:"completed_tasks"`
	Percent      float64 `json:"coverage_percent"`
}

// Uncovered is a requirement that no task is for.
type Uncovered struct {
	Path string `json:"path"`
	Requirement
}

// LostRef is a reference to what is not there.
type LostRef struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line_number"`
	Ref  Ref    `json:"ref"`
	Why  string `json:"why"`
}

// OK tells whether plan and specs fit: every spec has a task, every MUST is
// covered, and every reference that a task lists leads somewhere. A task
// without a spec is no fault, for there are chores; nor is it one that a
// SHOULD, a MAY, a box or a heading is not covered.
//
// A task that refers to a spec covers all of it; one that refers to a section
// covers what stands in it; one that names a heading, a box or an ID covers
// that. A done task covers as much as an open one.
func (r Report) OK() bool { return len(r.Problems) == 0 }

// Verify holds a plan against specs.
func Verify(tasks Tasks, specs []Spec) Report {
	count := tasks.Count()
	r := Report{
		Total: len(tasks), Open: count.Open, InProgress: count.InProgress, Done: count.Done,
		Sections: sections(tasks), Coverage: []Coverage{}, Uncovered: []Uncovered{}, LostRefs: []LostRef{},
		Orphans: []Task{}, Tasks: Tasks{}, Problems: []string{},
	}
	c := newCatalogue(specs)
	shares := make([]share, len(specs))
	known := map[LostRef]bool{} // a task hands its references down to those within it
	for _, task := range tasks {
		found := c.look(task)
		task.Refs = found.refs
		r.Tasks = append(r.Tasks, task)
		for _, lost := range found.lost {
			if !known[lost] {
				known[lost] = true
				r.LostRefs = append(r.LostRefs, lost)
			}
		}
		switch {
		case len(found.places) > 0:
			r.WithSpec++
		case len(specs) > 0:
			r.Orphans = append(r.Orphans, task)
		}
		for n, places := range found.bySpec() {
			shares[n].add(places, task.Status)
		}
	}
	r.Orphaned = len(r.Orphans)
	for n, spec := range specs {
		if !spec.Index() {
			r.compare(spec, shares[n])
		}
	}
	r.judge()
	return r
}

// sections counts the tasks by file and heading, in the order of the plan.
func sections(tasks Tasks) []Section {
	type key struct{ file, name string }
	at := map[key]int{}
	list := []Section{}
	for _, task := range tasks {
		k := key{task.File, task.Section}
		n, known := at[k]
		if !known {
			n = len(list)
			at[k] = n
			list = append(list, Section{File: task.File, Name: task.Section, Priority: task.Priority})
		}
		s := &list[n]
		s.Total++
		switch task.Status {
		case InProgress:
			s.InProgress++
		case Done:
			s.Done++
		default:
			s.Open++
		}
	}
	return list
}

// compare adds what the tasks cover of a spec.
func (r *Report) compare(spec Spec, s share) {
	c := Coverage{
		Name: spec.Name(), Path: spec.Path, Title: spec.Title,
		Requirements: len(spec.Requirements), Tasks: s.tasks, Done: s.done,
	}
	for n, requirement := range spec.Requirements {
		if s.covers(n, requirement) {
			c.Covered++
			continue
		}
		r.Uncovered = append(r.Uncovered, Uncovered{spec.Path, requirement})
	}
	switch {
	case c.Requirements > 0:
		c.Percent = math.Round(1000*float64(c.Covered)/float64(c.Requirements)) / 10
	case c.Tasks > 0:
		c.Percent = 100
	}
	r.Coverage = append(r.Coverage, c)
}

// judge says what is wrong; see OK.
func (r *Report) judge() {
	for _, lost := range r.LostRefs {
		r.Problems = append(r.Problems, fmt.Sprintf("%s:%d refers to %s, but %s", lost.File, lost.Line, lost.Ref, lost.Why))
	}
	idle := map[string]bool{}
	for _, c := range r.Coverage {
		if c.Tasks == 0 {
			idle[c.Path] = true
			r.Problems = append(r.Problems, c.Path+" has no task")
		}
	}
	for _, u := range r.Uncovered {
		if u.Level == Must && !idle[u.Path] {
			r.Problems = append(r.Problems, fmt.Sprintf("%s:%d has no task: %s", u.Path, u.Line, u.Text))
		}
	}
}

// share is what of a spec the tasks are about.
type share struct {
	whole        bool
	headings     map[int]bool
	requirements map[int]bool
	tasks, done  int
}

// add takes in a task.
func (s *share) add(places []place, status Status) {
	s.tasks++
	if status == Done {
		s.done++
	}
	if s.headings == nil {
		s.headings, s.requirements = map[int]bool{}, map[int]bool{}
	}
	for _, p := range places {
		s.whole = s.whole || p.whole()
		s.headings[p.heading] = true
		s.requirements[p.requirement] = true
	}
}

func (s *share) covers(n int, r Requirement) bool {
	return s.whole || s.requirements[n] || slices.ContainsFunc(r.within, func(heading int) bool { return s.headings[heading] })
}
