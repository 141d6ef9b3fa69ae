package plan

import (
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/text"
)

// Question is one that only a person can answer, as a plan puts it: a list item
// without a box, below the heading "Questions".
type Question struct {
	Text      string // on one line
	Meanwhile string // the answer that the plan goes by so far
	Refs      []Ref  // the specs that it is about
}

// Questions reads the questions of a plan. One that cannot be read asks nothing:
// whoever reads its tasks says so.
func Questions(name files.Named) []Question {
	r, err := open(name)
	if err != nil {
		return nil
	}
	defer r.folder.Close()
	var list []Question
	for n := 0; n < len(r.parts); n++ {
		if err := r.read(r.parts[n]); err != nil {
			break
		}
		if text, err := readBelow(r.folder, r.parts[n].file); err == nil {
			list = append(list, parseQuestions(string(text))...)
		}
	}
	return list
}

func parseQuestions(text string) []Question {
	q := inquirer{}
	tell(text, &q)
	var list []Question
	for _, item := range q.items {
		one := Question{}
		for _, line := range item {
			for _, l := range labels(plain(line)) {
				if l.name == refsLabel {
					one.Refs = addRefs(one.Refs, l.refs(0))
				}
			}
			if !refsAlone().MatchString(line) {
				one.Text += " " + line
			}
		}
		one.Text = inBrackets().ReplaceAllString(plain(one.Text), " ")
		if at := meanwhile().FindStringIndex(one.Text); at != nil {
			one.Text, one.Meanwhile = one.Text[:at[0]], strings.Trim(one.Text[at[1]:], " .*_)")
		}
		if one.Text = fold(strings.Trim(one.Text, " *_(")); one.Text != "" {
			list = append(list, one)
		}
	}
	return list
}

var (
	questionsHeading = text.NewPattern(`(?i)^(open )?questions\b`)
	meanwhile        = text.NewPattern(`(?i)[(*_]*\bmeanwhile[*_]*:[*_]*`)
	refsAlone        = text.NewPattern(`(?i)^[*_]*(?:refs?|references?|specs?)[*_]*:`)
	inBrackets       = text.NewPattern(`(?i)\((?:refs?|references?|specs?):[^()]*\)`)
)

// inquirer finds the items below the heading of the questions.
type inquirer struct {
	level int // of that heading; 0: this is another one
	items [][]string
	inner bool // the last item is one of them
}

func (q *inquirer) heading(_, level int, text string) {
	switch {
	case questionsHeading().MatchString(text):
		q.level = level
	case level <= q.level:
		q.level = 0
	}
	q.inner = false
}

func (q *inquirer) item(_, depth int, text string) {
	_, _, task := boxed(text)
	if q.level > 0 && depth == 0 {
		if q.inner = !task; q.inner {
			q.items = append(q.items, []string{text})
		}
		return
	}
	q.text(0, depth, text, true)
}

func (q *inquirer) text(_, depth int, text string, _ bool) {
	if q.inner && depth > 0 {
		last := len(q.items) - 1
		q.items[last] = append(slices.Clip(q.items[last]), text)
	}
}
