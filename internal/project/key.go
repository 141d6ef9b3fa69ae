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

// Keys is the key of one user, by which the records of all projects are sealed.
type Keys struct{ state string }

// Keys is where the key is that the records of the project are sealed with.
func (p Project) Keys() Keys { return Keys{p.state} }

// File is where the key is.
func (k Keys) File() string { return filepath.Join(k.state, keyName) }

// Read gives what the records of this user are sealed with; nil when nobody has made
// one yet.
func (k Keys) Read() ([]byte, error) {
	b, err := readSmall(k.File())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(string(bytes.TrimSpace(b)))
	if err != nil || len(key) != keySize {
		return nil, &KeyError{File: k.File()}
	}
	return key, nil
}

// makeFirst makes the first key of this user, when somebody claims a project. One
// that is gone is not replaced by that.
func (k Keys) makeFirst() error {
	key, err := k.Read()
	if key != nil || err != nil || k.hasRuns() {
		return err
	}
	return k.makeNew()
}

func (k Keys) makeNew() error {
	key := make([]byte, keySize)
	rand.Read(key)
	return k.write(key)
}

// Renew makes another key where the one that records are sealed with is gone,
// and tells whether it was.
func (k Keys) Renew() (renewed bool, err error) {
	if key, err := k.Read(); key != nil || err != nil || !k.hasRuns() {
		return false, nil // Claim tells what is wrong
	}
	lock, err := lockProjects(k.state, lockPatience)
	if err != nil {
		return false, fmt.Errorf("make a key: %w", err)
	}
	defer lock.Close()
	if key, err := k.Read(); key != nil || err != nil {
		return false, err // somebody was faster
	}
	return true, k.makeNew()
}

// hasRuns tells whether this user has records of runs: whoever made them had a
// key. A run that was deleted may leave an empty folder.
func (k Keys) hasRuns() bool {
	ids, _ := os.ReadDir(projects(k.state)) // none is none
	for _, id := range ids {
		dir := filepath.Join(projects(k.state), id.Name())
		for _, run := range names(dir) {
			if left, err := os.ReadDir(filepath.Join(dir, runsName, run)); err == nil && len(left) > 0 {
				return true
			}
		}
	}
	return false
}

func (k Keys) write(key []byte) error {
	if err := replaceFile(k.File(), []byte(hex.EncodeToString(key)+"\n")); err != nil {
		return err
	}
	return os.Chmod(k.File(), 0o600)
}

// Hold puts the key of a live run back where it is gone or damaged, and tells
// whether it was. Another key is left alone: others may have used it. So long it
// waits for others who make one.
func (k Keys) Hold(key []byte, patience time.Duration) (back bool, err error) {
	if now, err := k.Read(); err == nil && now != nil {
		return false, nil
	}
	if err := os.MkdirAll(k.state, 0o700); err != nil {
		return false, err
	}
	lock, err := lockProjects(k.state, patience)
	if err != nil {
		return false, fmt.Errorf("put the key back: %w", err)
	}
	defer lock.Close()
	if now, err := k.Read(); err == nil && now != nil {
		return false, nil // somebody was faster
	}
	return true, k.write(key)
}
