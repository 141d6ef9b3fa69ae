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
	l := links{inside, p.Dir}
	l.put(runsName)
	for _, path := range Locks(p.Dir) {
		l.put(filepath.Base(path))
	}
	l.dropOthers()
}

// stay notes what the root is known by, when that is another folder than the one
// that was claimed: who is at work at its path has put it there, such as an agent
// that works on in a copy.
func (p Project) stay() error {
	id := filepath.Base(p.Dir)
	stays := func() (note, bool) {
		n, err := readNote(p.state, id)
		now := Identity(p.Root)
		ok := err == nil && n.Root == p.Root && now != "" && n.Identity != now
		n.Identity = now
		return n, ok
	}
	if _, ok := stays(); !ok {
		return nil
	}
	lock, err := lockProjects(p.state, lockPatience)
	if err != nil {
		return err
	}
	defer lock.Close()
	n, ok := stays()
	if !ok {
		return nil // somebody else did
	}
	if err := n.save(p.Dir); err != nil {
		return err
	}
	return p.lead(id, n)
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
		now, err := files.All(context.Background(), f, maxSmall)
		_ = f.Close()
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
	_ = f.Close()
}

// links are those in a folder of the project that lead to its records.
type links struct {
	inside  *os.Root
	records string
}

// put links to what the records have under this name. What is no link, and no
// lock that an earlier version left, stays.
func (l links) put(name string) {
	target := filepath.Join(l.records, name)
	if now, err := l.inside.Readlink(name); err == nil && now == target {
		return
	}
	info, err := l.inside.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return
	case info.Mode().Type() == fs.ModeSymlink || name != runsName && info.Mode().IsRegular():
		_ = l.inside.Remove(name)
	default:
		return
	}
	_ = l.inside.Symlink(target, name)
}

// dropOthers removes links to locks of another place: they came with a copy, or
// from where the project was.
func (l links) dropOthers() {
	folder, err := l.inside.Open(".")
	if err != nil {
		return
	}
	defer folder.Close()
	entries, _ := folder.ReadDir(-1) // what was read is used
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), "lock-") || e.Type() != fs.ModeSymlink {
			continue
		}
		if target, err := l.inside.Readlink(e.Name()); err == nil && filepath.Dir(target) != l.records {
			_ = l.inside.Remove(e.Name())
		}
	}
}

// putAnchor makes the sign a second name of the anchor, and tells whether it could.
// The anchor is made anew for that: what other names the old one has are those of
// somebody who is not the project any more.
func (p Project) putAnchor(inside *os.Root, text []byte) bool {
	anchor := filepath.Join(p.Dir, anchorName)
	if here, err := inside.Lstat(noteName); err == nil {
		if info, err := os.Lstat(anchor); err == nil && os.SameFile(info, here) && says(anchor, text) {
			return true
		}
	}
	folder, err := inside.Open(".")
	if err != nil {
		return false
	}
	defer folder.Close()
	if replaceFile(anchor, text) != nil {
		return false
	}
	if inside.RemoveAll(noteName) != nil || linkInto(anchor, folder, noteName) != nil {
		_ = os.Remove(anchor) // one that leads nowhere would say that the project is gone
		return false
	}
	return true
}

// says tells whether a file still holds what was written to it.
func says(path string, text []byte) bool {
	now, err := readSmall(path)
	return err == nil && string(now) == string(text)
}
