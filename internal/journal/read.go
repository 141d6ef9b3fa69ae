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

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Events gives the events of a run's journal after a number, in their order. A
// torn last line is passed over, for it may be on its way, and so is a strange
// one, which Strange tells of. A journal with no event but strange lines gives a
// *CorruptError.
func (s Store) Events(name string, after int64) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		if !isName(name) {
			yield(loop.Event{}, &NotFoundError{Ref: name})
			return
		}
		for e, err := range s.events(name, new(Strange)) {
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
		for e, err := range events(filepath.Join(dir, eventsName), chain{}, new(Strange)) {
			if errors.Is(err, fs.ErrNotExist) || !yield(e, err) {
				return
			}
		}
	}
}

// events reads the journal of a run.
func (s Store) events(name string, met *Strange) iter.Seq2[loop.Event, error] {
	m, _, err := readMeta(s.dir(name), true)
	if err != nil {
		m = Meta{Name: name} // who asks for a run has found it; then nothing of it fits
	}
	return events(filepath.Join(s.dir(name), journalName), s.chainOf(m), met)
}

// events reads a file of events forwards, and counts what it passes over. An
// error is the last thing it gives.
func events(path string, c chain, met *Strange) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		f, err := files.OpenFile(path)
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
		var first error // what is wrong with the first strange line
		good, walk := false, c.walk()
		for line, at := 1, int64(0); at < size; line++ {
			text, err := lines.ReadBytes('\n')
			if err != nil {
				yield(loop.Event{}, fmt.Errorf("read %s: %w", path, err))
				return
			}
			at += int64(len(text))
			believed := walk.believes(bytes.TrimSuffix(text, []byte("\n"))) // also of one that cannot be read
			e, whole, err := decodeLine(text)
			if !whole {
				met.Count++
				if met.Count == 1 {
					met.Line, first = line, err
				}
			}
			if err != nil {
				continue
			}
			if !believed {
				if met.Forged++; met.Forged == 1 {
					met.ForgedLine, met.What = line, string(e.Type())
				}
				continue
			}
			good = true
			if !yield(c.doubted(e), nil) {
				return
			}
		}
		if !good && met.Count > 0 {
			yield(loop.Event{}, &CorruptError{File: path, Line: met.Line, Err: first})
		}
	}
}

// Iterations gives the last attempts that finished, oldest first; last 0 gives
// all. It reads backwards and so does not mind how long the run has been going.
func (s Store) Iterations(name string, last int) ([]loop.Event, error) {
	if !isName(name) {
		return nil, &NotFoundError{Ref: name}
	}
	f, err := files.OpenFile(filepath.Join(s.dir(name), journalName))
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
	m, _, err := readMeta(s.dir(name), true)
	if err != nil {
		return nil, err
	}
	list, err := iterations(f, s.chainOf(m), info.Size(), last)
	slices.Reverse(list)
	return list, err
}

// iterations is Iterations, latest first.
func iterations(r io.ReaderAt, c chain, size int64, last int) ([]loop.Event, error) {
	finished := (*loop.IterationFinished)(nil).Type()
	var list []loop.Event
	for l, err := range c.judge(backward(r, size)) {
		if err != nil {
			return nil, err
		}
		if !l.believed || !bytes.Contains(l.text, []byte(finished)) {
			continue // not worth decoding
		}
		e, _, err := decodeLine(l.text)
		if err != nil || e.Type() != finished {
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
