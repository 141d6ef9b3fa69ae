package scaffold

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"syscall"

	"github.com/refrain-loop/refrain/internal/files"
)

// Action is what became of a file.
type Action string

// The actions.
const (
	Created     Action = "created"
	Kept        Action = "kept" // there was another one
	Same        Action = "same" // it was there, as it should be
	Overwritten Action = "overwritten"
)

// Result says what became of one file.
type Result struct {
	Path   string   `json:"path"`
	Action Action   `json:"action"`
	Saved  string   `json:"saved,omitempty"` // where the file that was overwritten is now
	Made   []string `json:"-"`               // the folders that were made for it, the outer ones first
}

// RefusedError says that something stands where a file should be, and nothing
// was written.
type RefusedError struct {
	Path string
	Why  string
	Hint string
}

func (e *RefusedError) Error() string { return fmt.Sprintf("write %s: %s", e.Path, e.Why) }

// Write writes files below a root. One that is there stays as it is; with force
// it is overwritten, and kept beside the new one as NAME.orig. Each file is
// written in one piece. Nothing outside the root is touched, wherever links
// lead, and all files are looked at before the first is written.
func Write(root string, list []File, force bool) ([]Result, error) {
	tree, err := files.OpenTree(root)
	if err != nil {
		return nil, fmt.Errorf("open the work tree: %w", err)
	}
	defer tree.Close()

	results, err := Look(tree, list, force)
	if err != nil {
		return nil, err
	}
	for i, f := range list {
		if err := carryOut(tree, f, &results[i]); err != nil {
			err = fmt.Errorf("write %s: %w", f.Path, err)
			if stays := removeFolders(tree, results[i].Made); stays != nil {
				err = fmt.Errorf("%w; and take away the folder that was made for it: %w", err, stays)
			}
			return results[:i], err
		}
	}
	return results, nil
}

// TakeBack takes away the files that Write has created, and the folders that it made
// for them. The error says what stays.
func TakeBack(root string, results []Result) error {
	tree, err := files.OpenTree(root)
	if err != nil {
		return fmt.Errorf("open the work tree: %w", err)
	}
	defer tree.Close()
	var stays []error
	for _, r := range slices.Backward(results) {
		if r.Action != Created {
			continue
		}
		if err := tree.Remove(filepath.FromSlash(r.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			stays = append(stays, err)
		}
		stays = append(stays, removeFolders(tree, r.Made))
	}
	return errors.Join(stays...)
}

// removeFolders removes folders, the inner ones first. One that has got something else
// in it stays.
func removeFolders(tree *os.Root, list []string) error {
	var stays []error
	for _, dir := range slices.Backward(list) {
		if err := tree.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
			stays = append(stays, err)
		}
	}
	return errors.Join(stays...)
}

// Look says what would become of files, and writes nothing.
func Look(tree *os.Root, list []File, force bool) ([]Result, error) {
	results := make([]Result, len(list))
	for i, f := range list {
		action, err := decide(tree, f, force)
		if err != nil {
			return nil, err
		}
		results[i] = Result{Path: f.Path, Action: action}
	}
	return results, nil
}

// decide says what is to become of a file.
func decide(tree *os.Root, f File, force bool) (Action, error) {
	if err := reachable(tree, f.Path); err != nil {
		return "", err
	}
	name := filepath.FromSlash(f.Path)
	info, err := tree.Lstat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return Created, nil
	case err != nil:
		return "", refused(f.Path, err)
	case info.IsDir():
		return "", &RefusedError{f.Path, "a folder has this name", "rename the folder"}
	case info.Mode().IsRegular():
		old, err := readOld(tree, name)
		var large *files.TooLargeError
		switch {
		case errors.As(err, &large) && !force: // then it is another one
		case err != nil:
			return "", refused(f.Path, err)
		case string(old) == f.Text:
			return Same, nil
		}
	case force && !f.Keep:
		return "", &RefusedError{f.Path, "it is a link or no file", "take it away, then try again"}
	}
	if force && !f.Keep {
		return Overwritten, nil
	}
	return Kept, nil
}

// maxOld is more than any file has that is worth to be compared or kept.
const maxOld = 64 << 20

func readOld(tree *os.Root, name string) ([]byte, error) {
	f, err := files.Open(tree, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return files.All(context.Background(), f, maxOld)
}

// reachable sees that the folders above a file are folders, or can be made.
func reachable(tree *os.Root, name string) error {
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		info, err := tree.Stat(filepath.FromSlash(dir))
		switch {
		case errors.Is(err, syscall.ENOTDIR): // so it is one further up
		case errors.Is(err, fs.ErrNotExist):
			// A link that leads nowhere is not there to Stat, and in the way of MkdirAll.
			if _, err := tree.Lstat(filepath.FromSlash(dir)); err == nil {
				return &RefusedError{name, dir + " is a link that leads nowhere", "mend the link, or take it away"}
			}
		case err != nil:
			return refused(name, err)
		case !info.IsDir():
			return &RefusedError{name, dir + " is not a folder", "rename it"}
		default:
			return nil
		}
	}
	return nil
}

// refused is a way that cannot be gone. The system's error says which part of it.
func refused(name string, err error) error {
	return &RefusedError{name, err.Error(), "see that it is in the work tree and can be read; a link out of the work tree is not followed"}
}

// carryOut does what was decided.
func carryOut(tree *os.Root, f File, r *Result) error {
	name := filepath.FromSlash(f.Path)
	switch r.Action {
	case Created:
		if err := makeFolders(tree, filepath.Dir(name), r); err != nil {
			return err
		}
		return replace(tree, name, f.Text, f.Mode)
	case Overwritten:
		info, err := tree.Stat(name)
		if err != nil {
			return err
		}
		if r.Saved, err = save(tree, f.Path, info.Mode().Perm()); err != nil {
			return fmt.Errorf("keep the old one: %w", err)
		}
		return replace(tree, name, f.Text, info.Mode().Perm())
	}
	return nil
}

// makeFolders makes a folder and those above it, and notes which were not there.
func makeFolders(tree *os.Root, dir string, r *Result) error {
	if _, err := tree.Stat(dir); dir == "." || err == nil {
		return nil
	}
	if err := makeFolders(tree, filepath.Dir(dir), r); err != nil {
		return err
	}
	switch err := tree.Mkdir(dir, 0o755); {
	case errors.Is(err, fs.ErrExist): // somebody else was faster
	case err != nil:
		return err
	default:
		r.Made = append(r.Made, dir)
	}
	return nil
}

// save copies a file to a name beside it that is free, which it gives.
func save(tree *os.Root, name string, mode fs.FileMode) (string, error) {
	old, err := readOld(tree, filepath.FromSlash(name))
	if err != nil {
		return "", err
	}
	for n := 1; ; n++ {
		saved := name + ".orig"
		if n > 1 {
			saved = fmt.Sprintf("%s.orig%d", name, n)
		}
		err := create(tree, filepath.FromSlash(saved), string(old), mode)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		return saved, err
	}
}

// replace puts a text in the place of a file in one piece.
func replace(tree *os.Root, name, text string, mode fs.FileMode) error {
	temp := files.Temp(name)
	if err := create(tree, temp, text, mode); err != nil {
		return err
	}
	if err := tree.Rename(temp, name); err != nil {
		_ = tree.Remove(temp)
		return err
	}
	return nil
}

// create writes a new file, whole or not at all.
func create(tree *os.Root, name, text string, mode fs.FileMode) error {
	f, err := tree.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		_ = tree.Remove(name)
	}
	return err
}
