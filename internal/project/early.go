package project

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/refrain-loop/refrain/internal/files"
)

// runsName is the folder with one folder for each run.
const runsName = "runs"

// takeEarly leads to runs that lie in the project, where earlier versions have
// put them, as long as there are no others.
func (p *Project) takeEarly() {
	if _, err := os.Lstat(filepath.Join(p.Dir, runsName)); err == nil {
		return
	}
	if dir := p.early(); dir != "" {
		p.Dir, p.Early = dir, true
	}
}

// early is the folder in the project that holds runs; empty when there is none.
func (p Project) early() string {
	for _, dir := range p.signs() {
		if info, err := os.Lstat(filepath.Join(dir, runsName)); err == nil && info.IsDir() {
			return dir
		}
	}
	return ""
}

// takeIn moves the runs of an earlier version to where records are now. It tells
// whether it could: while one of them is live, they stay.
func (p Project) takeIn(from string) (bool, error) {
	for _, path := range lockFiles(from) {
		lock := flock.New(path)
		ok, err := lock.TryLock()
		if err != nil || !ok {
			lock.Close()
			return false, err
		}
		defer lock.Close()
	}
	source, target := filepath.Join(from, runsName), filepath.Join(p.Dir, runsName)
	if os.Rename(source, target) == nil {
		return true, nil
	}
	// On another disk: copied beside its place first.
	building := target + ".new"
	err := errors.Join(os.RemoveAll(building), CopyFolder(source, building, ""))
	if err == nil {
		err = os.Rename(building, target)
	}
	if err != nil {
		os.RemoveAll(building)
		return false, err
	}
	return true, os.RemoveAll(source)
}

// lockFiles are the locks of work trees in a folder of records.
func lockFiles(dir string) []string {
	list, _ := filepath.Glob(filepath.Join(dir, "lock-*")) // the pattern is good
	var found []string
	for _, path := range list {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			found = append(found, path)
		}
	}
	return found
}

// names are the runs in a folder of records.
func names(dir string) []string {
	entries, _ := os.ReadDir(filepath.Join(dir, runsName)) // none is none
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

// CopyFolder copies the files and folders of records, which have nothing else in
// them, but for what has a name at the top.
func CopyFolder(from, to, but string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case rel == but:
			return fs.SkipDir
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		case d.Type().IsRegular():
			return copyFile(path, target, d)
		}
		return nil
	})
}

func copyFile(from, to string, d fs.DirEntry) error {
	info, err := d.Info()
	if err != nil {
		return err
	}
	source, err := files.OpenFile(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Sync(), target.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}
