package prompt

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// Front is what a prompt says of itself between two lines of "---" at its top.
type Front struct {
	Name        string
	Description string
	Version     string
	Tags        []string
	Defaults    map[string]any // variables that have a value when nobody gives one
	Required    []string       // variables that must have a value

	// Settings are the runner's own, by their dotted keys. What they mean, and
	// whether there are such, is for others to say.
	Settings map[string]any
	Lines    map[string]int // where each of the settings stands

	needs  int // the line of required
	height int // lines from the top of the text to its body
}

// frontKeys is every key, with how it is taken in.
var frontKeys = map[string]func(*Front, node) *Error{
	"name":        func(f *Front, n node) *Error { return n.word(&f.Name) },
	"description": func(f *Front, n node) *Error { return n.word(&f.Description) },
	"version":     func(f *Front, n node) *Error { return n.word(&f.Version) },
	"tags":        func(f *Front, n node) *Error { return n.words(&f.Tags) },
	"defaults":    (*Front).setDefaults,
	"required":    func(f *Front, n node) *Error { f.needs = n.line; return n.words(&f.Required) },
	"settings":    (*Front).setSettings,
}

const (
	fence   = "---"
	noFence = `to begin a prompt with a line across the page, write "***"`
)

// keyed is a line that only front matter begins with.
var keyed = text.NewPattern(`^["']?[A-Za-z_][A-Za-z0-9_.-]*["']?\s*:(\s|$)`)

// ReadFront parts a text from its front matter, of which there may be none.
// The name is for messages. A line across the page, as Markdown has it, is no
// front matter; what may be meant as such and cannot be read is an *Error.
func ReadFront(name, text string) (Front, string, error) {
	inside, body, closed := fenced(text)
	if !meant(inside, closed) {
		return Front{}, text, nil
	}
	if !closed {
		return Front{}, "", &Error{Path: name, Line: 1, What: `front matter begins here and does not end`, Hint: `close it with a line "---"; ` + noFence}
	}
	front := Front{height: len(inside) + 2}
	if err := front.take(inside); err != nil {
		err.Path = name
		return Front{}, "", err
	}
	return front, body, nil
}

// fenced gives the lines after a first line of "---", and what follows the next
// one. Without a first one there are no lines, and nothing is closed.
func fenced(text string) (inside []string, body string, closed bool) {
	line, rest, more := strings.Cut(strings.TrimPrefix(text, mark), "\n")
	if strings.TrimRight(line, " \t\r") != fence {
		return nil, text, false
	}
	for more {
		line, rest, more = strings.Cut(rest, "\n")
		line = strings.TrimRight(line, " \t\r")
		if line == fence {
			return inside, rest, true
		}
		inside = append(inside, line)
	}
	return inside, "", false
}

// meant tells whether the lines after a first "---" are front matter: the first
// that says anything is a key. Nothing at all between two fences is one too.
func meant(inside []string, closed bool) bool {
	for _, line := range inside {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			return keyed().MatchString(line)
		}
	}
	return closed
}

// take reads the lines between the fences.
func (f *Front) take(inside []string) *Error {
	top, err := parseYAML(inside)
	if err != nil {
		return err
	}
	for _, one := range top.fields {
		set, known := frontKeys[one.key]
		if !known {
			return one.refuse(fmt.Sprintf("front matter has no key %q; there are: %s", one.key, list(slices.Collect(maps.Keys(frontKeys)))), noFence)
		}
		if err := set(f, one.node); err != nil {
			return err
		}
	}
	return nil
}

func (f *Front) setDefaults(n node) *Error {
	if n.kind != aTable {
		return n.refuse("defaults are variables, each with its value", `write one "name: value" per line, set in by two spaces`)
	}
	f.Defaults = map[string]any{}
	for _, one := range n.fields {
		if one.kind == aTable {
			return one.refuse(fmt.Sprintf("the variable %q has others in it", one.key), "give it a text, a number, true, false or a list")
		}
		if !isName().MatchString(one.key) {
			return one.refuse(fmt.Sprintf("%q is not a name that a template can use", one.key), "take letters, digits and _")
		}
		f.Defaults[one.key] = one.plain()
	}
	return nil
}

// isName is what a template can write after a dot.
var isName = text.NewPattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (f *Front) setSettings(n node) *Error {
	if n.kind != aTable {
		return n.refuse("settings are keys, each with its value", `write one "key: value" per line, set in by two spaces`)
	}
	f.Settings, f.Lines = map[string]any{}, map[string]int{}
	return f.addSettings("", n)
}

// addSettings takes tables within tables as dotted keys.
func (f *Front) addSettings(prefix string, n node) *Error {
	for _, one := range n.fields {
		key := prefix + one.key
		if one.kind == aTable {
			if err := f.addSettings(key+".", one.node); err != nil {
				return err
			}
			continue
		}
		if before, twice := f.Lines[key]; twice {
			return one.refuse(fmt.Sprintf("the setting %s is given a second time, after line %d", key, before), "keep one of them")
		}
		f.Settings[key], f.Lines[key] = one.plain(), one.line
	}
	return nil
}

// missing is the first required variable that has no value.
func (f Front) missing(vars map[string]any) string {
	for _, name := range f.Required {
		if _, ok := vars[name]; !ok {
			return name
		}
	}
	return ""
}

// list is names in the order of the alphabet, for a message.
func list(names []string) string {
	slices.Sort(names)
	return strings.Join(names, ", ")
}
