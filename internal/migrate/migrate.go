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
	"unicode/utf8"
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

	masked bool // a mask stands where a secret was
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
	maybe mark     // what others have, too
	takes string   // such a mark of another system, which it reads itself
	read  func(tree, *Import) error
}

// mark is a file, or a folder, that shows something only by what is in it.
type mark struct {
	name string
	what string // what it is looked into for
	look func(tree) (there, sure bool)
}

// systems is each of them, in the order of telling.
var systems = []system{
	{name: "fresher", marks: fresherMarks, read: readFresher},
	{name: "rooda", marks: []string{roodaFile}, read: readRooda},
	{name: "descartes", marks: []string{descartesFile}, read: readDescartes},
	{name: "ralph-tui", marks: []string{ralphTUIFile}, takes: "prd.json", read: readRalphTUI},
	{name: "ralphex", marks: []string{ralphexFile}, maybe: mark{ralphexPlans, "plan with an open task in docs/plans/", lookAtPlans}, read: readRalphex},
	{name: "ralph-claude-code", marks: []string{".ralph/PROMPT.md", ".ralph/fix_plan.md", ".ralph/@fix_plan.md", "@fix_plan.md", ralphRC}, read: readRalphClaude},
	{name: "ralph", marks: []string{"scripts/ralph/prd.json"}, maybe: mark{"prd.json", "prd.json", lookAtStories}, read: readRalph},
}

// find is the mark that a system has left; empty: none.
func (s system) find(in tree) (name string, sure bool) {
	for _, name := range s.marks {
		if in.hasFile(name) {
			return name, true
		}
	}
	if s.maybe.look != nil {
		if there, sure := s.maybe.look(in); there {
			return s.maybe.name, sure
		}
	}
	return "", false
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
	var taken []string
	for _, s := range systems {
		if name, sure := s.find(in); name != "" {
			list = append(list, Found{s.name, name, !sure})
			taken = append(taken, s.takes)
		}
	}
	sure := slices.ContainsFunc(list, func(f Found) bool { return !f.Maybe }) // then what others may have is nobody's
	return slices.DeleteFunc(list, func(f Found) bool { return sure && f.Maybe || slices.Contains(taken, f.Mark) })
}

// Read reads what a system has left in a project, given as its root.
func Read(root fs.FS, name string) (*Import, error) {
	at := slices.IndexFunc(systems, func(s system) bool { return s.name == name })
	if at < 0 {
		return nil, fmt.Errorf("no system is called %q", name)
	}
	s, in, im := systems[at], tree{root}, &Import{System: name}
	if mark, _ := s.find(in); mark == "" {
		return nil, &NothingError{name, slices.DeleteFunc(append(slices.Clone(s.marks), s.maybe.what), func(what string) bool { return what == "" })}
	}
	if err := s.read(in, im); err != nil {
		return nil, err
	}
	im.hideSecrets()
	return im, nil
}

// NothingError says that a system has left nothing in a project.
type NothingError struct {
	System string
	Marks  []string // what was looked for
}

func (e *NothingError) Error() string {
	return fmt.Sprintf("there is nothing of %s here: no %s", e.System, strings.Join(e.Marks, ", no "))
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
	if !utf8.Valid(text) {
		im.note(from, "", "it is not all UTF-8, and what is not stands as \uFFFD in "+to+": save it as UTF-8, and copy it")
	}
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
