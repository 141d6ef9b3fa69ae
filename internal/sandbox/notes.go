package sandbox

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
)

// Limits of what is noted: a runner keeps it in memory. Nobody writes that much of
// settings by hand, and folders of plugins are mostly smaller.
const (
	maxNoted     = 5000
	maxNotedFile = 1 << 20
	maxNotedText = 32 << 20
	maxStored    = 2*maxNotedText + 1<<20
)

// note is what was at a path.
type note struct {
	Kind  kind        `json:"kind"`
	Mode  fs.FileMode `json:"mode,omitempty"`
	Text  []byte      `json:"text,omitempty"`  // of a file, where a link points, or values of keys
	Stamp string      `json:"stamp,omitempty"` // by which a file is not read again
}

// kind is what something is.
type kind string

const (
	file    kind = "file"
	large   kind = "large" // a file that is too large to be kept
	folder  kind = "folder"
	link    kind = "link"
	keys    kind = "keys"    // the values of some keys of a file
	odd     kind = "odd"     // a pipe, a socket, a device
	unknown kind = "unknown" // nobody could look
)

// notes are what was there, by path. What is not among them was not there.
type notes map[string]note

// same tells whether both say the same, stamps aside.
func (n notes) same(other notes) bool {
	return maps.EqualFunc(n, other, func(a, b note) bool {
		return a.Kind == b.Kind && a.Mode == b.Mode && bytes.Equal(a.Text, b.Text) && (a.Kind != large || a.Stamp == b.Stamp)
	})
}

// looker notes what is there.
type looker struct {
	ctx   context.Context
	known notes // from before: what was not written to since is not read again
	found notes
	most  int
	text  int
}

// look notes what is at a path, and all below it.
func (l *looker) look(path string) error {
	if l.ctx.Err() != nil {
		return context.Cause(l.ctx)
	}
	info, err := os.Lstat(path)
	switch {
	case files.Absent(err):
		return nil
	case err != nil:
		return err
	case len(l.found) >= l.most:
		return fmt.Errorf("there are more than %d files", l.most)
	}
	one, err := l.noteOf(path, info)
	if err != nil {
		return err
	}
	l.found[path] = one
	if one.Kind != folder {
		return nil
	}
	list, err := names(path)
	if err != nil {
		return err
	}
	for _, below := range list {
		if err := l.look(below); err != nil {
			return err
		}
	}
	return nil
}

// forget drops what was found at a path and below.
func (l *looker) forget(path string) {
	maps.DeleteFunc(l.found, func(one string, _ note) bool {
		return one == path || strings.HasPrefix(one, path+string(filepath.Separator))
	})
}

func (l *looker) noteOf(path string, info fs.FileInfo) (note, error) {
	one := note{Mode: info.Mode().Perm()}
	switch mode := info.Mode(); {
	case mode.IsDir():
		one.Kind = folder
		return one, nil
	case mode&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		return note{Kind: link, Text: []byte(target)}, err
	case !mode.IsRegular():
		one.Kind = odd
		return one, nil
	}
	one.Stamp = files.Stamp(info)
	if was := l.known[path]; was.Kind == file && was.Stamp == one.Stamp && files.TellsWrites(info) {
		l.text += len(was.Text)
		return was, nil
	}
	text, err := files.ReadFile(l.ctx, path, maxNotedFile)
	switch {
	case errors.As(err, new(*files.TooLargeError)) || err == nil && l.text+len(text) > maxNotedText:
		one.Kind = large
		return one, nil
	case err != nil:
		return note{}, err
	}
	l.text += len(text)
	one.Kind, one.Text = file, text
	return one, nil
}

// is tells whether what is at a path is what was noted, whatever a folder holds.
func (n note) is(ctx context.Context, path string, info fs.FileInfo) bool {
	mode := info.Mode()
	switch n.Kind {
	case folder:
		return mode.IsDir() && mode.Perm() == n.Mode
	case link:
		target, err := os.Readlink(path)
		return err == nil && target == string(n.Text)
	case odd:
		return !mode.IsRegular() && !mode.IsDir() && mode&fs.ModeSymlink == 0
	}
	if !mode.IsRegular() || mode.Perm() != n.Mode {
		return false
	}
	if n.Stamp == files.Stamp(info) && (n.Kind == large || files.TellsWrites(info)) {
		return true
	}
	if n.Kind == large || info.Size() != int64(len(n.Text)) {
		return false
	}
	text, err := files.ReadFile(ctx, path, maxNotedFile)
	return err == nil && bytes.Equal(text, n.Text)
}

// write puts what was noted to a path where nothing is, or a folder is a folder.
func (n note) write(path string) error {
	switch n.Kind {
	case folder:
		if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		return os.Chmod(path, n.Mode)
	case link:
		return os.Symlink(string(n.Text), path)
	}
	return files.Replace(path, n.Text, n.Mode, files.NoSync)
}

// names are the paths of what is in a folder, sorted.
func names(dir string) ([]string, error) {
	tree, err := files.OpenTree(dir)
	if err != nil {
		return nil, err
	}
	defer tree.Close()
	f, err := tree.Open(".")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.Readdirnames(-1)
	for i, name := range list {
		list[i] = filepath.Join(dir, name)
	}
	slices.Sort(list)
	return list, err
}
