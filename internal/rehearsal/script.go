package rehearsal

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"

	"github.com/refrain-loop/refrain/internal/loop"
)

// MaxScript is more bytes than anybody writes for a rehearsal.
const MaxScript = 16 << 20

// Script is what an agent does, iteration by iteration.
type Script struct {
	Expect     Expect // of a rehearsal of the whole night
	iterations [][]step
	fail       bool // after the last iteration fail, instead of repeating it
}

// step is one thing to do.
type step struct {
	attempt int // only in this attempt; 0: in each
	do      act
}

// at gives the steps of iteration n, which counts from 1.
func (s Script) at(n int) ([]step, error) {
	if last := len(s.iterations); n > last {
		if s.fail {
			return nil, fmt.Errorf("the script has no iteration %d: it ends after %d", n, last)
		}
		n = last
	}
	return s.iterations[n-1], nil
}

// Parse reads a script. It is strict: a key that it does not know, a value of
// the wrong kind or a step that does two things is an error with its line.
func Parse(b []byte) (Script, error) {
	var file struct {
		Final      string         `toml:"final"`
		Expect     map[string]any `toml:"expect"`
		Iterations []struct {
			Steps []map[string]any `toml:"steps"`
		} `toml:"iteration"`
	}
	if err := toml.NewDecoder(bytes.NewReader(b)).DisallowUnknownFields().Decode(&file); err != nil {
		return Script{}, located(err)
	}
	if len(file.Iterations) == 0 {
		return Script{}, errors.New("the script has no [[iteration]]")
	}
	var s Script
	switch file.Final {
	case "", "repeat":
	case "fail":
		s.fail = true
	default:
		return Script{}, fmt.Errorf(`final is %q: write "repeat" or "fail"`, file.Final)
	}
	lines, err := stepLines(b)
	if err != nil {
		return Script{}, err
	}
	if s.Expect, err = parseExpect(file.Expect, expectLines(b)); err != nil {
		return Script{}, err
	}
	for i, iteration := range file.Iterations {
		var steps []step
		for j, fields := range iteration.Steps {
			if len(lines) == 0 {
				return Script{}, fmt.Errorf("iteration %d: write its steps as steps = [{ … }, { … }]", i+1)
			}
			step, err := newStep(fields)
			if err != nil {
				return Script{}, fmt.Errorf("line %d: iteration %d, step %d: %w", lines[0], i+1, j+1, err)
			}
			steps, lines = append(steps, step), lines[1:]
		}
		s.iterations = append(s.iterations, steps)
	}
	return s, nil
}

// newStep finds the one verb of a step and makes its act.
func newStep(fields map[string]any) (step, error) {
	var found []string
	for _, key := range slices.Sorted(maps.Keys(fields)) {
		if _, ok := verbs[key]; ok {
			found = append(found, key)
		}
	}
	switch len(found) {
	case 0:
		return step{}, fmt.Errorf("it says nothing to do: write one of %s", strings.Join(slices.Sorted(maps.Keys(verbs)), ", "))
	case 1:
	default:
		return step{}, fmt.Errorf("it has %s: a step does one thing", strings.Join(found, " and "))
	}
	name := found[0]
	v := verbs[name]
	f := &values{fields: fields}
	f.only(name, append([]string{name, "attempt"}, v.with...))
	do := v.make(f)
	attempt := f.whole("attempt", 1, maxCount, 0)
	return step{attempt, do}, f.err
}

// located puts the line in front of an error of the decoder.
func located(err error) error {
	var missing *toml.StrictMissingError
	if errors.As(err, &missing) {
		var all []error
		for _, e := range missing.Errors {
			line, _ := e.Position()
			all = append(all, fmt.Errorf("line %d: unknown key %q", line, strings.Join(e.Key(), ".")))
		}
		return errors.Join(all...)
	}
	var e *toml.DecodeError
	if errors.As(err, &e) {
		line, _ := e.Position()
		return fmt.Errorf("line %d: %s", line, strings.TrimPrefix(e.Error(), "toml: "))
	}
	return err
}

// Expect is what a script says of how its rehearsal ends, one thing each.
type Expect []expectation

type expectation struct {
	key  string
	want string
	met  func(loop.RunFinished) (got string, ok bool)
}

// Met is one thing that was expected, and what came.
type Met struct {
	What string // "state is done"
	Got  string
	OK   bool
}

// Met compares an end with what was expected of it, in the order of the script.
func (e Expect) Met(end loop.RunFinished) []Met {
	var list []Met
	for _, one := range e {
		got, ok := one.met(end)
		list = append(list, Met{What: one.key + " " + one.want, Got: got, OK: ok})
	}
	return list
}

// expectations is everything that can be expected.
var expectations = map[string]func(f *values, key string) expectation{
	"state": func(f *values, key string) expectation {
		state := f.some(key)
		if known := []loop.Status{loop.Done, loop.Exhausted, loop.Aborted, loop.Stopped, loop.CouldNotRun}; !slices.Contains(known, loop.Status(state)) {
			f.fail("%s is %q: write one of %s", key, state, strings.Trim(fmt.Sprint(known), "[]"))
		}
		return same(state, func(end loop.RunFinished) string { return string(end.State) })
	},
	"reason": func(f *values, key string) expectation {
		return same(f.some(key), func(end loop.RunFinished) string { return string(end.Reason) })
	},
	"proven": func(f *values, key string) expectation {
		return same(f.flag(key), func(end loop.RunFinished) bool { return end.Proven })
	},
	"level": func(f *values, key string) expectation {
		level := f.some(key)
		if !slices.Contains(loop.Levels, loop.Level(level)) {
			f.fail("%s is %q: write one of %s", key, level, strings.Trim(fmt.Sprint(loop.Levels), "[]"))
		}
		return same(level, func(end loop.RunFinished) string { return string(end.Level()) })
	},
	"iterations": func(f *values, key string) expectation {
		return same(f.whole(key, 0, maxCount, 0), func(end loop.RunFinished) int { return end.Totals.Iterations })
	},
	"waits": func(f *values, key string) expectation {
		return same(f.whole(key, 0, maxCount, 0), func(end loop.RunFinished) int { return end.Totals.Waits })
	},
	"refused": func(f *values, key string) expectation {
		return same(f.whole(key, 0, maxCount, 0), func(end loop.RunFinished) int { return end.Totals.Refused })
	},
	"max_iterations": func(f *values, key string) expectation {
		return atMost(f.whole(key, 0, maxCount, 0), func(end loop.RunFinished) int { return end.Totals.Iterations })
	},
	"max_time": func(f *values, key string) expectation {
		return atMost(f.duration(key), func(end loop.RunFinished) time.Duration { return end.Elapsed.Duration().Round(time.Second) })
	},
	"max_cost_usd": func(f *values, key string) expectation {
		return atMost(f.money(key), func(end loop.RunFinished) float64 { return end.Totals.CostUSD })
	},
}

func same[T comparable](want T, of func(loop.RunFinished) T) expectation {
	return expectation{want: fmt.Sprint("is ", want), met: func(end loop.RunFinished) (string, bool) {
		got := of(end)
		return fmt.Sprint(got), got == want
	}}
}

func atMost[T cmp.Ordered](most T, of func(loop.RunFinished) T) expectation {
	return expectation{want: fmt.Sprint("is ", most), met: func(end loop.RunFinished) (string, bool) {
		got := of(end)
		return fmt.Sprint(got), got <= most
	}}
}

// parseExpect reads what is expected. The lines say where each key stands.
func parseExpect(fields map[string]any, lines map[string]int) (Expect, error) {
	var list Expect
	lineOf := func(key string) int { return lines[strings.ToLower(key)] }
	inOrder := slices.SortedFunc(maps.Keys(fields), func(a, b string) int { return cmp.Compare(lineOf(a), lineOf(b)) })
	for _, key := range inOrder {
		read, ok := expectations[key]
		if !ok {
			return nil, fmt.Errorf("line %d: unknown key \"expect.%s\": write one of %s", lineOf(key), key, strings.Join(slices.Sorted(maps.Keys(expectations)), ", "))
		}
		f := &values{fields: fields}
		one := read(f, key)
		if f.err != nil {
			return nil, fmt.Errorf("line %d: expect: %w", lineOf(key), f.err)
		}
		one.key = key
		list = append(list, one)
	}
	return list, nil
}

// stepLines gives the line of every step in a valid document, in its order.
// The decoder forgets where a value stood; this is the only file that uses
// the parser below it. The decoder also takes a table for a list of one, which
// here is most likely a slip.
func stepLines(b []byte) ([]int, error) {
	var p unstable.Parser
	p.Reset(b)
	var lines []int
	inIteration := false
	for p.NextExpression() {
		e := p.Expression()
		switch name := key(e); {
		case e.Kind == unstable.KeyValue && inIteration:
			lines = append(lines, linesUnder(&p, e)...)
		case e.Kind == unstable.KeyValue && name == "iteration":
			for iteration := range elements(e.Value()) {
				for pair := range elements(iteration) {
					lines = append(lines, linesUnder(&p, pair)...)
				}
			}
		case e.Kind == unstable.ArrayTable:
			inIteration = name == "iteration"
			if name == "iteration.steps" {
				lines = append(lines, line(&p, e.Child()))
			}
		case e.Kind == unstable.Table:
			if name == "iteration" || name == "iteration.steps" {
				return nil, fmt.Errorf("line %d: [%s] has one bracket: write [[%s]]", line(&p, e.Child()), name, name)
			}
			inIteration = false
		}
	}
	return lines, nil
}

// expectLines gives the line of every key of [expect], however it is written.
func expectLines(b []byte) map[string]int {
	var p unstable.Parser
	p.Reset(b)
	lines := map[string]int{}
	inExpect := false
	for p.NextExpression() {
		e := p.Expression()
		name := key(e)
		switch below, dotted := strings.CutPrefix(name, "expect."); {
		case e.Kind == unstable.Table || e.Kind == unstable.ArrayTable:
			inExpect = name == "expect"
		case inExpect:
			lines[name] = line(&p, firstKey(e))
		case dotted:
			lines[below] = line(&p, firstKey(e))
		case name == "expect":
			for pair := range elements(e.Value()) {
				lines[key(pair)] = line(&p, firstKey(pair))
			}
		}
	}
	return lines
}

// linesUnder gives the lines of the steps when pair is steps = [ … ].
func linesUnder(p *unstable.Parser, pair *unstable.Node) []int {
	if key(pair) != "steps" {
		return nil
	}
	var lines []int
	for element := range elements(pair.Value()) {
		lines = append(lines, line(p, element))
	}
	return lines
}

func line(p *unstable.Parser, n *unstable.Node) int { return p.Shape(n.Raw).Start.Line }

// key gives a dotted key in lower case: the decoder takes either.
func key(n *unstable.Node) string {
	var parts []string
	for it := n.Key(); it.Next(); {
		parts = append(parts, strings.ToLower(string(it.Node().Data)))
	}
	return strings.Join(parts, ".")
}

// firstKey is the node of the first part of a key, which knows where it stands.
func firstKey(n *unstable.Node) *unstable.Node {
	it := n.Key()
	it.Next()
	return it.Node()
}

func elements(n *unstable.Node) iter.Seq[*unstable.Node] {
	return func(yield func(*unstable.Node) bool) {
		for it := n.Children(); it.Next(); {
			if !yield(it.Node()) {
				return
			}
		}
	}
}
