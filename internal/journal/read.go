package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Events gives the events of a run's journal after a number, in their order. A
// torn last line is passed over: it may be on its way.
func (s Store) Events(name string, after int64) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		if !isName(name) {
			yield(loop.Event{}, &NotFoundError{Ref: name})
			return
		}
		for e, err := range events(filepath.Join(s.dir(name), journalName)) {
			if err == nil && e.Seq <= after {
				continue
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// AttemptEvents gives the events of the agent that an attempt's folder holds,
// and none when they were never written or have been dropped.
func AttemptEvents(dir string) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		for e, err := range events(filepath.Join(dir, eventsName)) {
			if errors.Is(err, fs.ErrNotExist) || !yield(e, err) {
				return
			}
		}
	}
}

// events reads a file of events forwards. An error is the last thing it gives.
func events(path string) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		f, err := os.Open(path)
		if err != nil {
			yield(loop.Event{}, err)
			return
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			yield(loop.Event{}, err)
			return
		}
		size, err := goodEnd(f, info.Size())
		if err != nil {
			yield(loop.Event{}, err)
			return
		}
		lines := bufio.NewReaderSize(io.NewSectionReader(f, 0, size), blockSize)
		for at := int64(0); at < size; {
			text, err := lines.ReadBytes('\n')
			if err != nil {
				yield(loop.Event{}, fmt.Errorf("read %s: %w", path, err))
				return
			}
			e, err := Decode(text)
			if err != nil {
				yield(loop.Event{}, corruptAt(path, at, err))
				return
			}
			if !yield(e, nil) {
				return
			}
			at += int64(len(text))
		}
	}
}

// Iterations gives the last attempts that finished, oldest first; last 0 gives
// all. It reads backwards and so does not mind how long the run has been going.
func (s Store) Iterations(name string, last int) ([]loop.Event, error) {
	if !isName(name) {
		return nil, &NotFoundError{Ref: name}
	}
	path := filepath.Join(s.dir(name), journalName)
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NotFoundError{Ref: name}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	list, err := iterations(path, f, info.Size(), last)
	slices.Reverse(list)
	return list, err
}

// iterations is Iterations, latest first.
func iterations(path string, r io.ReaderAt, size int64, last int) ([]loop.Event, error) {
	finished := (*loop.IterationFinished)(nil).Type()
	var list []loop.Event
	for l, err := range backward(r, size) {
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(l.text, []byte(finished)) {
			continue // not worth decoding
		}
		e, err := Decode(l.text)
		if err != nil {
			return nil, corruptAt(path, l.start, err)
		}
		if e.Type() != finished {
			continue
		}
		if list = append(list, e); len(list) == last {
			break
		}
	}
	return list, nil
}

// AttemptDir is the folder of an attempt, which need not exist.
func (s Store) AttemptDir(name string, iter, n int) string {
	return attemptDir(s.dir(name), iter, n)
}

// LastAttempt finds the folder of the last attempt at an iteration.
func (s Store) LastAttempt(name string, iter int) (dir string, n int, err error) {
	if !isName(name) {
		return "", 0, &NotFoundError{Ref: name}
	}
	for {
		next := s.AttemptDir(name, iter, n+1)
		_, err := os.Stat(next)
		if errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err != nil {
			return "", 0, err
		}
		dir, n = next, n+1
	}
	if n == 0 {
		return "", 0, &NotFoundError{Ref: fmt.Sprintf("%s/%d", name, iter)}
	}
	return dir, n, nil
}
