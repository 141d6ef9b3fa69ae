package project

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/refrain-loop/refrain/internal/files"
)

// buildingLock is held by who builds something among the records, which may take a
// while.
const (
	buildingLock  = "building.lock"
	buildPatience = 10 * time.Minute
)

// Removing begins the name of a folder that is being removed.
const Removing = "removing-"

// building begins the names of folders that are just being built. Earlier versions
// had other names for them.
var building = []string{"building-", Removing, "taking-", "runs.new"}

// Build has a folder built beside its place among the records, which is there
// whole or not at all: build puts it in its place. What is left of one that was
// killed is swept by Leftovers.
func (p Project) Build(build func(dir string) error) error {
	lock, err := lockFile(filepath.Join(p.Dir, buildingLock), buildPatience)
	if err != nil {
		return err
	}
	defer lock.Close()
	dir, err := os.MkdirTemp(p.Dir, building[0])
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return build(dir)
}

// Leftovers are folders among the records that somebody who was killed was just
// building; none while anybody is at it. Nobody will go on with them, for each
// has a name of its own.
func Leftovers(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var left []string
	for _, e := range entries {
		isOne := func(prefix string) bool { return strings.HasPrefix(e.Name(), prefix) }
		if e.IsDir() && slices.ContainsFunc(building, isOne) {
			left = append(left, filepath.Join(dir, e.Name()))
		}
	}
	if len(left) == 0 {
		return nil, nil
	}
	lock := flock.New(filepath.Join(dir, buildingLock), flock.SetPermissions(0o600))
	defer lock.Close()
	if ok, err := lock.TryLock(); !ok {
		return nil, err
	}
	return left, nil
}

// MoveInto puts a folder that was built in its place, and on the disk.
func MoveInto(from, to string) error {
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return files.SyncDir(filepath.Dir(to))
}

// CopyFolder copies the files and folders of records, which have nothing else in
// them, but for what has a name at the top. Afterwards all is on the disk.
func CopyFolder(from, to, but string) error {
	var made []string
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
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
			made = append(made, target)
			return os.MkdirAll(target, 0o700)
		case d.Type().IsRegular():
			return files.Copy(path, target, files.SyncFile)
		}
		return nil
	})
	for _, dir := range made {
		err = errors.Join(err, files.SyncDir(dir))
	}
	return err
}
