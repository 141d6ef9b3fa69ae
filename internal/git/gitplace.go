package git

import (
	"cmp"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/project"
)

// gitPlace is where a repository is.
type gitPlace struct{ top, dir, common string }

// of is the folder that a noted file is in.
func (p gitPlace) of(name string) string {
	switch strings.TrimSuffix(name, half) {
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
	top := t.Top()
	if git, err := project.FindGit(top); !t.isGit && err == nil && git.Root != "" {
		return git.Root
	}
	return top
}

func (t *Tree) gitPlace() (gitPlace, bool) {
	top := t.gitTop()
	git, err := project.GitAt(top)
	return gitPlace{top: top, dir: git.Dir, common: git.Common}, err == nil && git.Root != ""
}

// identity tells the git folders from others that stand in their place.
func (p gitPlace) identity() string {
	var list []string
	for _, dir := range []string{p.dir, p.common} {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return "none"
		}
		info, err := os.Lstat(real)
		if err != nil {
			return "none"
		}
		inode, _ := files.Identity(info) // which is something where nobody knows more
		list = append(list, cmp.Or(project.Identity(real), strconv.FormatUint(inode, 10)))
	}
	return strings.Join(list, " ")
}

// isNoted tells whether these are the git folders that were noted.
func (p gitPlace) isNoted(was Guarded) bool {
	now := p.identity()
	return now == was[gitIdentity] || was[gitAt] == "" && inEarlierWords(now) == was[gitIdentity]
}

// inEarlierWords is an identity as versions wrote it that did not note the place.
func inEarlierWords(identity string) string {
	list := strings.Fields(identity)
	for i, id := range list {
		inode, born, known := strings.Cut(id, "-")
		if !known {
			born = "0"
		}
		list[i] = inode + " " + strings.Replace(born, ".", "", 1)
	}
	return strings.Join(list, " ")
}

// SmallFile is more than a file has in which git keeps a path or a few settings.
const SmallFile = 1 << 20
