package project

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// Project is a project as it was found.
type Project struct {
	Tree string // the work tree, absolute and without symbolic links
	Root string // the folder that the project is known by
	Dir  string // where its records are; it need not be there yet

	Early  bool   // Dir is in the project, where an earlier version has put it
	CopyOf string // the root of the project that this one is a copy of, as long as it has no runs of its own
	Moved  string // the root that it had when it was last claimed, if that was another

	git      Git
	state    string // the user's state folder
	own      string // where its records belong, when Dir is in the project
	original string // the project that it is a copy of
}

// Find finds the project around a work tree, and makes nothing.
func Find(tree string) (Project, error) {
	state, err := Folder(os.Getenv)
	if err != nil {
		return Project{}, err
	}
	return FindIn(state, tree)
}

// FindIn is Find with another state folder than this user's.
func FindIn(state, tree string) (Project, error) {
	p, err := find(state, tree)
	if err != nil {
		return Project{}, fmt.Errorf("find the records: %w", err)
	}
	return p, nil
}

func find(state, tree string) (Project, error) {
	tree, err := filepath.Abs(tree)
	if err != nil {
		return Project{}, err
	}
	// One tree reached by two paths must have one lock.
	if tree, err = filepath.EvalSymlinks(tree); err != nil {
		return Project{}, err
	}
	git, gitErr := FindGit(tree)
	p := Project{Tree: tree, Root: rootOf(git, tree), git: git, state: state}
	if p.known() {
		return p, nil
	}
	if gitErr != nil {
		return Project{}, gitErr
	}
	if id, from := p.named(); id != "" {
		if p.isCopy(id, from) {
			p.CopyOf, p.original = from.Root, id
		} else {
			p.Dir, p.Moved = p.folder(id), from.Root
			return p, nil
		}
	}
	p.Dir = p.folder(p.freeFolder())
	p.takeEarly()
	return p, nil
}

// freeFolder is the folder for a project that has none. One of that name may be
// another's, who was here once.
func (p Project) freeFolder() (id string) {
	base := unusual().ReplaceAllString(filepath.Base(p.Root), "_")
	base = fmt.Sprintf("%.40s-%s", base, shortSum(p.Root, 4))
	for i := 1; ; i++ {
		id := base
		if i > 1 {
			id = fmt.Sprintf("%s-%d", base, i)
		}
		n, err := readNote(p.state, id)
		var unread *fs.PathError // there is none, or whoever makes it will hear why not
		if errors.As(err, &unread) || err == nil && n.Root == p.Root && p.belongs(p.Root, id, n) {
			return id
		}
	}
}

// known finds the project by what is known of its folder, or else of its path. An
// agent may have deleted the git folder, or made one, so the work tree is asked
// before the folder that holds its repository: that may be one further up.
func (p *Project) known() bool {
	for _, path := range []string{p.Tree, p.Root} {
		id, n, ok := p.byIdentity(path)
		if !ok {
			id, n, ok = lookUp(p.state, path)
			ok = ok && p.belongs(path, id, n)
		}
		if ok {
			p.take(path, id, n)
			return true
		}
	}
	return false
}

// byIdentity finds the project whose root this folder is, wherever it is now.
func (p Project) byIdentity(path string) (id string, n note, ok bool) {
	now := Identity(path)
	if now == "" {
		return "", note{}, false
	}
	id, n, ok = noted(p.state, identityFile(p.state, now))
	if !ok || n.Identity != now {
		return "", note{}, false
	}
	return id, n, !n.twice(path)
}

// twice tells whether what is known of the root holds for a second folder: a
// snapshot of a whole disk has the same folders once more.
func (n note) twice(path string) bool { return isThere(n) && !sameFolder(n.Root, path) }

// isThere tells whether a project is still where it was.
func isThere(n note) bool { return n.Identity != "" && Identity(n.Root) == n.Identity }

func sameFolder(a, b string) bool {
	first, err := os.Lstat(a)
	if err != nil {
		return false
	}
	second, err := os.Lstat(b)
	return err == nil && os.SameFile(first, second)
}

// belongs tells whether what lies at a path is the project that was there: the
// same folder, or another in its place, such as one from a backup, while the
// project is nowhere else.
func (p Project) belongs(path, id string, n note) bool {
	was, now := n.identityOf(path), Identity(path)
	return was == "" || now == "" || was == now || !p.elsewhere(id)
}

// identityOf is what a folder of the project was known by when it was last claimed.
func (n note) identityOf(path string) string {
	if path == n.Root {
		return n.Identity
	}
	return n.Others[path]
}

// take makes this project the one that was found by a path.
func (p *Project) take(path, id string, n note) {
	if path == p.Tree && p.git.Root != p.Tree && n.Root != p.Root {
		// Unless the repository is the project's, and was moved, it is one further up.
		if root, _, ok := p.byIdentity(p.Root); !ok || root != id {
			p.git, p.Root = Git{}, p.Tree
		}
	}
	p.Dir = p.folder(id)
	if n.Root != p.Root && n.Identity != "" && Identity(p.Root) == n.Identity && !isThere(n) {
		p.Moved = n.Root
	}
	if len(p.earlyRuns(n)) > 0 { // else somebody has put them there since
		p.takeEarly()
	}
	if from, err := readNote(p.state, n.CopyOf); err == nil && len(names(p.Dir)) == 0 {
		p.CopyOf, p.original = from.Root, n.CopyOf
	}
}

// Away tells whether the project that this one is a copy of is no longer where it
// was last used.
func (p Project) Away() bool {
	n, err := readNote(p.state, p.original)
	return p.CopyOf != "" && err == nil && n.Identity != "" && !isThere(n)
}

// Original is the project that this one is a copy of, to be read.
func (p Project) Original() Project {
	o := Project{Tree: p.CopyOf, Root: p.CopyOf, Dir: p.folder(p.original), state: p.state}
	o.git, _ = FindGit(o.Tree) // what is not there any more has no git
	o.takeEarly()
	return o
}

// Knows tells whether a folder is a work tree of a project that has records. One
// that has the records of all projects in it does not count: a home folder in
// which something was once run is not the project of all that lies below.
func Knows(dir string) bool {
	state, err := Folder(os.Getenv)
	if err != nil {
		return false
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(state); err == nil {
		if rel, err := filepath.Rel(dir, real); err == nil && filepath.IsLocal(rel) {
			return false
		}
	}
	p := Project{Tree: dir, state: state}
	p.git, _ = GitAt(dir) // what cannot be read has no sign
	id, n, ok := lookUp(state, dir)
	return ok && p.belongs(dir, id, n)
}

// State is the user's state folder.
func (p Project) State() string { return p.state }

// rootOf is the folder that holds the repository, or, where its git folder lies
// apart, that one. Without git it is the work tree.
func rootOf(git Git, tree string) string {
	switch {
	case git.Root == "":
		return tree
	case filepath.Base(git.Common) == ".git":
		return filepath.Dir(git.Common)
	}
	return git.Common
}

func (p Project) folder(id string) string { return filepath.Join(projects(p.state), id) }

// signs are the folders in the project that may lead to its records.
func (p Project) signs() []string {
	own := filepath.Join(p.Tree, ".refrain")
	if p.git.Root == "" {
		return []string{own}
	}
	return []string{filepath.Join(p.git.Common, "refrain"), own}
}

// sign is what a project says of its records.
type sign struct {
	Project string `json:"project"`
	Records string `json:"records"`
}

// named is the project whose sign lies here, with what is known of it.
func (p Project) named() (id string, from note) {
	for _, dir := range p.signs() {
		s, err := readSign(dir)
		if err != nil {
			continue
		}
		if from, err := readNote(p.state, s.Project); err == nil {
			return s.Project, from
		}
	}
	return "", note{}
}

func readSign(dir string) (sign, error) {
	var s sign
	b, err := readSmall(filepath.Join(dir, noteName))
	if err == nil {
		err = json.Unmarshal(b, &s)
	}
	return s, err
}

// isCopy tells a copy from a project that was moved to another disk: the original
// of a copy is still there, or something in its place that its records belong to.
func (p Project) isCopy(id string, from note) bool {
	if isThere(from) || p.elsewhere(id) {
		return true
	}
	if _, err := os.Lstat(from.Root); errors.Is(err, fs.ErrNotExist) || from.Root == p.Root {
		return false
	}
	owner, _, known := lookUp(p.state, from.Root)
	return known && owner == id
}

// anchorName is the file in the records that the sign in the project is a second
// name of, where both are on one disk. Moving the project keeps that name, a copy
// has a file of its own, and deleting the sign takes the name away. So the number
// of names tells whether the project is still somewhere, wherever that is.
const anchorName = "sign"

func (p Project) anchor(id string) string { return filepath.Join(p.folder(id), anchorName) }

// elsewhere tells whether the sign of a project is somewhere else than here. No
// is also the answer when nobody can tell.
func (p Project) elsewhere(id string) bool {
	info, err := os.Lstat(p.anchor(id))
	if err != nil {
		return false
	}
	others := namesOf(info) - 1
	for _, dir := range p.signs() {
		if here, err := os.Lstat(filepath.Join(dir, noteName)); err == nil && os.SameFile(info, here) {
			others--
		}
	}
	return others > 0
}
