package journal

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/redact"
)

const (
	iterationsName = "iterations"
	promptName     = "prompt.md"
	stdoutName     = "stdout"
	stderrName     = "stderr"
	eventsName     = "events.jsonl"
)

// Attempt writes what belongs to one attempt: its prompt, its transcript and
// the events of its agent.
type Attempt struct {
	run    *Run
	key    attemptKey
	dir    string
	stdout transcript
	stderr transcript
	events logFile // guarded by the run's lock
}

// attemptKey is an iteration and the number of the attempt in it, from 1.
type attemptKey struct{ iter, n int }

// Attempt opens attempt n of an iteration, and makes its folder on first use.
func (r *Run) Attempt(iter, n int) *Attempt {
	defer r.trouble.tell()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.attempt(iter, n)
}

// Begin is Attempt for one that nobody has begun. What stands in its place was
// begun before the journal was cut, and nobody knows of it any more: it is moved
// aside, so that nothing in it is taken for this attempt's.
func (r *Run) Begin(iter, n int) *Attempt {
	dir := attemptDir(r.dir, iter, n)
	for k := 1; k < 1000; k++ {
		if _, err := os.Lstat(dir); err != nil {
			break
		}
		aside := fmt.Sprintf("%s.cut-%d", dir, k)
		if _, err := os.Lstat(aside); err == nil {
			continue
		}
		if err := os.Rename(dir, aside); err != nil {
			r.trouble.note(iterationsName, err)
			break
		}
	}
	return r.Attempt(iter, n)
}

func (r *Run) attempt(iter, n int) *Attempt {
	key := attemptKey{iter, n}
	if a, ok := r.attempts[key]; ok {
		return a
	}
	dir := attemptDir(r.dir, iter, n)
	r.trouble.note(iterationsName, r.full.unless(func() error { return makeAttemptDir(dir) }))
	a := &Attempt{
		run: r, key: key, dir: dir,
		stdout: transcript{path: filepath.Join(dir, stdoutName), trouble: &r.trouble, full: &r.full, hide: r.hide},
		stderr: transcript{path: filepath.Join(dir, stderrName), trouble: &r.trouble, full: &r.full, hide: r.hide},
		events: logFile{path: filepath.Join(dir, eventsName), create: true, often: true, full: &r.full},
	}
	r.attempts[key] = a
	r.newest = max(r.newest, iter)
	return a
}

// makeAttemptDir makes no parents beyond the folder of the iterations: when the
// run itself is gone, a new folder in its place would only hide that.
func makeAttemptDir(dir string) error {
	err := os.Mkdir(dir, 0o700)
	if errors.Is(err, fs.ErrNotExist) {
		if err := os.Mkdir(filepath.Dir(dir), 0o700); err != nil {
			return err
		}
		err = os.Mkdir(dir, 0o700)
	}
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// attemptDir is where an attempt lies in the folder of its run: 0003 is the
// first attempt of iteration 3, and 0003-2 the second.
func attemptDir(run string, iter, n int) string {
	name := fmt.Sprintf("%04d", iter)
	if n > 1 {
		name += "-" + strconv.Itoa(n)
	}
	return filepath.Join(run, iterationsName, name)
}

// Iterations is the folder below which the attempts of the run are, which is made.
func (r *Run) Iterations() (string, error) {
	dir := filepath.Join(r.dir, iterationsName)
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", err
	}
	return dir, nil
}

// Dir is the folder of the attempt.
func (a *Attempt) Dir() string { return a.dir }

// Stdout takes what the agent prints, as it comes. It never fails.
func (a *Attempt) Stdout() io.Writer { return &a.stdout }

// Stderr takes what the agent prints as errors. It never fails.
func (a *Attempt) Stderr() io.Writer { return &a.stderr }

// PromptPath is where WritePrompt saves.
func (a *Attempt) PromptPath() string { return filepath.Join(a.dir, promptName) }

// WritePrompt saves what the agent is told. It need not be there in one piece
// after a crash: an attempt that crashed so early is made again.
func (a *Attempt) WritePrompt(text string) {
	defer a.run.trouble.tell()
	a.run.mu.Lock()
	defer a.run.mu.Unlock()
	a.run.trouble.note(promptName, a.run.full.unless(func() error { return writeNew(a.PromptPath(), []byte(text)) }))
}

// writeNew makes a file, or puts it in the place of what is there already, which takes
// longer.
func writeNew(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return replace(path, b, false)
	}
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Close())
}

// Lend puts a file into the folder that an agent reads while it works; takeBack takes
// it away.
func (a *Attempt) Lend(name, text string) (takeBack func()) {
	defer a.run.trouble.tell()
	a.run.mu.Lock()
	defer a.run.mu.Unlock()
	path := filepath.Join(a.dir, name)
	a.run.trouble.note(name, a.run.full.unless(func() error { return replace(path, []byte(text), false) }))
	return func() { _ = os.Remove(path) } // it goes with the records at the latest
}

// OpenStdout opens what the agent printed, to read it again.
func (a *Attempt) OpenStdout() (*os.File, error) { return files.OpenFile(a.stdout.path) }

// OpenStderr opens what the agent printed as errors.
func (a *Attempt) OpenStderr() (*os.File, error) { return files.OpenFile(a.stderr.path) }

// Close closes the files of the attempt. It may be opened again.
func (a *Attempt) Close() {
	defer a.run.trouble.tell()
	a.run.mu.Lock()
	defer a.run.mu.Unlock()
	delete(a.run.attempts, a.key)
	a.close()
}

func (a *Attempt) close() {
	a.stdout.close()
	a.stderr.close()
	a.run.trouble.note(promptName, a.hidePrompt())
	a.run.trouble.note(eventsName, a.events.close())
}

// maxPrompt is more than any agent can be told.
const maxPrompt = 64 << 20

// hidePrompt takes out of the prompt what is not to be kept. That is done when the
// agent is gone, for it may read the file.
func (a *Attempt) hidePrompt() error {
	if a.run.hide == nil {
		return nil
	}
	told, err := files.ReadFile(context.Background(), a.PromptPath(), maxPrompt)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if kept := a.run.hide.Text(string(told)); kept != string(told) {
		return replace(a.PromptPath(), []byte(kept), false)
	}
	return nil
}

// transcript is a file that takes bytes as they come. While it cannot be
// written, bytes are lost and that is noted.
type transcript struct {
	path    string
	trouble *trouble
	full    *refusal
	hide    *redact.Redactor // nil: it is kept as it comes

	mu    sync.Mutex
	f     *os.File       // nil until the first byte
	to    io.WriteCloser // writes to it, but for what is hidden
	dirty bool           // something is not on the disk yet
}

// Write takes all of p: an agent is not to fail because a disk is full.
func (t *transcript) Write(p []byte) (int, error) {
	defer t.trouble.tell()
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.open(); err != nil {
		t.trouble.note(filepath.Base(t.path), err)
		return len(p), nil
	}
	_, err := t.to.Write(p)
	t.trouble.note(filepath.Base(t.path), err)
	t.dirty = true
	return len(p), nil
}

func (t *transcript) open() error {
	if err := t.full.check(); err != nil || t.f != nil {
		return err
	}
	f, err := files.Append(t.path, 0o600)
	if err != nil {
		return err
	}
	t.f, t.to = f, t.hide.Writer(f)
	return nil
}

func (t *transcript) sync() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.dirty {
		t.trouble.note(filepath.Base(t.path), t.f.Sync())
		t.dirty = false
	}
}

func (t *transcript) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.f == nil {
		return
	}
	t.trouble.note(filepath.Base(t.path), errors.Join(t.to.Close(), t.f.Close()))
	t.f, t.to, t.dirty = nil, nil, false
}
