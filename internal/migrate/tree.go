package migrate

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// tree is the project, as far as it is read here.
type tree struct{ root fs.FS }

// maxFile is more than any file of settings, prompt or list of tasks has.
const maxFile = 2 << 20

// used tells whether a mark is there. One that ends with a slash is a folder, with a
// markdown file in it.
func (t tree) used(mark string) bool {
	if dir, isDir := strings.CutSuffix(mark, "/"); isDir {
		return len(t.markdown(dir)) > 0
	}
	info, err := fs.Stat(t.root, mark)
	return err == nil && info.Mode().IsRegular()
}

// read gives a file; nil when it is not there.
func (t tree) read(name string) ([]byte, error) {
	if !fs.ValidPath(name) {
		return nil, &Error{File: name, What: "this is no path in the project"}
	}
	f, err := t.root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return nil, &Error{File: name, What: "this is no file"}
	}
	b, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	switch {
	case err != nil:
		return nil, unreadable(name, err)
	case len(b) > maxFile:
		return nil, &Error{File: name, What: fmt.Sprintf("it is larger than %d MB", maxFile>>20)}
	case b == nil:
		b = []byte{}
	}
	return b, nil
}

func unreadable(name string, err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return &Error{File: name, What: "cannot be read: " + err.Error()}
}

// has tells whether there is a file or folder.
func (t tree) has(name string) bool {
	if !fs.ValidPath(name) {
		return false
	}
	_, err := fs.Stat(t.root, name)
	return err == nil
}

// files are the files of a folder, not of those below it, sorted.
func (t tree) files(dir string) []string {
	entries, err := fs.ReadDir(t.root, dir)
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			list = append(list, path.Join(dir, e.Name()))
		}
	}
	return list
}

// folders are the folders in a folder, sorted.
func (t tree) folders(dir string) []string {
	entries, err := fs.ReadDir(t.root, dir)
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		if e.IsDir() {
			list = append(list, path.Join(dir, e.Name()))
		}
	}
	return list
}

// mode is what may be done with a copy of a file.
func (t tree) mode(name string) fs.FileMode {
	if info, err := fs.Stat(t.root, name); err == nil && info.Mode()&0o111 != 0 {
		return 0o755
	}
	return 0o644
}

// markdown is the markdown files of a folder.
func (t tree) markdown(dir string) []string {
	var list []string
	for _, name := range t.files(dir) {
		if path.Ext(name) == ".md" && !strings.EqualFold(path.Base(name), "README.md") {
			list = append(list, name)
		}
	}
	return list
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
