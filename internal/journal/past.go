package journal

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/seal"
)

// Past is what a journal says of its run, as far as going on needs it.
type Past struct {
	State    loop.State        // the sum of all events
	First    loop.Event        // the event that it began with; only where Tail does not begin with it
	Last     *loop.Event       // the last iteration.finished, nil when there is none
	Tail     []loop.Event      // the events after it; all of them when there is none
	Finished *loop.RunFinished // how the run ended, nil when it has not
	Parked   *loop.RunParked   // how its runner left it, nil when it has not
	Strange  Strange           // what was passed over to read this
	// Tampered is what in the records is not a runner's. A reader does not look at
	// every line of the journal; who opened the run to go on has.
	Tampered  string
	Unchecked string // why nobody can tell what the records are worth
	Unsealed  bool   // the run was found in the project, as an earlier version wrote it, or somebody who wants us to think so

	met     bool   // the line that was looked for
	keyFile string // where the key should be
}

// Seq is the number of the last event.
func (p Past) Seq() int64 {
	var last int64
	if p.Last != nil {
		last = p.Last.Seq
	}
	for _, e := range p.Tail {
		last = max(last, e.Seq)
	}
	return last
}

// LastIteration is the one under way, or the last that was.
func (p Past) LastIteration() int {
	last := 1
	if p.Last != nil {
		last = p.Last.Iter
	}
	for _, e := range p.Tail {
		last = max(last, e.Iter)
	}
	return last
}

// readPast reads a journal backwards to the last iteration.finished, whose
// state includes everything before it, and adds what follows.
// On the way it looks for the line with a seal.
func readPast(path string, c seal.Chain, r io.ReaderAt, size int64, sought string) (Past, error) {
	p := Past{met: sought == "", Unsealed: c.Unsealed || c.Early}
	if c.Lost {
		p.Unchecked, p.keyFile = keyGone, c.KeyFile
	}
	var first struct { // of the strange lines
		start int64
		err   error
	}
	forged := int64(0) // where the first of them begins
	for l, err := range c.Judge(seal.Backward(r, size)) {
		if err != nil {
			return Past{}, err
		}
		p.met = p.met || l.Believed && sought == seal.Of(l.Text)
		e, whole, err := decodeLine(l.Text)
		if !whole {
			p.Strange.Count++
			first.start, first.err = l.Start, err
		}
		if err != nil {
			continue
		}
		if !l.Believed {
			p.Strange.Forged++
			p.Strange.What, forged = string(e.Type()), l.Start
			continue
		}
		e = doubted(c, e)
		if f, ok := e.Payload.(*loop.IterationFinished); ok {
			p.Last, p.State = &e, f.State
			break
		}
		p.Tail = append(p.Tail, e)
	}
	if p.Strange.Forged > 0 {
		var err error
		if p.Strange.ForgedLine, err = lineAt(r, forged); err != nil {
			return Past{}, err
		}
	}
	if p.Strange.Count > 0 {
		var err error
		if p.Strange.Line, err = lineAt(r, first.start); err != nil {
			return Past{}, err
		}
		if p.Last == nil && len(p.Tail) == 0 {
			return Past{}, &CorruptError{File: path, Line: p.Strange.Line, Err: first.err}
		}
	}
	slices.Reverse(p.Tail)
	for _, e := range p.Tail {
		p.State = p.State.Sum(e)
		switch f := e.Payload.(type) {
		case *loop.RunFinished:
			p.Finished = f
		case *loop.RunParked:
			p.Parked = f
		case *loop.RunResumed:
			p.Finished, p.Parked = nil, nil
		}
	}
	return p, nil
}

// openPast reads the past from the journal at path.
func openPast(path string, c seal.Chain, sought string) (Past, error) {
	f, size, err := openSized(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Past{}, &NotFoundError{Ref: filepath.Base(filepath.Dir(path))}
	}
	if err != nil {
		return Past{}, err
	}
	defer f.Close()
	past, err := readPast(path, c, f, size, sought)
	if err != nil || past.Last == nil {
		return past, err
	}
	past.First, err = readFirst(path, f, *past.Last)
	return past, err
}

// readFirst reads the event that a run began with, or the first that is left.
func readFirst(path string, r io.ReaderAt, last loop.Event) (loop.Event, error) {
	// Most first events fit in a little.
	lines := bufio.NewReaderSize(io.NewSectionReader(r, 0, math.MaxInt64), 1<<10)
	for {
		text, err := lines.ReadBytes('\n')
		if err != nil {
			return loop.Event{}, fmt.Errorf("read %s: %w", path, err)
		}
		e, _, err := decodeLine(text)
		switch {
		case err != nil:
			continue
		case e.Seq == last.Seq: // nothing is left before it, and it is not to be counted twice
			return loop.Event{Time: e.Time, Run: e.Run, Payload: &loop.Unknown{}}, nil
		}
		return e, nil
	}
}
