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
)

// keyName is the file of the key by which records are sealed.
const keyName = "seal.key"

// keySize is that of the key in bytes.
const keySize = 32

// Key is what the records of this user are sealed with; nil when nobody has made
// one yet.
func (p Project) Key() ([]byte, error) {
	b, err := readSmall(filepath.Join(p.state, keyName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	key, err := hex.DecodeString(string(bytes.TrimSpace(b)))
	if err != nil || len(key) != keySize {
		return nil, fmt.Errorf("%s is no key", filepath.Join(p.state, keyName))
	}
	return key, nil
}

// makeKey makes the key if there is none. Only one who claims a project does.
func (p Project) makeKey() error {
	key, err := p.Key()
	if key != nil || err != nil {
		return err
	}
	key = make([]byte, keySize)
	rand.Read(key)
	path := filepath.Join(p.state, keyName)
	if err := replaceFile(path, []byte(hex.EncodeToString(key)+"\n")); err != nil {
		return err
	}
	return os.Chmod(path, 0o600)
}
