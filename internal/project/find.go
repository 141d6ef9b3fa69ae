package project

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// Project is a project as it was found.
type Project struct {
	Tree string // the work tree, absolute and without symbolic links
	Root string // the folder that the project is known by
	Dir  string // where its records are; it need not be there yet

	Early  bool   // Dir is in the project, where an earlier version has put it
	CopyOf string // the root of the project that this one is a copy of
	Moved  string // the root that it had when it was last claimed, if that was another

	git   Git
	state string // the user's state folder
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
	// An agent may have deleted the git folder, or made one: the work tree itself
	// is known too.
	for _, path := range []string{p.Root, tree} {
		if id, known := lookUp(state, path); known {
			p.Dir = p.folder(id)
			p.takeEarly()
			return p, nil
		}
	}
	if gitErr != nil {
		return Project{}, gitErr
	}
	if id, from := p.named(); id != "" {
		if p.isCopy(id, from) {
			p.CopyOf = from.Root
		} else {
			p.Dir, p.Moved = p.folder(id), from.Root
			return p, nil
		}
	}
	p.Dir = p.folder(freeFolder(state, p.Root))
	p.takeEarly()
	return p, nil
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

// isCopy tells a copy from a project that was moved: the original of a copy is
// still where it was.
func (p Project) isCopy(id string, from note) bool {
	if from.Identity != "" && identity(p.Root) == from.Identity {
		return false // this is the folder itself
	}
	if _, err := os.Lstat(from.Root); err != nil {
		return false
	}
	if from.Identity != "" && identity(from.Root) == from.Identity {
		return true
	}
	git, _ := FindGit(from.Root) // what cannot be read has no sign
	there := Project{Tree: from.Root, git: git}
	for _, dir := range there.signs() {
		if s, err := readSign(dir); err == nil && s.Project == id {
			return true
		}
	}
	return false
}
