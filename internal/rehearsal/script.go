package rehearsal

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"
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
