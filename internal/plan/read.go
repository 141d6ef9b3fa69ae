package plan

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/files"
)

// Read reads the plan in a file or a folder.
//
// Of a folder, all markdown files are read, also those in the folders below;
// its README or index comes first. Of a file with such a name, the files that
// it links to are read too, and those that they link to, as far as they lie in
// its folder. Any other file is a plan by itself, for it links to what it talks
// about; and so is the README of a project.
//
// The error is a *MissingError when the plan is not there or cannot be read, a
// *PartError when that is so of one of its files, and an *EmptyError when it
// has no tasks.
func Read(name files.Named) (Tasks, error) {
	r, err := open(name)
	if err != nil {
		return nil, &MissingError{Path: name.Path, Err: err}
	}
	defer r.folder.Close()
	for n := 0; n < len(r.parts); n++ { // more are found on the way
		if err := r.read(r.parts[n]); err != nil {
			return nil, r.problem(n, err)
		}
	}
	if len(r.tasks) == 0 {
		return nil, &EmptyError{Path: name.Path}
	}
	return r.tasks, nil
}

// Files names the files of a plan, as far as they can be read.
func Files(name files.Named) []string {
	r, err := open(name)
	if err != nil {
		return []string{name.Path}
	}
	defer r.folder.Close()
	var list []string
	for n := 0; n < len(r.parts); n++ {
		list = append(list, filepath.Join(r.folder.Name(), filepath.FromSlash(r.parts[n].file)))
		if r.read(r.parts[n]) != nil {
			break
		}
	}
	return list
}

// reader gathers the tasks of a plan from its files.
type reader struct {
	name   string // of the plan
	folder *os.Root
	whole  bool // all of the folder is the plan
	split  bool // links are followed
	size   int  // what has been read, in bytes

	parts []part // in the order of reading
	known map[string]bool
	tasks Tasks
}

// part is a file of the plan, and the link that led to it, if one did.
type part struct {
	file string
	from string
	line int
}

// open finds out what the plan consists of, as far as its name tells.
func open(name files.Named) (*reader, error) {
	if err := name.Check(); err != nil {
		return nil, err
	}
	path, err := filepath.EvalSymlinks(name.Path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	r := &reader{name: name.Path, whole: info.IsDir(), known: map[string]bool{}}
	dir := path
	if !r.whole {
		dir = filepath.Dir(path)
	}
	if r.folder, err = files.OpenTree(dir); err != nil {
		return nil, err
	}
	if !r.whole {
		r.split = isIndex(filepath.ToSlash(path)) && !r.project()
		r.add(part{file: filepath.Base(path)})
		return r, nil
	}
	r.split = true
	names, err := markdownBelow(r.folder)
	if err != nil {
		_ = r.folder.Close()
		return nil, err
	}
	slices.SortStableFunc(names, indexFirst)
	for _, file := range names {
		r.add(part{file: file})
	}
	return r, nil
}

// indexFirst puts the index of the folder itself before everything else.
func indexFirst(a, b string) int {
	rank := func(file string) int {
		if path.Dir(file) == "." && isIndex(file) {
			return 0
		}
		return 1
	}
	return rank(a) - rank(b)
}

// project tells whether the folder is that of a project, whose README links to
// much that is no plan.
func (r *reader) project() bool {
	return slices.ContainsFunc([]string{".git", ".refrain", "refrain.toml"}, func(mark string) bool {
		_, err := r.folder.Lstat(mark)
		return err == nil
	})
}

func (r *reader) add(p part) {
	if !r.known[p.file] {
		r.known[p.file] = true
		r.parts = append(r.parts, p)
	}
}

// read takes the tasks of one file, and the files that it links to.
func (r *reader) read(p part) error {
	text, err := readBelow(r.folder, p.file)
	if err != nil {
		return err
	}
	if r.size += len(text); r.size > maxSize || len(r.parts) > maxFiles {
		return fmt.Errorf("the plan as a whole has more than %d MB or %d files", maxSize>>20, maxFiles)
	}
	tasks, links := parse(text)
	for _, task := range tasks {
		task.File = p.file
		r.tasks = append(r.tasks, task)
	}
	if !r.split {
		return nil
	}
	for _, l := range links {
		if file, ok := l.part(p.file); ok {
			r.add(part{file: file, from: p.file, line: l.line})
		}
	}
	return nil
}

func (r *reader) problem(n int, err error) error {
	if n == 0 && !r.whole {
		return &MissingError{Path: r.name, Err: err}
	}
	p := r.parts[n]
	return &PartError{Plan: r.name, File: p.file, From: p.from, Line: p.line, Err: err}
}
