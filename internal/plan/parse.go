package plan

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/text"
)

// Parse finds the tasks in a markdown text: list items, by a bullet or a
// number, that begin with a box. Code, comments and quotes hold no tasks.
func Parse(text []byte) Tasks {
	tasks, _ := parse(text)
	return tasks
}

func parse(text []byte) (Tasks, []link) {
	p := planner{section: &section{}}
	tell(string(text), &p)
	p.finish()
	return p.tasks, p.links
}

// planner makes tasks of what a plan says.
type planner struct {
	tasks   Tasks
	made    []origin // of each task
	owners  []int    // of each open list item, the task that it belongs to, or none
	section *section
	links   []link
}

// origin is where a task comes from, and what it says below its first line.
type origin struct {
	parent  int // the task that it lies in, or none
	section *section
	notes   []string
}

// section is a heading, or the beginning of the file, with what it says of the
// tasks below it.
type section struct {
	level    int
	text     string
	around   *section
	priority *int
	refs     []Ref
}

func (p *planner) heading(line, level int, text string) {
	around := p.section
	for around.level >= level {
		around = around.around
	}
	p.section = &section{level: level, text: text, around: around, priority: cmp.Or(named(text), marked(text), around.priority)}
	p.see(line, none, text)
}

func (p *planner) item(line, depth int, text string) {
	owner := p.owner(depth)
	p.owners = append(p.owners[:depth], owner)
	status, after, ok := boxed(text)
	if !ok {
		p.note(line, owner, text)
		return
	}
	p.owners[depth] = len(p.tasks)
	p.tasks = append(p.tasks, Task{
		Text: plain(after), Status: status, Line: line, Depth: depth,
		Section: p.section.text, Priority: cmp.Or(marked(after), p.section.priority),
	})
	p.made = append(p.made, origin{parent: owner, section: p.section})
	p.see(line, p.owners[depth], plain(after))
}

func (p *planner) text(line, depth int, text string, _ bool) { p.note(line, p.owner(depth), text) }

// owner is the task around what stands at a depth, or none.
func (p *planner) owner(depth int) int {
	if depth == 0 {
		return none
	}
	return p.owners[depth-1]
}

// note takes a line that is no task of its own.
func (p *planner) note(line, owner int, text string) {
	if text = plain(text); text == "" {
		return
	}
	if owner != none {
		p.made[owner].notes = append(p.made[owner].notes, text)
	}
	p.see(line, owner, text)
}

// see takes in what a line says of its task, or of the tasks of its section.
func (p *planner) see(line, owner int, text string) {
	p.links = appendLinks(p.links, line, text)
	if owner == none {
		for _, l := range labels(text) {
			if l.name == refsLabel {
				p.section.refs = addRefs(p.section.refs, l.refs(line))
			}
		}
		return
	}
	task := &p.tasks[owner]
	for _, l := range labels(text) {
		switch l.name {
		case refsLabel:
			task.Refs = addRefs(task.Refs, l.refs(line))
		case dependsLabel:
			task.Dependencies = append(task.Dependencies, l.list()...)
		case complexityLabel:
			task.Complexity = l.word()
		case priorityLabel:
			task.Priority = cmp.Or(named("priority "+l.value), task.Priority)
		}
	}
	task.Refs = addRefs(task.Refs, mentions(line, text))
}

// finish gives the tasks what was said later, or of many at once. A task that
// lists no references has those of the task around it, else of the headings.
func (p *planner) finish() {
	for n, from := range p.made {
		task := &p.tasks[n]
		task.Notes = strings.Join(from.notes, "\n")
		if listed(task.Refs) {
			continue
		}
		if from.parent != none {
			task.Refs = addRefs(task.Refs, p.tasks[from.parent].Refs)
		}
		for s := from.section; s != nil && !listed(task.Refs); s = s.around {
			task.Refs = addRefs(task.Refs, s.refs)
		}
	}
}

// boxed reads the box at the beginning of a list item.
func boxed(text string) (status Status, after string, ok bool) {
	found := box().FindStringSubmatch(text)
	if found == nil {
		return 0, "", false
	}
	mark, after := strings.TrimSpace(found[1]), found[2]
	if utf8.RuneCountInString(mark) > 1 || linked(found[1], after) {
		return 0, "", false
	}
	return marks[mark], after, true
}

var box = text.NewPattern(`^\[([^\]\[]{0,8})\](.*)$`)

// marks are what a box may hold besides nothing. A mark that is not here, such
// as a question mark, says that something is left to do.
var marks = map[string]Status{"~": InProgress, "x": Done, "X": Done}

// linked tells whether brackets belong to a link rather than being a box.
func linked(inside, after string) bool {
	blank := inside != "" && strings.TrimSpace(inside) == "" // no link is called so
	return !blank && after != "" && strings.ContainsRune("([:", rune(after[0]))
}

// label is a named detail of a task, as in "Dependencies: the parser".
type label struct{ name, value string }

// The names of labels, whatever they are called in the plan.
const (
	refsLabel       = "refs"
	dependsLabel    = "depends on"
	complexityLabel = "complexity"
	priorityLabel   = "priority"
)

var (
	// labelled finds a label at the beginning of a text, of a sentence or cell in
	// it, or in parentheses.
	labelled = text.NewPattern(`(?i)(?:^|(\()|[.;,|–—-]\s+)[*_]*(?:(refs?|references?|spec(?:ification)?s?)|(depends on|dependenc(?:y|ies))|(complexity)|(priority))[*_]*\s*:[*_]*`)
	depends  = text.NewPattern(`(?i)\((depends on)\s+`)
)

// labels finds the details in a text. Each reaches as far as its parentheses,
// or else to the next one.
func labels(text string) []label {
	if !strings.Contains(text, ":") && !strings.Contains(text, "(") {
		return nil
	}
	text = depends().ReplaceAllString(text, "($1: ")
	found := labelled().FindAllStringSubmatchIndex(text, -1)
	var list []label
	for n, at := range found {
		value := text[at[1]:]
		if n+1 < len(found) {
			value = text[at[1]:found[n+1][0]]
		}
		if at[2] >= 0 {
			value = closed(value)
		}
		list = append(list, label{nameOf(at), strings.Trim(value, " \t.;,|*_`")})
	}
	return list
}

func nameOf(at []int) string {
	for n, name := range []string{refsLabel, dependsLabel, complexityLabel} {
		if at[4+2*n] >= 0 {
			return name
		}
	}
	return priorityLabel
}

// closed is a text up to the parenthesis that was opened before it.
func closed(text string) string {
	depth := 1
	for i := range len(text) {
		switch text[i] {
		case '(':
			depth++
		case ')':
			depth--
		}
		if depth == 0 {
			return text[:i]
		}
	}
	return text
}

// list is a value of several parts.
func (l label) list() []string {
	var list []string
	for part := range strings.FieldsFuncSeq(l.value, func(r rune) bool { return r == ',' || r == ';' }) {
		if part = strings.Trim(part, " \t*_`"); part != "" && !nothing[strings.ToLower(part)] {
			list = append(list, part)
		}
	}
	return list
}

// nothing is what people write where there is nothing to say.
var nothing = map[string]bool{"none": true, "nothing": true, "n/a": true, "na": true, "-": true, "–": true, "—": true, "tbd": true}

// word is the first word of a value, in small letters.
func (l label) word() string {
	word, _, _ := strings.Cut(l.value, " ")
	return strings.ToLower(strings.Trim(word, ".,;:*_`"))
}

var (
	priorityMark = text.NewPattern(`(?:^[^\pL\pN]*|[(\[])P([0-9]{1,2})\b`)
	priorityName = text.NewPattern(`(?i)\bpriority\s*[:#-]?\s*P?([0-9]{1,3})\b`)
)

// marked is the priority that a text states as P1 at its beginning or in
// brackets, or nil; within a sentence, P1 may be anything.
func marked(text string) *int { return number(priorityMark(), text) }

// named is the priority that a text gives by name, or nil.
func named(text string) *int { return number(priorityName(), text) }

func number(pattern *regexp.Regexp, text string) *int {
	found := pattern.FindStringSubmatch(text)
	if found == nil {
		return nil
	}
	n, err := strconv.Atoi(found[1])
	if err != nil {
		return nil
	}
	return &n
}
