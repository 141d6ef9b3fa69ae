// Package intake says what agents take from a repository besides words: the files
// by which a clone runs commands, starts servers or sends the user's key elsewhere,
// which of them are there, and what is in them that matters.
//
// Where each agent looks is in package agent. Whether somebody agrees is for
// others to ask. What it looks at may be anybody's: it follows no link out of the
// tree, waits for no pipe, and its words are fit to be shown.
package intake

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/text"
)

// place is somewhere that an agent takes things from.
type place struct {
	path  string // as in agent.Takes
	above bool
	tells teller
}

// places is those of an agent.
func places(name string) []place {
	takes := agent.TakesOf(name)
	var list []place
	for _, kind := range []struct {
		paths []string
		tells teller
	}{
		{takes.Settings, settings},
		{takes.Variables, variables},
		{takes.Scripts, lines},
		{takes.Code, code},
		{takes.Skills, skills},
	} {
		for _, path := range kind.paths {
			list = append(list, place{path, slices.Contains(takes.Above, path), kind.tells})
		}
	}
	return list
}

// By says which agents take more than words from a file of a repository, by its
// path with slashes and by its content; and what is in it that matters.
func By(name string, content []byte) (agents []string, what string) {
	for _, agent := range agent.BuiltIn() {
		for _, p := range places(agent) {
			below, ok := p.holds(name)
			if !ok {
				continue
			}
			if told := p.tells(below, content); told != "" {
				agents, what = append(agents, agent), told
				break
			}
		}
	}
	return agents, what
}

// holds tells whether a path, from some folder above, is that of the file, or
// below the folder.
func (p place) holds(name string) (below string, ok bool) {
	// Some disks do not tell a from A, and then an agent does not either.
	folded, want := "/"+strings.ToLower(name), "/"+strings.ToLower(p.path)
	if !strings.HasSuffix(want, "/") {
		return path.Base(folded), strings.HasSuffix(folded, want)
	}
	_, below, ok = strings.Cut(folded, want)
	return below, ok
}

// File is a file that an agent takes more than words from.
type File struct {
	Agent string
	// Path is from the root of the work tree, with slashes, as it is on the disk;
	// it begins with ../ when the file is above it.
	Path string
	// Hash tells whether it is still the same. An empty one is for what cannot
	// be read, or not as a whole: nobody can say what the agent will make of it.
	Hash string
	What string // a few words, fit to be shown
}

// Where is where an agent works.
type Where struct {
	Tree string // the root of the work tree
	Dir  string // the folder in it that the agent works in; empty: the root
	Home string // what is in it is the user's own; empty: not known
}

// Find gives what is there for an agent, sorted by path. What is not a file, or
// cannot be read, is found too: the error is only for a work tree that cannot be
// looked at.
func Find(ctx context.Context, name string, at Where) ([]File, error) {
	s := search{agent: name}
	if err := s.inside(ctx, at); err != nil {
		return nil, err
	}
	s.above(ctx, at)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	slices.SortFunc(s.found, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(s.found, func(a, b File) bool { return a.Path == b.Path }), nil
}

const (
	maxSize = 16 << 20
	// maxFiles bounds how many are looked at. Beyond that nobody reads a
	// list of them, and links may lead in circles.
	maxFiles = 2000
	maxDepth = 20
)

type search struct {
	agent  string
	tree   *os.Root
	prefix string // from the root of the work tree to that of tree
	looked int
	found  []File
}

// inside looks in the folder that the agent works in, and up to the root of the
// work tree. Links may lead anywhere in that.
func (s *search) inside(ctx context.Context, at Where) error {
	tree, err := files.OpenTree(at.Tree)
	if err != nil {
		return err
	}
	defer tree.Close()
	s.tree = tree
	dir := "."
	if at.Dir != "" {
		rel, ok := files.Under(at.Tree, at.Dir)
		if !ok {
			return &fs.PathError{Op: "look for files of the agent", Path: at.Dir, Err: errors.New("it is not in the work tree")}
		}
		dir = filepath.ToSlash(rel)
	}
	for {
		for _, p := range places(s.agent) {
			s.look(ctx, p, dir)
		}
		if dir == "." {
			return nil
		}
		dir = path.Dir(dir)
	}
}

// above looks in the folders above the work tree. One that cannot be looked at
// cannot be by the agent either.
func (s *search) above(ctx context.Context, at Where) {
	list := slices.DeleteFunc(slices.Clone(places(s.agent)), func(p place) bool { return !p.above })
	tree, err := filepath.EvalSymlinks(at.Tree)
	if err != nil || len(list) == 0 {
		return
	}
	home, err := filepath.EvalSymlinks(at.Home)
	if err != nil {
		home = at.Home
	}
	for dir, up := tree, ""; dir != filepath.Dir(dir); {
		dir, up = filepath.Dir(dir), up+"../"
		if dir != home {
			s.aboveIn(ctx, dir, up, list)
		}
	}
}

func (s *search) aboveIn(ctx context.Context, dir, up string, list []place) {
	tree, err := files.OpenTree(dir)
	if err != nil {
		return
	}
	defer tree.Close()
	s.tree, s.prefix = tree, up
	for _, p := range list {
		s.look(ctx, p, ".")
	}
}

// look takes what is at a place: a file, or a folder with all that is below it.
func (s *search) look(ctx context.Context, p place, dir string) {
	name := path.Join(dir, p.path)
	s.take(ctx, p, name, path.Base(name), 0)
}

// take looks at one name. Below is what a folder's own path leaves of it.
func (s *search) take(ctx context.Context, p place, name, below string, depth int) {
	if s.looked++; s.looked > maxFiles+1 {
		return // it is told once, where it came up
	}
	if s.looked > maxFiles || depth > maxDepth {
		s.note(path.Dir(name), "", "more files than can be looked at")
		return
	}
	content, err := s.read(ctx, name)
	var odd *files.NotRegularError
	switch {
	case err == nil:
		if what := p.tells(below, content); what != "" {
			s.note(name, hash(content), what)
		}
	case files.Absent(err):
	case !errors.As(err, &odd):
		if !s.link(name) {
			s.note(name, "", "cannot be read: "+files.Cause(err))
		}
	case !odd.Mode.IsDir():
		s.note(name, "", odd.Kind()+", not a file")
	case strings.HasSuffix(p.path, "/"):
		s.folder(ctx, p, name, depth)
	}
}

func (s *search) read(ctx context.Context, name string) ([]byte, error) {
	local, err := filepath.Localize(name)
	if err != nil {
		return nil, err
	}
	f, err := files.Open(s.tree, local)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return files.All(ctx, f, maxSize)
}

// foreign tells whether a folder has thousands of files of others, which act only
// for a file that is on the list by itself. What lies in it directly is looked at:
// an agent takes a skill of that name for one.
func foreign(name string) bool { return name == "node_modules" || name == ".git" }

// folder takes what is in a folder.
func (s *search) folder(ctx context.Context, p place, name string, depth int) {
	list, err := fs.ReadDir(files.FS(s.tree), name)
	if err != nil {
		s.note(name, "", "cannot be read: "+files.Cause(err))
		return
	}
	for _, entry := range list {
		if !entry.Type().IsRegular() && depth > 0 && foreign(path.Base(name)) {
			continue
		}
		if s.looked > maxFiles {
			return // that there are more is noted
		}
		inner := path.Join(name, entry.Name())
		below, _ := p.holds(inner)
		s.take(ctx, p, inner, below, depth+1)
	}
}

// link notes the link on the way to a name that leads out of the tree, if there
// is one. What is there is not the repository's, and not ours to read: whoever
// trusts the link trusts what it leads to.
func (s *search) link(name string) bool {
	for at := range prefixes(name) {
		target, err := s.tree.Readlink(filepath.FromSlash(at))
		if err != nil {
			continue // no link
		}
		if _, err := s.tree.Stat(filepath.FromSlash(at)); err != nil {
			s.note(at, hash([]byte("link\x00"+target)), "a link that leads out of the tree: "+text.Shorten(text.Line(target), maxTold))
			return true
		}
	}
	return false
}

// prefixes is a path and those above it, the topmost first.
func prefixes(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := range len(name) {
			if name[i] == '/' && !yield(name[:i]) {
				return
			}
		}
		yield(name)
	}
}

func (s *search) note(name, hash, what string) {
	s.found = append(s.found, File{Agent: s.agent, Path: s.prefix + name, Hash: hash, What: what})
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
