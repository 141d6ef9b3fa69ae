package ledger

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io/fs"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/seal"
)

// Query says which events are wanted: the last ones before a number, or the first ones
// after one. Without either they are the last of the run.
type Query struct {
	Before, After int64
	Onward        bool // the first ones after After, be it 0
	Limit         int
	Types         []string // what their types begin with; none is all
	Iteration     int      // 0 is all
	Text          string   // that they contain, as they stand in the file
	NoAgents      bool     // only the journal
}

// wants tells whether an event is asked for.
func (q Query) wants(l Line) bool {
	if q.Iteration > 0 && l.Iter != q.Iteration {
		return false
	}
	if len(q.Types) > 0 && !slices.ContainsFunc(q.Types, func(t string) bool { return strings.HasPrefix(string(l.Type), t) }) {
		return false
	}
	return q.Text == "" || bytes.Contains(bytes.ToLower(l.Raw), []byte(strings.ToLower(q.Text)))
}

// Page is some events, oldest first.
type Page struct {
	Lines []Line
	More  bool  // there may be others that are wanted, further on
	Next  int64 // where to ask on: before it, or after it
}

// maxScan is how many bytes are looked through for one page: a filter that matches
// nothing gets an answer in time, and can ask on.
const maxScan = 64 << 20

// Page gives some events of the run.
func (l *Ledger) Page(ctx context.Context, q Query) (Page, error) {
	if q.Before == 0 && (q.After > 0 || q.Onward) {
		return l.pageAfter(ctx, q)
	}
	var p Page
	scanned := 0
	for line, err := range l.backward(q.Before, q.NoAgents) {
		if err != nil {
			return p, err
		}
		if line.Seq <= q.After {
			break
		}
		if scanned += len(line.Raw); len(p.Lines) == q.Limit || scanned > maxScan || ctx.Err() != nil {
			p.More = true
			break
		}
		p.Next = line.Seq
		if q.wants(line) {
			line.Raw = bytes.Clone(line.Raw)
			p.Lines = append(p.Lines, line)
		}
	}
	slices.Reverse(p.Lines)
	return p, context.Cause(ctx)
}

// pageAfter reads backwards from a place that lies behind what is wanted, and keeps the
// first of it.
func (l *Ledger) pageAfter(ctx context.Context, q Query) (Page, error) {
	var kept []Line
	p := Page{Next: q.After}
	scanned := 0
	for line, err := range l.backward(l.behind(q.After+int64(4*q.Limit)), q.NoAgents) {
		if err != nil {
			return p, err
		}
		if line.Seq <= q.After || ctx.Err() != nil {
			break
		}
		if scanned += len(line.Raw); scanned > maxScan {
			kept, scanned, p.More = nil, 0, true // too far behind: what comes before it is wanted first
		}
		p.Next = max(p.Next, line.Seq)
		if q.wants(line) {
			line.Raw = bytes.Clone(line.Raw)
			if kept = append(kept, line); len(kept) > 4*q.Limit {
				kept = slices.Delete(kept, 0, len(kept)-2*q.Limit)
				p.More = true
			}
		}
	}
	slices.Reverse(kept)
	if p.Lines = kept; len(kept) > q.Limit {
		p.Lines, p.More = kept[:q.Limit], true
	}
	if p.More && len(p.Lines) > 0 {
		p.Next = p.Lines[len(p.Lines)-1].Seq
	} else if newest := l.newest(); p.Next < newest {
		p.More = true
	}
	return p, context.Cause(ctx)
}

// behind is the number of an event from which on nothing is needed to find those up to
// a number; 0 is the end.
func (l *Ledger) behind(seq int64) int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, _ := slices.BinarySearchFunc(l.places, seq, func(p place, seq int64) int { return cmp.Compare(p.seq, seq) })
	if i == len(l.places) {
		return 0
	}
	return l.places[i].seq + 1
}

func (l *Ledger) newest() int64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seq
}

// backward gives the events before a number, the latest first: those of the journal
// and, each in its place, those that the attempts keep for themselves. A line is good
// until the next one.
func (l *Ledger) backward(before int64, noAgents bool) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		f, err := files.OpenBelow(files.Above(l.path, 2))
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			yield(Line{}, err)
			return
		}
		m := merge{ledger: l, before: before, noAgents: noAgents, yield: yield}
		defer m.close()
		for line, err := range l.chain.Judge(seal.Backward(f, l.endFor(before, info.Size()))) {
			if err != nil {
				yield(Line{}, err)
				return
			}
			if !line.Believed {
				continue
			}
			if head, ok := journal.ParseLine(line.Text); ok && !m.take(head) {
				return
			}
		}
		m.rest()
	}
}

// endFor is a place in the journal from which on nothing is needed.
func (l *Ledger) endFor(before, size int64) int64 {
	if before == 0 {
		return size
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	i, _ := slices.BinarySearchFunc(l.places, before, func(p place, seq int64) int { return cmp.Compare(p.seq, seq) })
	if i == len(l.places) || l.places[i].end > size {
		return size
	}
	return l.places[i].end
}

// merge puts what agents said between the lines of the journal, from the last to the
// first. Lines that belong to no attempt wait until it is known in which they stand.
type merge struct {
	ledger   *Ledger
	before   int64
	noAgents bool
	yield    func(Line, error) bool

	waiting []Line
	iter, n int
	next    func() (Line, error, bool)
	stop    func()
	held    *Line
}

// take takes the next line of the journal. It is false when no more is wanted.
func (m *merge) take(line Line) bool {
	if m.before > 0 && line.Seq >= m.before {
		return true
	}
	if m.noAgents {
		return m.yield(line, nil)
	}
	if line.Iter == 0 {
		line.Raw = bytes.Clone(line.Raw)
		m.waiting = append(m.waiting, line)
		return true
	}
	if line.Iter != m.iter || line.Attempt != m.n {
		m.close()
		m.iter, m.n = line.Iter, line.Attempt
		m.next, m.stop = iter.Pull2(AttemptBackward(m.ledger.store.AttemptDir(m.ledger.name, m.iter, m.n)))
	}
	for {
		said, err := m.peek()
		switch {
		case err != nil:
			m.yield(Line{}, err)
			return false
		case said != nil && m.before > 0 && said.Seq >= m.before:
			m.held = nil
			continue
		case len(m.waiting) > 0 && (said == nil || said.Seq < m.waiting[0].Seq):
			if !m.yield(m.waiting[0], nil) {
				return false
			}
			m.waiting = m.waiting[1:]
		case said != nil && said.Seq > line.Seq:
			m.held = nil
			if !m.yield(*said, nil) {
				return false
			}
		default:
			return m.yield(line, nil)
		}
	}
}

// peek is the next event of the agent's; nil when there is none.
func (m *merge) peek() (*Line, error) {
	if m.held == nil {
		line, err, ok := m.next()
		outside, odd := (*files.OutsideError)(nil), (*files.NotRegularError)(nil)
		if errors.As(err, &outside) || errors.As(err, &odd) {
			return nil, nil // it is not the run's: the rest of the run is told without it
		}
		if !ok || err != nil {
			return nil, err
		}
		m.held = &line
	}
	return m.held, nil
}

func (m *merge) rest() {
	for _, line := range m.waiting {
		if !m.yield(line, nil) {
			return
		}
	}
}

func (m *merge) close() {
	if m.stop != nil {
		m.stop()
	}
	m.stop, m.held = nil, nil
}

// AttemptBackward gives the events of the agent that an attempt's folder holds, the
// latest first, and none when they were never written or have been dropped. No link is
// followed that leads out of the folder of all runs.
func AttemptBackward(dir string) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		f, err := files.OpenBelow(files.Above(filepath.Join(dir, "events.jsonl"), 4))
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		if err != nil {
			yield(Line{}, err)
			return
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			yield(Line{}, err)
			return
		}
		for line, err := range seal.Backward(f, info.Size()) {
			if err != nil {
				yield(Line{}, err)
				return
			}
			if head, ok := journal.ParseLine(line.Text); ok && !yield(head, nil) {
				return
			}
		}
	}
}
