package project

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
)

// Show puts links to the records into the project, for people and scripts, and a
// sign by which a project that is moved is known again. The records are found
// without them, so what cannot be put there is no error. It goes nowhere else:
// an agent may have made a link of the folder.
func (p Project) Show() {
	if p.Early {
		return
	}
	_ = p.stay()
	dir := p.signs()[0]
	root, err := files.OpenTree(filepath.Dir(dir))
	if err != nil {
		return
	}
	defer root.Close()
	name := filepath.Base(dir)
	if info, err := root.Lstat(name); err == nil && !info.IsDir() {
		return // somebody's own
	}
	if err := root.MkdirAll(name, 0o700); err != nil {
		return
	}
	inside, err := root.OpenRoot(name)
	if err != nil {
		return
	}
	defer inside.Close()
	p.putSign(inside)
	p.putLink(inside, runsName)
	for _, path := range lockFiles(p.Dir) {
		p.putLink(inside, filepath.Base(path))
	}
	p.dropLinks(inside)
}

// putSign puts the sign of the project. At its root it is a second name of the
// anchor, where the disk can do that.
func (p Project) putSign(inside *os.Root) {
	b, err := json.Marshal(sign{Project: filepath.Base(p.Dir), Records: p.Dir})
	if err != nil {
		return
	}
	b = append(b, '\n')
	if n, err := readNote(p.state, filepath.Base(p.Dir)); err == nil && n.Root == p.Root && p.putAnchor(inside, b) {
		return
	}
	if f, err := files.Open(inside, noteName); err == nil {
		now, err := files.All(context.Background(), f, mostSmall)
		f.Close()
		if err == nil && string(now) == string(b) {
			return
		}
	}
	_ = inside.RemoveAll(noteName)
	f, err := inside.OpenFile(noteName, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return
	}
	_, _ = f.Write(b) // half of it says nothing
	f.Close()
}

// putLink links to what the records have under this name. What is no link, and no
// lock that an earlier version left, stays.
func (p Project) putLink(inside *os.Root, name string) {
	target := filepath.Join(p.Dir, name)
	if now, err := inside.Readlink(name); err == nil && now == target {
		return
	}
	info, err := inside.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return
	case info.Mode().Type() == fs.ModeSymlink || name != runsName && info.Mode().IsRegular():
		_ = inside.Remove(name)
	default:
		return
	}
	_ = inside.Symlink(target, name)
}

// dropLinks removes links to locks of another place: they came with a copy, or
// from where the project was.
func (p Project) dropLinks(inside *os.Root) {
	folder, err := inside.Open(".")
	if err != nil {
		return
	}
	defer folder.Close()
	entries, _ := folder.ReadDir(-1) // what was read is used
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "lock-") || e.Type() != fs.ModeSymlink {
			continue
		}
		if target, err := inside.Readlink(e.Name()); err == nil && filepath.Dir(target) != p.Dir {
			_ = inside.Remove(e.Name())
		}
	}
}
