package git

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
)

// noteOf is what there is to know of a file: empty when there is none. Neither is
// a link followed nor a pipe opened.
func noteOf(ctx context.Context, dir, name string) (string, error) {
	at := filepath.Join(dir, filepath.FromSlash(name))
	info, err := os.Lstat(at)
	switch {
	case files.Absent(err):
		return "", nil
	case err != nil:
		return "", err
	case info.IsDir():
		return "folder", nil
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(at)
		return "link " + base64.StdEncoding.EncodeToString([]byte(target)), err
	case !info.Mode().IsRegular():
		return "other " + info.Mode().Type().String(), nil
	}
	perm := info.Mode().Perm()
	if !strings.HasPrefix(name, hooksFolder+"/") {
		perm = 0o644 // whoever may read it
	}
	f, err := files.OpenFile(at)
	if errors.Is(err, fs.ErrPermission) {
		return fmt.Sprintf("closed %o", perm), nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	text, err := files.All(ctx, f, SmallFile)
	if errors.As(err, new(*files.TooLargeError)) {
		return fmt.Sprintf("large %o %s", perm, files.Stamp(info)), nil
	}
	return fmt.Sprintf("file %o %s", perm, base64.StdEncoding.EncodeToString(text)), err
}

// textOf is what a noted file held.
func textOf(note string) (perm fs.FileMode, text []byte, ok bool) {
	var encoded string
	if n, _ := fmt.Sscanf(note, "file %o %s", &perm, &encoded); n < 1 || !strings.HasPrefix(note, "file ") {
		return 0, nil, false
	}
	text, err := base64.StdEncoding.DecodeString(encoded)
	return perm, text, err == nil
}

// writeNote makes a file what was noted of it, and removes it when nothing was, or
// when it was too large to be kept: what stands there now is somebody else's. Who
// looks meanwhile finds what was there or what is to be, and so does who comes
// after a runner that was killed.
func writeNote(dir, name, note string) error {
	root, err := files.OpenTree(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	kind, rest, _ := strings.Cut(note, " ")
	now, err := root.Lstat(name)
	isFolder := err == nil && now.IsDir()
	switch {
	case kind == "folder" && isFolder:
		return nil
	case err == nil && (isFolder || kind != "file" && kind != "link"):
		if err := root.RemoveAll(name); err != nil {
			return err
		}
	}
	if dir := path.Dir(name); dir != "." && note != "" {
		if err := root.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	made := name + half
	if err := root.RemoveAll(made); err != nil {
		return err
	}
	switch kind {
	case "folder":
		return root.MkdirAll(name, 0o755)
	case "link":
		target, err := base64.StdEncoding.DecodeString(rest)
		if err == nil {
			err = root.Symlink(string(target), made)
		}
		if err != nil {
			return err
		}
	case "file":
		if err := writeNoted(root, name, made, note, now); err != nil {
			return errors.Join(err, root.RemoveAll(made))
		}
	default:
		return nil
	}
	return root.Rename(made, name)
}

// writeNoted writes a file as it was noted, to be put in the place of the one that
// is there now.
func writeNoted(root *os.Root, name, made, note string, now fs.FileInfo) error {
	perm, text, ok := textOf(note)
	if !ok {
		return fmt.Errorf("what %s held was not noted well", name)
	}
	if now != nil && now.Mode().IsRegular() && !strings.HasPrefix(name, hooksFolder+"/") {
		perm = now.Mode().Perm() // there may be a password in it
	}
	f, err := root.OpenFile(made, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Chmod(perm), f.Sync(), f.Close())
}
