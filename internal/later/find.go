package later

import (
	"cmp"
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Trees is what is kept of a work tree, as package checkpoint has it.
type Trees interface {
	Prefix() string // from the root of the repository to the work tree
	Edits(ctx context.Context, before, after string) ([]git.TreeEdit, error)
	Paths(ctx context.Context, tree string) (map[string]git.TreeFile, error)
	Read(ctx context.Context, f git.TreeFile) ([]byte, error)
	ReadAll(ctx context.Context, files []git.TreeFile, take func(git.TreeFile, []byte)) error
}

// Finder finds what in a tree runs later and was not so when the run began.
type Finder struct {
	Trees    Trees
	First    string    // the tree when the run began
	Below    string    // the folder of the work tree in which commands run; empty is its top
	Commands []Command // of the settings

	first map[string]git.TreeFile // the files of the first tree, once they were asked for
}

// maxFiles is how many files are named. A run that changes more has more wrong
// with it.
const maxFiles = 100

// Find lists the files of a tree that run later and are new or other than when the
// run began, sorted, with paths from the work tree. What is gone runs nothing.
func (f *Finder) Find(ctx context.Context, tree string) (loop.Later, error) {
	edits, err := f.Trees.Edits(ctx, f.First, tree)
	if err != nil {
		return loop.Later{}, fmt.Errorf("see what runs later: %w", err)
	}
	c := &changed{gone: map[string]bool{}}
	for _, e := range edits {
		if e.From != "" { // under its new name it is a new file
			c.gone[e.From], e.Was = true, git.TreeFile{}
		}
		if e.Is.There() {
			c.edits = append(c.edits, e)
		} else {
			c.gone[e.Path] = true
		}
	}
	reached, err := f.reached(ctx, c)
	if err != nil {
		return loop.Later{}, err
	}
	list, err := f.sift(ctx, c, reached)
	if err != nil {
		return loop.Later{}, fmt.Errorf("see what runs later: %w", err)
	}
	named := firstOf(list)
	return loop.Later{RunsLater: named, RunsLaterMore: len(list) - len(named)}, nil
}

// firstOf is what is named of a list. What git runs is not cut off: who commits must
// know of it, and a hundred other files could hide it.
func firstOf(list []loop.LaterFile) []loop.LaterFile {
	if len(list) <= maxFiles {
		return list
	}
	others := func(f loop.LaterFile) int {
		if f.What == "git" {
			return 0
		}
		return 1
	}
	named := slices.Clone(list)
	slices.SortStableFunc(named, func(a, b loop.LaterFile) int { return others(a) - others(b) })
	named = named[:maxFiles]
	slices.SortFunc(named, byPath)
	return named
}

func byPath(a, b loop.LaterFile) int { return cmp.Compare(a.Path, b.Path) }

// changed is what differs in a tree.
type changed struct {
	edits []git.TreeEdit // what is new or other
	gone  map[string]bool
}

// candidate is a changed file that may run later.
type candidate struct {
	edit git.TreeEdit
	kind *Kind  // nil: only a command leads to it
	of   string // whose command
}

// sift keeps what runs later. What must be read for that is read at once.
func (f *Finder) sift(ctx context.Context, c *changed, reached func(string) string) ([]loop.LaterFile, error) {
	var all []candidate
	var due []git.TreeFile
	for _, e := range c.edits {
		one := candidate{edit: e, kind: Of(e.Path)}
		if e.Is.Link() {
			one.kind = OfLink(e.Path)
		}
		if one.kind == nil {
			if one.of = reached(e.Path); one.of == "" {
				continue
			}
		}
		if all = append(all, one); one.kind == nil || !one.kind.Whole() {
			due = append(due, e.Was, e.Is)
		}
	}
	held := map[git.TreeFile][]byte{}
	if err := f.Trees.ReadAll(ctx, due, func(file git.TreeFile, text []byte) { held[file] = slices.Clone(text) }); err != nil {
		return nil, err
	}
	text := func(file git.TreeFile) []byte {
		if !file.There() {
			return nil
		}
		return append([]byte{}, held[file]...) // an empty file is not a missing one
	}
	var list []loop.LaterFile
	for _, one := range all {
		was, is := text(one.edit.Was), text(one.edit.Is)
		file := loop.LaterFile{Path: f.relative(one.edit.Path), What: one.of}
		if one.kind == nil {
			if sameForTools(one.edit.Path, was, is) {
				continue
			}
		} else {
			names, runs := one.kind.Changed(was, is)
			if !runs && !one.edit.Is.Link() {
				continue
			}
			file.What, file.Part = one.kind.What(), Parts(names)
		}
		list = append(list, file)
	}
	slices.SortFunc(list, byPath)
	return list, nil
}

// reached tells whose command leads to a changed file.
func (f *Finder) reached(ctx context.Context, c *changed) (func(string) string, error) {
	if len(f.Commands) == 0 || len(c.edits) == 0 {
		return func(string) string { return "" }, nil
	}
	if f.first == nil {
		files, err := f.Trees.Paths(ctx, f.First)
		if err != nil {
			return nil, fmt.Errorf("see what runs later: %w", err)
		}
		f.first = files
	}
	now := map[string]git.TreeFile{}
	for _, e := range c.edits {
		now[e.Path] = e.Is
	}
	at := func(file string) git.TreeFile {
		if is, ok := now[file]; ok || c.gone[file] {
			return is
		}
		return f.first[file]
	}
	has := func(file string) bool {
		if !strings.HasSuffix(file, "/") {
			return at(file).There()
		}
		for _, e := range c.edits {
			if strings.HasPrefix(e.Path, file) {
				return true
			}
		}
		return false
	}
	read := func(file string) []byte {
		if !at(file).There() {
			return nil
		}
		text, err := f.Trees.Read(ctx, at(file))
		if err != nil {
			return nil // it is not there to be run either
		}
		return append([]byte{}, text...)
	}
	dir := strings.TrimSuffix(path.Join(f.Trees.Prefix(), f.Below), "/")
	if dir == "." {
		dir = ""
	}
	return Reached(f.Commands, dir, has, read), nil
}

// relative is a path of the repository as who stands in the work tree writes it.
func (f *Finder) relative(file string) string {
	up := ""
	for dir := f.Trees.Prefix(); dir != ""; {
		if rest, below := strings.CutPrefix(file, dir); below {
			return up + rest
		}
		dir = strings.TrimSuffix(dir, "/")
		dir = dir[:strings.LastIndexByte(dir, '/')+1]
		up += "../"
	}
	return up + file
}
