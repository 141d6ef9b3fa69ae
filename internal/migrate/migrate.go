// Package migrate knows the systems that people come from: which files they
// leave in a project, and what those mean as settings here.
//
// Reading is all that it does: it gives settings, the files to write beside them,
// and a note for everything that has no counterpart, so that nothing is left
// behind in silence. A file that cannot be read as what it should be is an *Error
// with its line, and then there is nothing else. What is made of it is written and
// checked by others.
package migrate

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"
)

// Import is what a system has left in a project, in the words of this one.
type Import struct {
	System   string
	Read     []string // the files that it was read from
	Settings []Setting
	Gates    []Gate
	Files    []File // to be written beside the settings
	Notes    []Note
	Next     string // the command that goes on from here
}

// Setting is one value of the settings.
type Setting struct {
	Key   []string
	Value any // a text, a number, true or false, a list of texts
}

// Gate is a check that the settings should have.
type Gate struct{ Name, Run string }

// File is a file to be written.
type File struct {
	Path string // below the root of the work tree, with slashes
	From string // the file that it is a copy of, or was made from
	Text string
	Mode fs.FileMode
}

// Note says of something that it has no counterpart, and what to do about that.
type Note struct {
	File string `json:"file"`
	Key  string `json:"key,omitempty"` // empty: all of the file
	What string `json:"what"`
}

// Error says what is wrong with a file of another system.
type Error struct {
	File string
	Line int // 0: none of them
	What string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.What)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.What)
}

// Hint says what to do about it.
func (e *Error) Hint() string { return "correct it, or move it away; nothing was written" }

// system is one that people come from.
type system struct {
	name  string
	marks []string // files, each of which shows that it was used here
	maybe []string // files that others have, too
	read  func(tree, *Import) error
}

// systems is each of them, in the order of telling.
var systems = []system{
	{"fresher", []string{fresherFile}, nil, readFresher},
	{"rooda", []string{roodaFile}, nil, readRooda},
	{"descartes", []string{descartesFile}, nil, readDescartes},
	{"ralph-tui", []string{ralphTUIFile}, nil, readRalphTUI},
	{"ralphex", []string{ralphexFile}, []string{ralphexPlans}, readRalphex},
	{"ralph-claude-code", []string{".ralph/PROMPT.md", ".ralph/fix_plan.md", ".ralph/@fix_plan.md", "@fix_plan.md", ralphRC}, nil, readRalphClaude},
	{"ralph", []string{"scripts/ralph/prd.json"}, []string{"prd.json"}, readRalph},
}

// Systems is the name of each system that can be read.
func Systems() []string {
	var names []string
	for _, s := range systems {
		names = append(names, s.name)
	}
	return names
}

// Found is a system that was used in a project, and the file that shows it.
type Found struct {
	System string
	Mark   string
	Maybe  bool // others have such a file, too
}

// Find tells which systems were used in a project, given as its root.
func Find(root fs.FS) []Found {
	in := tree{root}
	var list []Found
	for _, s := range systems {
		for i, mark := range slices.Concat(s.marks, s.maybe) {
			if in.used(mark) {
				list = append(list, Found{s.name, mark, i >= len(s.marks)})
				break
			}
		}
	}
	if slices.ContainsFunc(list, func(f Found) bool { return !f.Maybe }) { // then such a file is theirs
		list = slices.DeleteFunc(list, func(f Found) bool { return f.Maybe })
	}
	return list
}

// Read reads what a system has left in a project, given as its root.
func Read(root fs.FS, name string) (*Import, error) {
	at := slices.IndexFunc(systems, func(s system) bool { return s.name == name })
	if at < 0 {
		return nil, fmt.Errorf("no system is called %q", name)
	}
	im := &Import{System: name}
	if err := systems[at].read(tree{root}, im); err != nil {
		return nil, err
	}
	return im, nil
}

// set adds a setting, by its dotted key.
func (im *Import) set(key string, value any) { im.setAt(value, strings.Split(key, ".")...) }

// setAt adds a setting whose key has parts with dots. What is said last holds.
func (im *Import) setAt(value any, key ...string) {
	if at := slices.IndexFunc(im.Settings, func(s Setting) bool { return slices.Equal(s.Key, key) }); at >= 0 {
		im.Settings[at].Value = value
		return
	}
	im.Settings = append(im.Settings, Setting{key, value})
}

// note adds that something of a file has no counterpart.
func (im *Import) note(file, key, what string) {
	im.Notes = append(im.Notes, Note{file, key, what})
}

// copyPrompt adds a prompt of theirs as one of ours.
func (im *Import) copyPrompt(from, to string, text []byte) {
	im.Files = append(im.Files, File{Path: to, From: from, Text: verbatim(string(text)), Mode: 0o644})
}

// verbatim is a text as a prompt that says just that: here two braces begin a
// template, and a first line of dashes may begin settings.
func verbatim(text string) string {
	text = strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "{{", `{{"{{"}}`)
	if strings.HasPrefix(strings.TrimPrefix(text, "\uFEFF"), "---") {
		text = "\n" + text
	}
	return text
}
