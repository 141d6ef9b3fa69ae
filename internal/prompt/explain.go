package prompt

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"text/template"

	"github.com/refrain-loop/refrain/internal/text"
)

// in gives the place of an error in a page that its maker did not know. Lines
// are counted from the end of the front matter till then.
func (e *Error) in(p *page) *Error {
	placed := *e
	placed.Path = p.name
	if placed.Line > 0 {
		placed.Line += p.height
	}
	return &placed
}

// Package template has no errors with fields: all that it knows is in the text.
var (
	withLine   = text.NewPattern(`(?s)^template: ` + templateName + `:(\d+)(?::\d+)?: (.*)$`)
	withAction = text.NewPattern(`(?s)^executing "` + templateName + `" at <(.*?)>: (?:error calling \w+: )?(.*)$`)
	noFunction = text.NewPattern(`^function "(.*)" not defined$`)
	noEntry    = text.NewPattern(`map has no entry for key "(.*)"$|can't evaluate field (\w+) in type`)
)

// explain puts an error of package template into words of ours.
func (p *page) explain(err error, functions template.FuncMap) error {
	e := &Error{What: err.Error(), Hint: notOurs}
	if m := withLine().FindStringSubmatch(e.What); m != nil {
		e.Line, _ = strconv.Atoi(m[1])
		e.What = m[2]
	}
	var own *Error
	if errors.As(err, &own) {
		if own.Path != "" {
			return own
		}
		return (&Error{Line: e.Line, What: own.What, Hint: own.Hint, Err: own.Err}).in(p)
	}
	action := ""
	if m := withAction().FindStringSubmatch(e.What); m != nil {
		action, e.What = m[1], m[2]
	}
	switch m := noFunction().FindStringSubmatch(e.What); {
	case m != nil:
		names := slices.DeleteFunc(slices.Collect(maps.Keys(functions)), func(name string) bool { return name == roundName })
		e.What = fmt.Sprintf("no function %q; there are: %s", m[1], list(names))
		e.Hint = "a variable has a dot before its name, as in {{.Iteration}}; " + notOurs
	case noEntry().MatchString(e.What):
		m := noEntry().FindStringSubmatch(e.What)
		e.What = fmt.Sprintf("no variable %q in {{%s}}", m[1]+m[2], action)
		e.Hint = "inside range and with, a dot is what they are at; $ is what it was before, as in {{$.Iteration}}"
	case action != "":
		e.What = fmt.Sprintf("{{%s}}: %s", action, e.What)
	}
	return e.in(p)
}
