package migrate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
	"syscall"
)

// tree is the project, as far as it is read here.
type tree struct{ root fs.FS }

// maxFile is more than any file of settings, prompt or list of tasks has.
const maxFile = 2 << 20

// A link is followed where it stays in the project. One that leads out of it, or to
// nothing, is there, and cannot be read: so whoever has it hears of it, and what it
// stands for is not left behind.

// read gives a file without its byte order mark, which some editors leave; nil when
// it is not there.
func (t tree) read(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &Error{File: name, What: "this is no path in the project"}
	}
	f, err := t.root.Open(name)
	switch {
	case err != nil && !t.has(name):
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{File: name, What: "it is a link to what is not there"}
	case err != nil:
		return nil, t.unreadable(name, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, &Error{File: name, What: "this is no file"}
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, t.unreadable(name, err)
	case len(b) > maxFile:
		return nil, &Error{File: name, What: fmt.Sprintf("it is larger than %d MB", maxFile>>20)}
	case bytes.HasPrefix(b, []byte("\xff\xfe")) || bytes.HasPrefix(b, []byte("\xfe\xff")):
		return nil, &Error{File: name, What: "it is UTF-16: save it as UTF-8"}
	}
	return append([]byte{}, bytes.TrimPrefix(b, []byte("\ufeff"))...), nil
}

// unreadable says why something that is there cannot be read.
func (t tree) unreadable(name string, err error) error {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := fs.Lstat(t.root, dir); err == nil && info.Mode()&fs.ModeSymlink != 0 && !t.isFolder(dir) {
			return &Error{File: dir, What: "it is no folder of the project"}
		}
	}
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &Error{File: name, What: "cannot be read: " + err.Error()}
}

// has tells whether there is something of a name, be it a link to nothing, or in a
// folder that is not to be looked into.
func (t tree) has(name string) bool {
	if !fs.ValidPath(name) {
		return false
	}
	_, err := fs.Lstat(t.root, name)
	return err == nil || !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTDIR)
}

// isFolder tells whether a name is that of a folder.
func (t tree) isFolder(name string) bool {
	info, err := fs.Stat(t.root, name)
	return err == nil && info.IsDir()
}

// hasFile tells whether there is something of a name that is no folder.
func (t tree) hasFile(name string) bool { return t.has(name) && !t.isFolder(name) }

// list is what is in a folder, files and folders, sorted.
func (t tree) list(dir string) (files, folders []string, err error) {
	if !t.has(dir) {
		return nil, nil, nil
	}
	if !t.isFolder(dir) {
		return nil, nil, &Error{File: dir, What: "it is no folder of the project"}
	}
	entries, err := fs.ReadDir(t.root, dir)
	if err != nil {
		return nil, nil, t.unreadable(dir, err)
	}
	for _, e := range entries {
		if name := path.Join(dir, e.Name()); t.isFolder(name) {
			folders = append(folders, name)
		} else {
			files = append(files, name)
		}
	}
	return files, folders, nil
}

// mode is what may be done with a copy of a file.
func (t tree) mode(name string) fs.FileMode {
	f, err := t.root.Open(name) // which follows more links than one can look at
	if err != nil {
		return 0o644
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Mode()&0o111 != 0 {
		return 0o755
	}
	return 0o644
}

// markdown is the markdown files of a folder.
func (t tree) markdown(dir string) ([]string, error) {
	var list []string
	files, _, err := t.list(dir)
	for _, name := range files {
		if path.Ext(name) == ".md" && !strings.EqualFold(path.Base(name), "README.md") {
			list = append(list, name)
		}
	}
	return list, err
}

// inside is a path that a file of the project names, from the root of the project;
// not ok when it leads out of it.
func inside(from, name string) (string, bool) {
	if path.IsAbs(name) || strings.Contains(name, "\\") || strings.HasPrefix(name, "~") {
		return "", false
	}
	whole := path.Join(path.Dir(from), name)
	return whole, fs.ValidPath(whole) && whole != "."
}
