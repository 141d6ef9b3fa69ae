package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/project"
)

// Guard guards what decides how git acts in a work tree: the files of its repository,
// the user's own settings, and what a commit runs. An agent can write to all of
// them, and what they name runs with the rights of whoever calls git.
//
//	before an agent   Files, UserSettings, CommitRuns   noted; UseSettings: git reads the noted ones
//	after it          PutBack                           what differs from the notes is put back
//	before a commit   CommitRuns                        what differs is told
//	after its hooks   FilesLeft, CommitRunsLeft         what they left of their own is noted, too
type Guard struct{ tree *Tree }

// The files of a repository that decide what git does in it. Programs that they
// name run with the rights of whoever calls git.
const (
	configFile   = "config"
	worktreeFile = "config.worktree"
	hooksFolder  = "hooks"
	infoFolder   = "info"
	linkFile     = ".git"      // of a linked work tree, where it leads to the rest
	commonFile   = "commondir" // says where the rest is; the main work tree has none
	gitIdentity  = "."         // which git folder it was
	gitAt        = "@"         // of which work tree
	gitLinks     = "->"        // what of it leads out of it

	half = ".refrain" // ends the name of a file that is about to take the place of another
)

// maxGitFiles is more hooks than anybody has.
const maxGitFiles = 2000

// Files takes note of the files of the repository that decide what git does in
// it: settings, hooks, attributes, and what it ignores. PutBack compares with
// it. There is nothing to note without git.
func (g Guard) Files(ctx context.Context) (Guarded, error) {
	if !g.tree.isGit {
		return nil, nil
	}
	p, ok := g.place()
	if !ok {
		return nil, nil
	}
	found, err := p.look(ctx)
	if err == nil {
		err = p.dropHalves(found, nil)
	}
	if err == nil {
		found[gitLinks], err = p.links(ctx)
	}
	if err == nil {
		err = p.noteCommon(ctx, found)
	}
	if err != nil {
		return nil, fmt.Errorf("look at the settings of git: %w", err)
	}
	return found, nil
}

// Rehome is what was noted, in words of today and for the repository here. That may
// be another one because the project is elsewhere by now: it was copied, or moved
// to another disk. What decides what git does stays as it was noted. In the same
// place, another repository is somebody's doing, and other is false.
func (g Guard) Rehome(ctx context.Context, was Guarded) (now Guarded, other bool, err error) {
	p, ok := g.place()
	if !ok || was[gitAt] == p.top {
		return was, false, nil
	}
	now = maps.Clone(was)
	if was[gitAt] == "" { // an earlier version noted it, and nobody knows where
		if p.isNoted(was) {
			now[gitIdentity], now[gitAt] = p.identity(), p.top
		}
		return now, false, nil
	}
	here, err := p.look(ctx)
	if err != nil {
		return was, false, fmt.Errorf("look at the settings of git: %w", err)
	}
	for _, name := range []string{gitIdentity, gitAt, linkFile} {
		if delete(now, name); here[name] != "" {
			now[name] = here[name]
		}
	}
	return now, now[gitIdentity] != was[gitIdentity], nil
}

// FilesLeft is what was noted of the files that decide what git does, with all
// that the user's own hooks have left beside themselves since: caches and logs.
// Who asks has seen before the hooks ran that all was as noted. A hook that git
// would run is nothing to leave: somebody else's code may have written it.
func (g Guard) FilesLeft(ctx context.Context, was Guarded) (Guarded, error) {
	p, ok := g.place()
	if !ok || !p.isNoted(was) {
		return was, nil
	}
	now, err := p.look(ctx)
	if err != nil {
		return was, fmt.Errorf("look at the settings of git: %w", err)
	}
	return was.taking(now, func(name string) bool { return name == hooksFolder || strings.HasPrefix(name, hooksFolder+"/") }), nil
}

// Restored is what PutBack did.
type Restored struct {
	What []string // the settings and files that were changed, sorted
	Lost bool     // the repository is gone, or is another one: no more was put back

	had []had
}

// had is a file that was put back, and what was noted of it before.
type had struct{ name, note string }

// Save writes the files as they were before they were put back into a new folder,
// and tells whether there are any: what was taken away may have been the user's.
func (r Restored) Save(dir string) (saved bool, err error) {
	for _, h := range r.had {
		if _, _, isFile := textOf(h.note); !isFile {
			continue
		}
		if !saved {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				return false, err
			}
		}
		saved = true
		if err := writeNote(dir, h.name, h.note); err != nil {
			return false, err
		}
	}
	return saved, nil
}

// PutBack puts the files that decide what git does back as they were noted.
// Settings that every day's work changes stay: those of branches, where remotes
// are, who commits, and when git tidies up. Nothing is put into a repository that
// is not the one that was noted.
func (g Guard) PutBack(ctx context.Context, was Guarded) (Restored, error) {
	if len(was) == 0 {
		return Restored{}, nil
	}
	done, err := g.putBack(ctx, was)
	if err != nil {
		return done, fmt.Errorf("put the settings of git back: %w", err)
	}
	slices.Sort(done.What)
	return done, nil
}

func (g Guard) putBack(ctx context.Context, was Guarded) (Restored, error) {
	var done Restored
	top := g.top()
	if text, linked := was[linkFile]; linked {
		switch now, err := noteOf(ctx, top, linkFile); {
		case err != nil:
			return done, err
		case now == "folder":
			return Restored{Lost: true}, nil
		case now != text:
			if err := writeNote(top, linkFile, text); err != nil {
				return done, err
			}
			done.What = append(done.What, linkFile)
		}
	}
	common, err := g.putBackCommon(ctx, was)
	if err != nil {
		return done, err
	}
	done.What = append(done.What, common...)
	p, ok := g.place()
	if !ok && p.dir != "" { // something stands where it says what it belongs to
		pipes, err := p.dropPipes(ctx)
		if err != nil {
			return done, err
		}
		done.What = append(done.What, pipes...)
		p, ok = g.place()
	}
	if !ok || !p.isNoted(was) {
		done.Lost = true
		return done, nil
	}
	now, err := p.look(ctx)
	if errors.Is(err, errFlood) {
		// Nobody wants to read through all of that.
		if err = files.RemoveAll(filepath.Join(p.common, hooksFolder)); err == nil {
			now, err = p.look(ctx)
		}
	}
	if err == nil {
		err = p.dropHalves(now, was)
	}
	if err != nil {
		return done, err
	}
	for _, name := range now.Against(was) {
		if name == gitIdentity || name == linkFile || name == gitAt || name == gitLinks || name == commonFile {
			continue
		}
		what, err := g.putBackOne(ctx, p, name, was[name], now[name])
		if err != nil {
			return done, err
		}
		if done.What = append(done.What, what...); len(what) > 0 {
			done.had = append(done.had, had{name, now[name]})
		}
	}
	pipes, err := p.dropPipes(ctx)
	if err != nil {
		return done, err
	}
	links, err := p.dropLinks(ctx, was[gitLinks])
	done.What, done.Lost = slices.Concat(done.What, pipes, links), !project.HasHead(p.dir)
	return done, err
}

// noteCommon takes note of the file that says where the rest of the repository is, if
// there is one.
func (p gitPlace) noteCommon(ctx context.Context, found Guarded) error {
	note, err := noteOf(ctx, p.dir, commonFile)
	if note != "" {
		found[commonFile] = note
	}
	return err
}

// putBackCommon puts that file back. Whoever changes it, or makes one where there was
// none, has git read the settings of another repository.
func (g Guard) putBackCommon(ctx context.Context, was Guarded) ([]string, error) {
	if was[gitLinks] == "" {
		return nil, nil // an earlier version took the notes, and did not look
	}
	top := g.top()
	dir := filepath.Join(top, linkFile)
	if text, linked := was[linkFile]; linked {
		at, ok := ledTo(top, text)
		if !ok {
			return nil, nil
		}
		dir = at
	}
	now, err := noteOf(ctx, dir, commonFile)
	if err != nil || now == was[commonFile] {
		return nil, files.Ignoring(err, fs.ErrNotExist)
	}
	return []string{commonFile}, writeNote(dir, commonFile, was[commonFile])
}

// ledTo is the folder to which the noted .git of a linked work tree leads.
func ledTo(top, note string) (string, bool) {
	_, text, ok := textOf(note)
	to, leads := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir: ")
	return project.From(top, to), ok && leads
}

// putBackOne puts one file back, and names what was changed.
func (g Guard) putBackOne(ctx context.Context, p gitPlace, name, was, now string) ([]string, error) {
	what := []string{name}
	if name == configFile || name == worktreeFile {
		merged, keys, err := mergeConfig(ctx, g.tree.git, was, now)
		switch {
		case err != nil:
			return nil, err
		case merged == now:
			return nil, nil
		case keys != nil:
			what = keys
		}
		was = merged
	}
	if inOther := name == infoFolder || name == hooksFolder; inOther && was == "" && now == "folder" {
		return nil, nil // a folder alone says nothing
	}
	return what, writeNote(p.of(name), name, was)
}

var errFlood = fmt.Errorf("there are more than %d hooks", maxGitFiles)

// look notes all files.
func (p gitPlace) look(ctx context.Context) (Guarded, error) {
	found := Guarded{gitIdentity: p.identity(), gitAt: p.top}
	names := []string{configFile, configFile + half, worktreeFile, worktreeFile + half, infoFolder, hooksFolder}
	if info, err := os.Lstat(filepath.Join(p.top, linkFile)); err == nil && !info.IsDir() {
		names = append(names, linkFile, linkFile+half)
	}
	for len(names) > 0 {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		name := names[0]
		names = names[1:]
		note, err := noteOf(ctx, p.of(name), name)
		if err != nil {
			return nil, err
		}
		if note == "" {
			continue
		}
		if found[name] = note; len(found) > maxGitFiles {
			return nil, errFlood
		}
		switch {
		case note != "folder":
		case name == infoFolder:
			names = append(names, "info/attributes", "info/attributes"+half, "info/exclude", "info/exclude"+half)
		case name == hooksFolder || strings.HasPrefix(name, hooksFolder+"/"):
			list, err := namesIn(filepath.Join(p.common, filepath.FromSlash(name)))
			if err != nil {
				return nil, err
			}
			for _, entry := range list {
				names = append(names, path.Join(name, entry))
			}
		}
	}
	return found, nil
}

// dropHalves removes what a runner left that was killed while it put a file back,
// and forgets that it was found. What was noted is somebody's own.
func (p gitPlace) dropHalves(found, was Guarded) error {
	for name := range found {
		if was[name] != "" || !strings.HasSuffix(name, half) {
			continue
		}
		if err := writeNote(p.of(name), name, ""); err != nil {
			return err
		}
		delete(found, name)
	}
	return nil
}

// top is the root of the work tree. Where git says that there is none, it is
// where a repository lies.
func (g Guard) top() string {
	top := g.tree.Top()
	if git, err := project.FindGit(top); !g.tree.isGit && err == nil && git.Root != "" {
		return git.Root
	}
	return top
}

// place is where the repository is, if there is one.
func (g Guard) place() (gitPlace, bool) {
	top := g.top()
	at, err := project.GitAt(top)
	return gitPlace{top: top, dir: at.Dir, common: at.Common}, err == nil && at.Root != ""
}
