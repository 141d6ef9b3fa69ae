package prompt

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// variables is what a template may name: every exported field and method.
type variables struct {
	Iteration int
	Max       limit

	Run       string
	RunID     string
	Procedure string
	WorkDir   string
	Agent     string
	Model     string
	Plan      string

	Date      string
	Time      string
	Timestamp string

	Last last
	Vars map[string]any

	turn   *turn
	branch func() string
}

// Branch is asked for only when it is named, for that takes a process.
func (v variables) Branch() string { return v.branch() }

// Context is what the user adds to the prompt for this run. Who names it has
// found a place for it.
func (v variables) Context() string {
	v.turn.placed.context = true
	return v.turn.context
}

// Feedback is what happened so far, likewise.
func (v variables) Feedback() string {
	v.turn.placed.feedback = true
	return v.turn.feedback
}

// limit is a number of iterations. No limit is 0, and says so.
type limit int

func (l limit) String() string {
	if l == 0 {
		return "unlimited"
	}
	return strconv.Itoa(int(l))
}

// last is what came of the attempt before.
type last struct {
	Result       string // empty when there was none
	Summary      string
	FilesChanged int
	TestsPassed  int
	TestsFailed  int
	Failing      []string
	Claim        string // done or blocked; empty when nothing was claimed
}

func lastOf(o *loop.Outcome) last {
	if o == nil {
		return last{}
	}
	l := last{Result: string(o.Result), Summary: withoutTags(o.Summary)}
	if c := o.Changes; c != nil {
		l.FilesChanged = c.Created + c.Modified + c.Deleted
	}
	if t := o.Tests; t != nil {
		l.TestsPassed, l.TestsFailed = t.Passed, t.Failed
		for _, name := range t.Failing {
			l.Failing = append(l.Failing, withoutTags(name))
		}
	}
	if o.Claim != nil {
		l.Claim = string(o.Claim.Kind)
	}
	return l
}

var half = text.NewPattern(`(?i)<(/?promise)>`)

// withoutTags is a text of others in which no claim can be read, wherever a
// template puts it.
func withoutTags(text string) string { return half().ReplaceAllString(text, "[$1]") }

// newTurn gathers what the templates of one prompt may name.
func (b *Builder) newTurn(ctx context.Context, iteration int, feedback string) *turn {
	t := &turn{builder: b, context: strings.Join(b.Context, "\n\n"), feedback: feedback, room: maxIncluded, rounds: maxRounds}
	now := time.Now()
	t.variables = variables{
		Iteration: iteration, Max: limit(b.Max),
		Run: b.Facts.Run, RunID: b.Facts.RunID, Procedure: b.Facts.Procedure, WorkDir: b.Facts.WorkDir,
		Agent: b.Facts.Agent, Model: b.Facts.Model, Plan: b.Facts.Plan,
		Date: now.Format(time.DateOnly), Time: now.Format(time.TimeOnly), Timestamp: now.Format(time.RFC3339),
		Last: lastOf(b.Last), Vars: b.Vars,
		turn: t,
		branch: func() string {
			if b.Branch == nil {
				return ""
			}
			return b.Branch(ctx)
		},
	}
	return t
}

// with is the variables with others in place of the user's.
func (v variables) with(vars map[string]any) variables {
	v.Vars = vars
	return v
}

// lookup finds what a name of one or more words stands for, as far as that can
// be told without a value. When there is no such name, it gives those there are.
func (v variables) lookup(name []string) (known []string, ok bool) {
	typ := reflect.TypeFor[variables]()
	for i, word := range name {
		switch {
		case typ == reflect.TypeFor[map[string]any]():
			if _, ok := v.Vars[word]; !ok {
				return dotted(name[:i], slices.Collect(maps.Keys(v.Vars))), false
			}
			return nil, true // what is in it is the user's
		case typ.Kind() != reflect.Struct:
			return nil, true // executing tells
		}
		members := membersOf(typ)
		next, ok := members[word]
		if !ok {
			return dotted(name[:i], slices.Collect(maps.Keys(members))), false
		}
		typ = next
	}
	return nil, true
}

// membersOf is what can be named of a type, each with its own type.
func membersOf(typ reflect.Type) map[string]reflect.Type {
	members := map[string]reflect.Type{}
	for f := range typ.Fields() {
		if f.IsExported() {
			members[f.Name] = f.Type
		}
	}
	for m := range typ.Methods() {
		if m.Type.NumIn() == 1 && m.Type.NumOut() == 1 {
			members[m.Name] = m.Type.Out(0)
		}
	}
	return members
}

func dotted(prefix, names []string) []string {
	for i, name := range names {
		names[i] = "." + strings.Join(append(slices.Clip(prefix), name), ".")
	}
	return names
}
