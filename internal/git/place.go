package git

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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

// blocks tells whether git would wait when it opens what is at a path, be it for
// ever: a named pipe has nobody at its other end, and a device may have no end.
// Git itself makes neither.
func blocks(at string) bool {
	info, err := os.Stat(at)
	if err != nil || info.Mode()&(fs.ModeNamedPipe|fs.ModeDevice) == 0 {
		return false
	}
	nothing, err := os.Stat(os.DevNull) // which people put in the place of what they do not want
	return err != nil || !os.SameFile(info, nothing)
}

// PipeError says that git would wait for ever for one of its own files.
type PipeError struct{ Path string }

func (e *PipeError) Error() string {
	return e.Path + " is a pipe or a device, and git would wait for it for ever"
}

// Hint says what to do.
func (e *PipeError) Hint() string {
	return "remove it, or put the file back that it was; what runs have recorded, \"refrain diff\" and \"refrain rollback\" need no git folder"
}

// alwaysRead are the files of a repository that every git reads.
var alwaysRead = []string{configFile, worktreeFile, "HEAD", "commondir", "packed-refs"}

// Readable tells whether git can look at the repository around a folder without
// waiting for ever: nil, or a *PipeError.
func Readable(dir string) error {
	git, _ := project.FindGit(dir) // git says what is wrong
	if git.Root == "" {
		return nil
	}
	return Answers(git)
}

// Answers looks at what every git reads first.
func Answers(git project.Git) error {
	for _, dir := range []string{git.Dir, git.Common} {
		for _, name := range alwaysRead {
			if at := filepath.Join(dir, name); blocks(at) {
				return &PipeError{Path: at}
			}
		}
	}
	return nil
}

// dropPipes removes what git would wait for from the git folder, and names it.
func (p gitPlace) dropPipes(ctx context.Context) ([]string, error) {
	return p.drop(ctx, func(at, _ string, d fs.DirEntry) string {
		if d.IsDir() || d.Type().IsRegular() || !blocks(at) {
			return ""
		}
		return "a pipe"
	})
}

// dropLinks removes links that were not there when the run began, and names them:
// a git that writes to its own file would write wherever they lead.
func (p gitPlace) dropLinks(ctx context.Context, known string) ([]string, error) {
	if known == "" {
		return nil, nil // an earlier version took the notes, and did not look for any
	}
	before := strings.Split(known, "\n")
	return p.drop(ctx, func(at, rel string, d fs.DirEntry) string {
		if !p.strayed(at, rel, d) || slices.Contains(before, filepath.ToSlash(rel)) {
			return ""
		}
		return "a link that leads out"
	})
}

// links lists the links in the git folder that lead out of it, for dropLinks.
func (p gitPlace) links(ctx context.Context) (string, error) {
	list := noLinks
	err := p.walk(ctx, func(at, rel string, d fs.DirEntry) error {
		if p.strayed(at, rel, d) {
			list += "\n" + filepath.ToSlash(rel)
		}
		return nil
	})
	return list, err
}

// noLinks says that somebody has looked.
const noLinks = "links:"

// strayed tells whether something is a link out of the git folder. Those among hooks
// and rules are noted with them.
func (p gitPlace) strayed(at, rel string, d fs.DirEntry) bool {
	if d.Type()&fs.ModeSymlink == 0 {
		return false
	}
	switch first, _, _ := strings.Cut(filepath.ToSlash(rel), "/"); first {
	case hooksFolder, infoFolder, configFile, worktreeFile:
		return false
	}
	return p.leadsOut(at)
}

// leadsOut tells whether a link leads to elsewhere than the git folder. One that leads
// to nothing yet may lead anywhere.
func (p gitPlace) leadsOut(at string) bool {
	end, err := filepath.EvalSymlinks(at)
	if err != nil {
		return true
	}
	for _, dir := range []string{p.dir, p.common} {
		if _, within := files.Under(files.Straight(dir), end); within {
			return false
		}
	}
	return true
}

func (p gitPlace) drop(ctx context.Context, trap func(at, rel string, d fs.DirEntry) (what string)) (dropped []string, err error) {
	err = p.walk(ctx, func(at, rel string, d fs.DirEntry) error {
		what := trap(at, rel, d)
		if what == "" {
			return nil
		}
		dropped = append(dropped, fmt.Sprintf("%s (%s, removed)", filepath.ToSlash(rel), what))
		return os.Remove(at)
	})
	return dropped, err
}

// walk goes through the git folder. Objects are not looked through, nor are the folders
// of other work trees and of submodules, where git does not look either.
func (p gitPlace) walk(ctx context.Context, visit func(at, rel string, d fs.DirEntry) error) error {
	through := func(root string) error {
		return filepath.WalkDir(root, func(at string, d fs.DirEntry, err error) error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			rel, relErr := filepath.Rel(root, at)
			switch {
			case err != nil || relErr != nil:
				return nil // what is gone, or out of our reach, is no trap of the agent's
			case d.IsDir() && (unread[rel] || isFanOut(rel)):
				return fs.SkipDir
			}
			return visit(at, rel, d)
		})
	}
	err := through(p.dir)
	if err == nil && p.common != p.dir {
		err = through(p.common)
	}
	return err
}

// unread are the folders below a git folder that hold the files of others.
var unread = map[string]bool{"worktrees": true, "modules": true, "lfs": true}

// isFanOut tells whether a folder holds loose objects.
func isFanOut(rel string) bool {
	return filepath.Dir(rel) == "objects" && len(filepath.Base(rel)) == 2
}
