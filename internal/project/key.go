package project

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// keyName is the file of the key by which records are sealed.
const keyName = "seal.key"

// keySize is that of the key in bytes.
const keySize = 32

// KeyError says that the file of the key holds none, or is gone.
type KeyError struct {
	File string
	Gone bool
}

func (e *KeyError) Error() string {
	if e.Gone {
		return e.File + " is gone, with which records are sealed"
	}
	return e.File + " is damaged: it holds no key"
}

// Hint says what to do.
func (e *KeyError) Hint() string {
	if e.Gone {
		return "put it back from a copy; without one, \"refrain run\" makes another, and runs that were sealed with the old one cannot be checked any more"
	}
	return "put it back from a copy; without one, move it away: then a new key is made, and runs that were sealed with the old one cannot be checked any more"
}

// KeyFile is where the key is.
func (p Project) KeyFile() string { return filepath.Join(p.state, keyName) }

// Key is what the records of this user are sealed with; nil when nobody has made
// one yet.
func (p Project) Key() ([]byte, error) {
	b, err := readSmall(p.KeyFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(string(bytes.TrimSpace(b)))
	if err != nil || len(key) != keySize {
		return nil, &KeyError{File: p.KeyFile()}
	}
	return key, nil
}

// makeKey makes the first key of this user, when somebody claims a project. One
// that is gone is not replaced by that.
func (p Project) makeKey() error {
	key, err := p.Key()
	if key != nil || err != nil || p.hasRuns() {
		return err
	}
	return p.newKey()
}

func (p Project) newKey() error {
	key := make([]byte, keySize)
	rand.Read(key)
	return p.writeKey(key)
}

// RenewKey makes another key where the one that records are sealed with is gone,
// and tells whether it was.
func (p Project) RenewKey() (renewed bool, err error) {
	if key, err := p.Key(); key != nil || err != nil || !p.hasRuns() {
		return false, nil // Claim tells what is wrong
	}
	lock, err := lockProjects(p.state, lockPatience)
	if err != nil {
		return false, fmt.Errorf("make a key: %w", err)
	}
	defer lock.Close()
	if key, err := p.Key(); key != nil || err != nil {
		return false, err // somebody was faster
	}
	return true, p.newKey()
}

// hasRuns tells whether this user has records of runs: whoever made them had a
// key. A run that was deleted may leave an empty folder.
func (p Project) hasRuns() bool {
	ids, _ := os.ReadDir(projects(p.state)) // none is none
	for _, id := range ids {
		dir := p.folder(id.Name())
		for _, run := range names(dir) {
			if left, err := os.ReadDir(filepath.Join(dir, runsName, run)); err == nil && len(left) > 0 {
				return true
			}
		}
	}
	return false
}

func (p Project) writeKey(key []byte) error {
	if err := replaceFile(p.KeyFile(), []byte(hex.EncodeToString(key)+"\n")); err != nil {
		return err
	}
	return os.Chmod(p.KeyFile(), 0o600)
}

// HoldKey puts the key of a live run back where it is gone or damaged, and tells
// whether it was. Another key is left alone: others may have used it. So long it
// waits for others who make one.
func (p Project) HoldKey(key []byte, patience time.Duration) (back bool, err error) {
	if now, err := p.Key(); err == nil && now != nil {
		return false, nil
	}
	if err := os.MkdirAll(p.state, 0o700); err != nil {
		return false, err
	}
	lock, err := lockProjects(p.state, patience)
	if err != nil {
		return false, fmt.Errorf("put the key back: %w", err)
	}
	defer lock.Close()
	if now, err := p.Key(); err == nil && now != nil {
		return false, nil // somebody was faster
	}
	return true, p.writeKey(key)
}
