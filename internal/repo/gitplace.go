package repo

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// gitPlace is where a repository is.
type gitPlace struct{ top, dir, common string }

// of is the folder that a noted file is in.
func (p gitPlace) of(name string) string {
	switch name {
	case linkFile:
		return p.top
	case worktreeFile:
		return p.dir
	}
	return p.common
}

// gitTop is the root of the work tree. Where git says that there is none, it is
// where a repository lies.
func (t *Tree) gitTop() string {
	top := t.top()
	if t.git {
		return top
	}
	for dir := top; ; dir = filepath.Dir(dir) {
		if _, ok := repositoryAt(dir); ok {
			return dir
		}
		if dir == filepath.Dir(dir) {
			return top
		}
	}
}

func (t *Tree) gitPlace() (gitPlace, bool) {
	p := gitPlace{top: t.gitTop()}
	var ok bool
	if p.dir, ok = repositoryAt(p.top); !ok {
		return p, false
	}
	var err error
	p.common, err = commonOf(p.dir)
	return p, err == nil
}

// identity tells the git folders from others that stand in their place.
func (p gitPlace) identity() string {
	var b strings.Builder
	for _, dir := range []string{p.dir, p.common} {
		info, err := os.Stat(dir)
		if err != nil {
			return "none"
		}
		inode, _ := identity(info)
		fmt.Fprintf(&b, "%d %d ", inode, born(dir, info))
	}
	return strings.TrimSuffix(b.String(), " ")
}
