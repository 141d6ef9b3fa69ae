package checkpoint

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/text"
)

// Checkpoint is the whole work tree at one moment: what git tracks there and
// what it does not ignore.
type Checkpoint struct {
	ID      string    // Load gives it back
	Tree    string    // the same for the same files
	Head    string    // the user's commit; empty without git, and before the first
	Skipped []Skipped // the files that were not kept
	Inner   []string  // repositories inside the work tree, whose files were not kept
	Notes   []string  // what people should know about it, each to be said once

	facts facts
	files []listed // without git
}

// Skipped is a file that was not kept, by its path in the work tree. That it
// changed is seen nevertheless, by its size and time.
type Skipped struct{ Path, Why string }

// facts is what a checkpoint knows beside its files. It is kept as the message
// of the commit that holds them. Paths are from the top of the git work tree;
// they are bytes since a name need not be text.
type facts struct {
	Head    string        `json:"head,omitempty"`
	Tips    []string      `json:"tips,omitempty"`
	Skipped []skippedFile `json:"skipped,omitempty"`
	Nested  []nested      `json:"nested,omitempty"`
	Modes   []oddMode     `json:"modes,omitempty"`
	Rules   []rules       `json:"rules,omitempty"`
}

type skippedFile struct {
	Path  []byte `json:"path"`
	Why   string `json:"why"`
	Stamp string `json:"stamp"`
}

// nested is a repository inside the work tree, a submodule or not. At most its
// commit is kept; whether something changed in it is seen by its print.
type nested struct {
	Path  []byte `json:"path"`
	Link  bool   `json:"link,omitempty"` // its commit is in the tree
	Print string `json:"print,omitempty"`
}

// oddMode is a file with permissions that git does not know.
type oddMode struct {
	Path []byte      `json:"path"`
	Mode fs.FileMode `json:"mode"`
}

// sorted is the facts in an order that does not depend on how they were found.
func (f facts) sorted() facts {
	slices.SortFunc(f.Skipped, func(a, b skippedFile) int { return bytes.Compare(a.Path, b.Path) })
	slices.SortFunc(f.Nested, func(a, b nested) int { return bytes.Compare(a.Path, b.Path) })
	slices.SortFunc(f.Modes, func(a, b oddMode) int { return bytes.Compare(a.Path, b.Path) })
	slices.SortFunc(f.Rules, func(a, b rules) int { return bytes.Compare(a.Path, b.Path) })
	return f
}

// unkept is what a checkpoint knows of that is not in the index, by which git would
// not find it again.
func (f facts) unkept() (paths []string) {
	for _, skipped := range f.Skipped {
		paths = append(paths, string(skipped.Path))
	}
	for _, n := range f.Nested {
		paths = append(paths, string(n.Path))
	}
	for _, r := range f.Rules {
		if len(r.Path) > 0 {
			paths = append(paths, string(r.Path))
		}
	}
	return paths
}

func (f facts) equal(other facts) bool {
	mine, err := json.Marshal(f)
	theirs, otherErr := json.Marshal(other)
	return err == nil && otherErr == nil && bytes.Equal(mine, theirs)
}

// describe is the facts in the words of the work tree.
func (s *Store) describe(id, tree string, f facts) Checkpoint {
	c := Checkpoint{ID: id, Tree: tree, Head: f.Head, facts: f}
	for _, skipped := range f.Skipped {
		if rel, below := s.tree.Below(string(skipped.Path)); below {
			c.Skipped = append(c.Skipped, Skipped{Path: rel, Why: skipped.Why})
		}
	}
	for _, n := range f.Nested {
		if rel, below := s.tree.Below(string(n.Path)); below && n.Print != "" {
			c.Inner = append(c.Inner, rel)
			c.Notes = append(c.Notes, fmt.Sprintf("%s is a repository of its own: its files are not in the checkpoint, rollback does not touch them, and git does there what its own settings say", rel))
		}
	}
	return c
}

var anID = text.NewPattern(`^([0-9a-f]{40}|[0-9a-f]{64})$`)

var (
	errNoName  = errors.New("it is not the name of one")
	errNotOurs = errors.New("it is not one of ours")
)

// Load gives a checkpoint of this store back.
func (s *Store) Load(ctx context.Context, id string) (Checkpoint, error) {
	if !anID().MatchString(id) {
		return Checkpoint{}, fmt.Errorf("load a checkpoint: %q: %w", id, errNoName)
	}
	if s.list != nil {
		return s.list.load(id)
	}
	out, err := s.repo.run(ctx, git.Command{}, "cat-file", "commit", id)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("load checkpoint %s: %w", id, err)
	}
	head, message, ok := strings.Cut(string(out), "\n\n")
	tree, _, _ := strings.Cut(head, "\n")
	tree, isTree := strings.CutPrefix(tree, "tree ")
	var f facts
	if err := json.Unmarshal([]byte(message), &f); err != nil || !ok || !isTree {
		return Checkpoint{}, fmt.Errorf("load checkpoint %s: %w", id, errNotOurs)
	}
	return s.describe(id, tree, f), nil
}

// lastKept is the checkpoint that was made last, nil before the first.
func (s *Store) lastKept(ctx context.Context) (*Checkpoint, error) {
	text, err := files.ReadFile(ctx, s.repo.head(), git.SmallFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &GoneError{Path: s.dir}
	}
	if err != nil {
		return nil, fmt.Errorf("find the last checkpoint: %w", err)
	}
	id := strings.TrimSpace(string(text))
	switch {
	case strings.HasPrefix(id, "ref:"):
		return nil, nil
	case s.last != nil && s.last.ID == id:
		return s.last, nil
	}
	c, err := s.Load(ctx, id)
	if err != nil {
		return nil, err
	}
	s.last = &c
	return s.last, nil
}

// lastOrAnew is the last checkpoint, nil before the first, and where that cannot be read:
// a disk may lose the last commit in a crash of the machine, and still have the HEAD that
// names it. Then the next checkpoint begins anew, and those before it are found by their
// names.
func (s *Store) lastOrAnew(ctx context.Context) (*Checkpoint, error) {
	last, err := s.lastKept(ctx)
	if err == nil || !s.unreadable(ctx, err) {
		return last, err
	}
	head := unborn
	if s.last != nil { // it was read before
		if _, failed := s.Load(ctx, s.last.ID); failed == nil {
			head, last = s.last.ID+"\n", s.last
		}
	}
	if err := files.Overwrite(s.repo.head(), []byte(head), 0o600, files.SyncFile); err != nil {
		return nil, fmt.Errorf("begin the checkpoints anew: %w", err)
	}
	s.lookout.doubt()
	s.anew = "the last checkpoint cannot be read, and this one begins anew: " + err.Error()
	return last, nil
}

// unreadable tells whether it is for good that a checkpoint could not be read, and not
// that git could not be asked.
func (s *Store) unreadable(ctx context.Context, err error) bool {
	if errors.Is(err, errNoName) || errors.Is(err, errNotOurs) {
		return true
	}
	if _, exited := git.ExitCode(err); !exited {
		return false
	}
	_, err = s.repo.run(ctx, git.Command{}, "hash-object", "--stdin")
	return err == nil
}

// begunAnew is what people should know of it, once.
func (s *Store) begunAnew() (notes []string) {
	if s.anew != "" {
		notes = []string{s.anew}
	}
	s.anew = ""
	return notes
}

// record makes a checkpoint of what is in the index of the store.
func (s *Store) record(ctx context.Context, last *Checkpoint, f facts) (Checkpoint, error) {
	tree, err := s.repo.writeTree(ctx)
	if err != nil {
		return Checkpoint{}, err
	}
	if last != nil && last.Tree == tree && last.facts.equal(f) {
		return *last, nil
	}
	message, err := json.Marshal(f)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("write a checkpoint: %w", err)
	}
	var parent string
	if last != nil {
		parent = last.ID
	}
	id, err := s.repo.put("commit", commitText(tree, parent, message, time.Now()))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("write a checkpoint: %w", err)
	}
	c := s.describe(id, tree, f)
	if err := files.Overwrite(s.repo.head(), []byte(c.ID+"\n"), 0o600, files.SyncFile); err != nil {
		return Checkpoint{}, fmt.Errorf("write a checkpoint: %w", err)
	}
	s.last = &c
	return c, nil
}
