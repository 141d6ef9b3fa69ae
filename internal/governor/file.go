package governor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/refrain-loop/refrain/internal/files"
)

// version is of the file. A newer one is left alone.
const version = 1

// content is what the file says.
type content struct {
	limits []Entry
	wakes  []wake
	more   map[string]json.RawMessage // what other versions of this program know
}

func parse(b []byte) (content, error) {
	var c content
	if err := json.Unmarshal(b, &c.more); err != nil {
		return content{}, err
	}
	var v int
	if err := c.field("version", &v); err != nil {
		return content{}, err
	}
	if v > version {
		return content{}, &newerError{v} // in which all else may mean something else
	}
	if err := c.field("limits", &c.limits); err != nil {
		return content{}, err
	}
	return c, c.field("wakes", &c.wakes)
}

func (c content) field(name string, into any) error {
	if raw, ok := c.more[name]; ok {
		return json.Unmarshal(raw, into)
	}
	return nil
}

func (c content) encode() ([]byte, error) {
	all := map[string]any{}
	for name, value := range c.more {
		all[name] = value
	}
	all["version"] = version
	all["limits"] = append([]Entry{}, c.limits...) // never null
	all["wakes"] = append([]wake{}, c.wakes...)
	b, err := json.MarshalIndent(all, "", "  ")
	return append(b, '\n'), err
}

// newerError says that a newer version of this program wrote the file.
type newerError struct{ version int }

func (e *newerError) Error() string {
	return fmt.Sprintf("it has version %d and this program knows version %d: update it", e.version, version)
}

// DamagedError says that the file could not be understood. It was set aside,
// and what was asked for was done with a new one.
type DamagedError struct {
	Path  string
	Aside string // where it is now
	Err   error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s was damaged: %v; it is now %s, and a new one was begun", e.Path, e.Err, e.Aside)
}

func (e *DamagedError) Unwrap() error { return e.Err }

// maxNoted is more than all runs of a user note.
const maxNoted = 16 << 20

// load reads the file. A damaged one is set aside, and the error says so. The
// lock must be held.
func load(path string) (content, error) {
	b, err := files.ReadFile(context.Background(), path, maxNoted)
	if errors.Is(err, fs.ErrNotExist) {
		return content{}, nil
	}
	if err != nil {
		return content{}, err
	}
	c, err := parse(b)
	var newer *newerError
	switch {
	case errors.As(err, &newer):
		return content{}, fmt.Errorf("read %s: %w", path, err)
	case err != nil:
		damaged := &DamagedError{Path: path, Aside: path + ".damaged", Err: err}
		if err := os.Rename(path, damaged.Aside); err != nil {
			return content{}, err
		}
		return content{}, damaged
	}
	return c, nil
}

// save replaces the file in one piece. It is not worth the wait for the disk:
// what a power failure takes with it, the next attempt finds out. The lock must
// be held.
func save(path string, c content) error {
	b, err := c.encode()
	if err != nil {
		return err
	}
	return files.Replace(path, b, 0o600, files.NoSync)
}

// patience is how long to wait for another run. Each needs milliseconds.
var patience = time.Second

// lock takes the folder for a moment. The lock is a file of its own, since the
// other one is replaced.
func lock(dir string) (unlock func(), err error) {
	file := flock.New(filepath.Join(dir, "limits.lock"), flock.SetFlag(os.O_CREATE|files.NoWait))
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	_, err = file.TryLockContext(ctx, time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("another process has held %s for more than %v", file.Path(), patience)
	}
	if err != nil {
		return nil, err
	}
	return func() { _ = file.Unlock() }, nil
}
