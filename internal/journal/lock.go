package journal

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/project"
)

// Holder is who has the lock of a work tree.
type Holder struct {
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	Host    string    `json:"host"`
	Run     string    `json:"run,omitempty"` // its name
	Socket  string    `json:"socket,omitempty"`
}

// Self is this process as a holder, of a run if it has one, and where that takes
// commands.
func Self(run, socket string) Holder {
	host, _ := os.Hostname()
	return Holder{PID: os.Getpid(), Started: processStart, Host: host, Run: run, Socket: socket}
}

// processStart is when this process began to be a runner.
var processStart = time.Now().UTC()

// HeldError says that another runner works in this tree.
type HeldError struct{ Holder Holder }

func (e *HeldError) Error() string {
	h := e.Holder
	if h.PID == 0 {
		return "another run has this work tree"
	}
	run := h.Run
	if run == "" {
		run = "a run that is just starting"
	}
	return fmt.Sprintf("%s has this work tree: process %d on %s, since %s", run, h.PID, h.Host, h.Started.Format(time.DateTime))
}

// Lock is a work tree held for one run. The system lets go of it when the
// process ends, however it ends.
type Lock struct {
	store  Store
	path   string
	lock   *flock.Flock
	holder Holder
}

// Lock takes the work tree for the life of the process, or says who has it.
func (s Store) Lock(h Holder) (*Lock, error) {
	l, err := takeLock(s, h)
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", s.Tree, err)
	}
	return l, nil
}

func takeLock(s Store, h Holder) (*Lock, error) {
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return nil, err
	}
	path := lockPath(s)
	if err := prepareLock(path); err != nil {
		return nil, err
	}
	l := &Lock{store: s, path: path, lock: flock.New(path)}
	if err := l.take(); err != nil {
		return nil, err
	}
	if err := l.Note(h); err != nil {
		_ = l.lock.Close()
		return nil, err
	}
	s.show() // the lock has a link there
	return l, nil
}

// take tells a runner, who holds the lock alone and for long, from readers, who
// share it for a moment to see whether it is held, and from a runner that was
// just killed: a process that it was starting at that moment has the lock until
// it becomes another program. These are worth waiting for.
func (l *Lock) take() error {
	const patience = 2 * time.Second
	for began := time.Now(); ; time.Sleep(time.Millisecond) {
		ok, err := l.lock.TryLock()
		if ok || err != nil {
			return err
		}
		if held(l.path) && readHolder(l.path).runs() || time.Since(began) > patience {
			_ = l.lock.Close()
			return &HeldError{readHolder(l.path)}
		}
	}
}

// Note changes what the lock says of its holder.
func (l *Lock) Note(h Holder) error {
	b, err := json.Marshal(h)
	if err != nil {
		return err
	}
	l.holder = h
	return l.say(append(b, '\n'))
}

// Hold sees that the lock is still the one that others find. When somebody has
// removed its file, it is made and taken again, or else another runner has it.
func (l *Lock) Hold() error {
	now, err := os.Stat(l.path)
	if err == nil {
		ours, ourErr := l.lock.Stat()
		if ourErr == nil && os.SameFile(now, ours) {
			return nil
		}
	}
	// Only the folder that it is in: where even the one above is gone, there is
	// nothing left that two runners could share.
	if err := os.Mkdir(filepath.Dir(l.path), 0o700); err != nil && !os.IsExist(err) {
		return nil
	}
	if err := prepareLock(l.path); err != nil {
		return nil // a full disk does not end the run
	}
	again := &Lock{path: l.path, lock: flock.New(l.path)}
	if err := again.take(); err != nil {
		return err
	}
	_ = l.lock.Close() // nobody can find the old one
	l.lock = again.lock
	return l.Note(l.holder)
}

// Unlock lets another run have the work tree. The file stays: removing it would
// let two runs each hold a file of the same name.
func (l *Lock) Unlock() error {
	l.store.show()
	err := l.say(nil)
	if unlockErr := l.lock.Unlock(); err == nil {
		err = unlockErr
	}
	if err != nil {
		return fmt.Errorf("unlock %s: %w", l.path, err)
	}
	return nil
}

// On Windows nobody else can read a locked byte, and the first one is locked.
// So it is an empty line, and what the lock says comes after.
const lockedBytes = 1

func (l *Lock) say(b []byte) error {
	if err := isFile(l.path); err != nil {
		return err
	}
	f, err := os.OpenFile(l.path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.WriteAt(b, lockedBytes); err != nil {
		return err
	}
	return f.Truncate(lockedBytes + int64(len(b)))
}

// prepareLock makes the file with its first byte.
func prepareLock(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if os.IsExist(err) {
		return isFile(path)
	}
	if err != nil {
		return err
	}
	if _, err := f.WriteString("\n"); err != nil {
		_ = f.Close()
		return err
	}
	return f.Close()
}

// isFile sees that a lock is a file: to open a pipe in its place would wait.
func isFile(path string) error {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "lock", Path: path, Err: &files.NotRegularError{Mode: info.Mode()}}
	}
	return err
}

// Holder tells whether the lock is held now, and by whom.
func (s Store) Holder() (Holder, bool) {
	if s.who != nil {
		return s.who()
	}
	path := lockPath(s)
	if !held(path) {
		return Holder{}, false
	}
	h := readHolder(path)
	return h, h.runs()
}

// Live is who holds the locks of all work trees of the project now, each for a run.
// One that is just starting has no run yet, and is left out.
func (s Store) Live() []Holder {
	var list []Holder
	if s.who != nil {
		if h, held := s.who(); held {
			list = append(list, h)
		}
		return list
	}
	for _, path := range project.Locks(s.Dir) {
		if !held(path) {
			continue
		}
		if h := readHolder(path); h.Run != "" && h.runs() {
			list = append(list, h)
		}
	}
	return list
}

// runs tells whether the holder is alive, as far as can be seen from here: one
// that has not said who it is, or is on another machine, is taken to be.
func (h Holder) runs() bool {
	host, err := os.Hostname()
	return h.PID == 0 || err != nil || h.Host != host || alive(h.PID)
}

// held asks the system. It has the lock for a moment, shared with other readers.
func held(path string) bool {
	if isFile(path) != nil {
		return false
	}
	lock := flock.New(path, flock.SetFlag(os.O_RDONLY)) // does not create it
	ok, err := lock.TryRLock()
	_ = lock.Close()
	return err == nil && !ok
}

// readHolder reads what the lock says; zero when its holder has not spoken yet.
func readHolder(path string) Holder {
	f, err := files.OpenFile(path)
	if err != nil {
		return Holder{}
	}
	defer f.Close()
	var h Holder
	// A decoder stops at the end of the object, so it does not matter when the
	// end of a longer one from before still follows.
	if json.NewDecoder(io.NewSectionReader(f, lockedBytes, 1<<16)).Decode(&h) != nil {
		return Holder{}
	}
	return h
}

func lockPath(s Store) string { return filepath.Join(s.Dir, project.LockName(s.Tree)) }

// TryLocks tells whether a lock in dir keeps a second holder out. It leaves
// nothing behind.
func TryLocks(dir string) error {
	f, err := os.CreateTemp(dir, "lock-try-")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_ = f.Close()
	first, second := flock.New(f.Name()), flock.New(f.Name())
	defer first.Close()
	defer second.Close()
	if ok, err := first.TryLock(); err != nil {
		return fmt.Errorf("take a free lock: %w", err)
	} else if !ok {
		return errors.New("a free lock cannot be taken")
	}
	if ok, err := second.TryLock(); err == nil && ok {
		return errors.New("two holders have the same lock")
	}
	return nil
}
