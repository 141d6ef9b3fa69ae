package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/seal"
)

// records are those of one run, to be read.
type records struct {
	dir   string
	meta  Meta
	chain seal.Chain
}

// records finds those of a run. Where run.json cannot be read, which is the error,
// nothing of them fits.
func (s Store) records(name string) (records, error) {
	m, _, err := readMeta(s.dir(name), true)
	if err != nil {
		m = Meta{Name: name}
	}
	return records{s.dir(name), m, s.keys.chainOf(m)}, err
}

func (r records) journal() string { return filepath.Join(r.dir, journalName) }

// Sealed is the journal of a run as a file, and what tells which of its lines are
// believed: for who reads it in pages.
func (s Store) Sealed(name string) (path string, c seal.Chain) {
	r, _ := s.records(name) // who asks for a run has found it
	return r.journal(), r.chain
}

// Reading is what somebody wants to know of a journal. The rest of it is passed over,
// which costs next to nothing; what is given is judged as if nothing was.
type Reading struct {
	After     int64       // only events after this number
	Iteration int         // only those of this iteration; 0: of all, and of none
	Types     []loop.Type // only those of these types; none: of all
	Brief     bool        // the end of an iteration may come without the state that it carries

	told *asIs // an event may stand for its line, where that is to be written as it is; nil: it may not
}

// everything is all that can be read, whatever number it has.
var everything = Reading{After: math.MinInt64}

// wants tells whether an event is asked for.
func (r Reading) wants(seq int64, iter int, t loop.Type) bool {
	return seq > r.After && (r.Iteration == 0 || iter == r.Iteration) && (len(r.Types) == 0 || slices.Contains(r.Types, t))
}

// Events gives the events of a run's journal after a number, in their order, as Read
// does.
func (s Store) Events(name string, after int64) iter.Seq2[loop.Event, error] {
	return s.Read(name, Reading{After: after})
}

// Read gives the events of a run's journal that are asked for, in their order. A torn
// last line is passed over, for it may be on its way, and so is a strange one, which
// Strange tells of. A journal with no event but strange lines gives a *CorruptError.
func (s Store) Read(name string, want Reading) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		if !IsName(name) {
			yield(loop.Event{}, &NotFoundError{Ref: name})
			return
		}
		r, _ := s.records(name) // who asks for a run has found it
		for e, err := range events(r.journal(), r.chain, want, new(Strange)) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// Strange reads all of a run's journal to tell what its readers pass over.
// Past.Strange is less, and costs nothing: what follows the last iteration.
func (s Store) Strange(name string) (Strange, error) {
	if !IsName(name) {
		return Strange{}, &NotFoundError{Ref: name}
	}
	var met Strange
	r, _ := s.records(name)
	for _, err := range events(r.journal(), r.chain, everything, &met) {
		var corrupt *CorruptError
		if err != nil && !errors.As(err, &corrupt) {
			return Strange{}, err
		}
	}
	return met, nil
}

// AttemptEvents gives the events of the agent that an attempt's folder holds,
// and none when they were never written or have been dropped.
func AttemptEvents(dir string) iter.Seq2[loop.Event, error] { return attemptEvents(dir, everything) }

func attemptEvents(dir string, want Reading) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		for e, err := range events(filepath.Join(dir, eventsName), seal.Chain{}, want, new(Strange)) {
			if errors.Is(err, fs.ErrNotExist) || !yield(e, err) {
				return
			}
		}
	}
}

// events reads a file of events forwards, and counts what it passes over. An
// error is the last thing it gives.
func events(path string, c seal.Chain, want Reading, met *Strange) iter.Seq2[loop.Event, error] {
	return func(yield func(loop.Event, error) bool) {
		r, err := openLines(path)
		if err != nil {
			yield(loop.Event{}, err)
			return
		}
		defer r.close()
		var first error // what is wrong with the first strange line
		good, judge := false, judge{walk: c.Walk(), path: path}
		for {
			text, err := r.next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				yield(loop.Event{}, err)
				return
			}
			line, known := scanLine(text)
			if known && !want.wants(line.Seq, line.Iter, line.Type) && judge.pass(text) {
				good = true
				continue
			}
			believed, err := judge.believes(r.n, text) // also of one that cannot be read
			if err != nil {
				yield(loop.Event{}, err)
				return
			}
			if known && believed && want.told != nil && !doubtful(c) && want.told.keeps(line) {
				good = true
				if want.wants(line.Seq, line.Iter, line.Type) && !yield(line.told(), nil) {
					return
				}
				continue
			}
			e, whole, err := line.read(text, known && want.Brief)
			if !whole {
				met.Count++
				if met.Count == 1 {
					met.Line, first = r.n, err
				}
			}
			if err != nil {
				continue
			}
			if !believed {
				if met.Forged++; met.Forged == 1 {
					met.ForgedLine, met.What = r.n, string(e.Type())
				}
				continue
			}
			good = true
			if want.wants(e.Seq, e.Iter, e.Type()) && !yield(doubted(c, e), nil) {
				return
			}
		}
		if !good && met.Count > 0 {
			yield(loop.Event{}, &CorruptError{File: path, Line: met.Line, Err: first})
		}
	}
}

// read reads an event from its line, or from where it stands in that.
func (l Line) read(text []byte, brief bool) (e loop.Event, whole bool, err error) {
	if brief {
		if e, err = l.Brief(); err == nil {
			return e, true, nil
		}
	}
	return decodeLine(text)
}

// judge tells which lines of a journal are believed, of those that somebody asks about.
type judge struct {
	walk   *seal.Walk
	path   string
	passed bool // some were passed
	strict bool // none may be passed: somebody has written to the journal
}

// pass goes past a line that nobody asks about. It is false where that cannot be, as of
// one in which another event stands behind half a line.
func (j *judge) pass(text []byte) bool {
	if j.strict || bytes.Contains(text[1:], []byte(seal.EventStart)) {
		return false
	}
	j.passed = true
	j.walk.Pass(text)
	return true
}

// believes judges the line with a number. Where it does not fit behind those that were
// passed, all of them are looked at.
func (j *judge) believes(n int, text []byte) (bool, error) {
	believed := j.walk.Believes(text)
	if believed || !j.passed || j.strict {
		return believed, nil
	}
	j.strict, j.walk = true, j.walk.Chain.Walk()
	err := lines(j.path, func(i int, text []byte) bool {
		if i < n {
			j.walk.Believes(text)
		}
		return i < n
	})
	return j.walk.Believes(text), err
}

// openSized opens a file of records, and tells how long it is.
func openSized(path string) (*os.File, int64, error) {
	f, err := files.OpenFile(path)
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// noSeal is why nobody can tell what was recorded without one.
const noSeal = "its records have no seal, as those of earlier versions"

// doubted is an event as far as it is worth anything without a seal that can be
// checked: nothing that anybody could have written proves the work.
func doubted(c seal.Chain, e loop.Event) loop.Event {
	why := ""
	switch {
	case c.Lost:
		why = keyGone
	case c.Unsealed, c.Early && e.Seal == "":
		why = noSeal
	default:
		return e
	}
	switch p := e.Payload.(type) {
	case *loop.RunFinished:
		if p.State == loop.Done {
			now := *p
			now.Proven, now.Proof = doubt(p.Proven, p.Proof, why)
			e.Payload = &now
		}
	case *loop.IterationFinished:
		now := *p
		now.Verdict = doubtVerdict(p.Verdict, why)
		e.Payload = &now
	case *loop.RunRule:
		e.Payload = &loop.RunRule{Verdict: doubtVerdict(p.Verdict, why)}
	}
	return e
}

// doubtful tells whether events of a journal may be worth less than they say.
func doubtful(c seal.Chain) bool { return c.Lost || c.Unsealed || c.Early }

func doubtVerdict(v loop.Verdict, why string) loop.Verdict {
	if v.State == loop.Done {
		v.Proven, v.Proof = doubt(v.Proven, v.Proof, why)
	}
	return v
}

func doubt(proven bool, p *loop.Proof, why string) (bool, *loop.Proof) {
	level := loop.LevelClaimed
	if p != nil {
		level = p.Level
	} else if proven {
		level = loop.LevelProven
	}
	return false, &loop.Proof{Level: loop.LevelClaimed, Why: fmt.Sprintf("recorded as %s, which cannot be checked: %s", level, why)}
}

// Iterations gives the last attempts that finished, oldest first; last 0 gives
// all, which come without the state that each carries. It reads backwards and so does
// not mind how long the run has been going.
func (s Store) Iterations(name string, last int) ([]loop.Event, error) {
	if !IsName(name) {
		return nil, &NotFoundError{Ref: name}
	}
	r, unread := s.records(name)
	f, size, err := openSized(r.journal())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NotFoundError{Ref: name}
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if unread != nil {
		return nil, unread
	}
	list, err := iterations(f, r.chain, size, last)
	slices.Reverse(list)
	return list, err
}

// iterations is Iterations, latest first.
func iterations(r io.ReaderAt, c seal.Chain, size int64, last int) ([]loop.Event, error) {
	finished := (*loop.IterationFinished)(nil).Type()
	var list []loop.Event
	for l, err := range c.Judge(seal.Backward(r, size)) {
		if err != nil {
			return nil, err
		}
		if !l.Believed || !bytes.Contains(l.Text, []byte(finished)) {
			continue // not worth decoding
		}
		line, known := scanLine(l.Text)
		e, _, err := line.read(l.Text, known && last == 0) // of all of them, nobody wants the states
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
	if !IsName(name) {
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

// Recall gives a state that was read from a run's journal the words that it came
// without: what the last iterations said of their work, which stands on their own
// lines. Who only looks at a run has no need of them.
func (s Store) Recall(name string, state loop.State) (loop.State, error) {
	r, err := s.records(name)
	if err != nil {
		return state, err
	}
	return recall(r.journal(), r.chain, state)
}
