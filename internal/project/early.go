package project

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/text"
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
		p.own, p.Dir, p.Early = p.Dir, dir, true
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
	// One who is about to start here must not find the lock free.
	own, err := os.OpenFile(filepath.Join(from, LockName(p.Tree)), os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_ = own.Close()
	} else if !errors.Is(err, fs.ErrExist) {
		return false, err
	}
	for _, path := range Locks(from) {
		lock := flock.New(path)
		ok, err := lock.TryLock()
		if err != nil || !ok {
			_ = lock.Close()
			return false, err
		}
		defer lock.Close()
	}
	source, target := filepath.Join(from, runsName), filepath.Join(p.Dir, runsName)
	if os.Rename(source, target) == nil {
		return true, files.SyncDir(p.Dir)
	}
	// On another disk.
	err = p.Build(func(dir string) error {
		if err := CopyFolder(source, dir, ""); err != nil {
			return err
		}
		return MoveInto(dir, target)
	})
	if err != nil {
		return false, err
	}
	return true, os.RemoveAll(source)
}

// LockName names the lock of a work tree, in a way that people recognise and that
// no two trees share.
func LockName(tree string) string {
	return fmt.Sprintf("lock-%.40s-%s", odd().ReplaceAllString(filepath.Base(tree), "_"), shortSum(tree, 4))
}

var odd = text.NewPattern(`[^A-Za-z0-9._-]+`)

// Locks are the locks of work trees in a folder of records.
func Locks(dir string) []string {
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

// AdmitEarlier notes that a run which came from another project has no seals, for
// an earlier version made it.
func (p Project) AdmitEarlier(run string) error {
	lock, err := lockProjects(p.state, lockPatience)
	if err != nil {
		return err
	}
	defer lock.Close()
	n, err := readNote(p.state, filepath.Base(p.Dir))
	if err != nil {
		return err
	}
	n.Early = append(p.earlyRuns(n), run)
	if n.Seal, err = p.sealOf(n.Early); err != nil {
		return err
	}
	return n.save(p.Dir)
}

// sealOf is the seal of a list of runs that have none themselves.
func (p Project) sealOf(runs []string) (string, error) {
	key, err := p.Keys().Read()
	if err == nil && key == nil {
		err = &KeyError{File: p.Keys().File(), Gone: true}
	}
	if err != nil {
		return "", err
	}
	mac := hmac.New(sha256.New, key)
	fmt.Fprintf(mac, "early runs of %s\n%s\n", filepath.Base(p.Dir), strings.Join(runs, "\n"))
	return hex.EncodeToString(mac.Sum(nil)), nil
}

// earlyRuns are the runs that were there before records were sealed; none when
// somebody else has written the list.
func (p Project) earlyRuns(n note) []string {
	seal, err := p.sealOf(n.Early)
	if err != nil || !hmac.Equal([]byte(seal), []byte(n.Seal)) {
		return nil
	}
	return n.Early
}

// MadeEarlier tells whether a run was made by a version that did not seal its
// records.
func (p Project) MadeEarlier(run string) bool {
	if p.Early {
		return true
	}
	n, err := readNote(p.state, filepath.Base(p.Dir))
	return err == nil && slices.Contains(p.earlyRuns(n), run)
}

// CalledEarly tells whether somebody has said so of a run: where the key is gone,
// nobody can tell who.
func (p Project) CalledEarly(run string) bool {
	n, err := readNote(p.state, filepath.Base(p.Dir))
	return err == nil && slices.Contains(n.Early, run)
}
