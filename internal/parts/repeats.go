package parts

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"slices"
	"strings"
	"unicode"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/engine"
	"github.com/refrain-loop/refrain/internal/loop"
)

// Repeats marks what an attempt could repeat of those before it: the tests that
// fail, the error, the change.
type Repeats struct {
	Tree    *Tree
	Enabled bool
	MaxDiff int // bytes; a longer change is not marked
}

// Mark fills in the marks of an attempt.
func (r *Repeats) Mark(ctx context.Context, _ *engine.Attempt, o *loop.Outcome) {
	if !r.Enabled {
		return
	}
	marks := loop.Fingerprints{Tests: markOfTests(o.Tests), Error: markOfError(o), Diff: r.markOfChange(ctx)}
	if marks != (loop.Fingerprints{}) {
		o.Alike = &marks
	}
}

func markOfTests(t *loop.Tests) string {
	if t == nil || t.Failed == 0 || len(t.Failing) == 0 {
		return ""
	}
	return mark(strings.Join(slices.Sorted(slices.Values(t.Failing)), "\n"))
}

// markOfError marks what the agent said went wrong. What gates say is not
// compared: one that only says "exit 1" says the same of any work.
func markOfError(o *loop.Outcome) string {
	if o.Result != loop.Failed || o.Error == nil {
		return ""
	}
	return mark(withoutDigits(string(o.Error.Kind) + " " + o.Error.Message))
}

// withoutDigits leaves out digits: times, addresses and line numbers differ in
// errors that are the same.
func withoutDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
}

func mark(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:6])
}

// markOfChange marks the lines that were added and removed, wherever in their
// files they stand.
func (r *Repeats) markOfChange(ctx context.Context) string {
	t := r.Tree
	if t.changes == nil || len(t.changes.Paths) == 0 { // they are known where there are two checkpoints
		return ""
	}
	diff := lineMarks{sum: sha256.New(), room: r.MaxDiff}
	if err := t.Store.Diff(ctx, &diff, *t.base.checkpoint, *t.after.checkpoint, checkpoint.DiffOptions{}); err != nil {
		return "" // too large to be the same again, or not to be had
	}
	return hex.EncodeToString(diff.sum.Sum(nil)[:6])
}

// lineMarks takes in a diff: all that is said of its files but where in them
// lines stand, and object names only where there are no lines to compare.
type lineMarks struct {
	sum   hash.Hash
	room  int
	rest  []byte // of a line that is not complete yet
	index []byte // the last line of object names
}

var errLong = errors.New("the diff is too long")

func (m *lineMarks) Write(p []byte) (int, error) {
	if m.room -= len(p); m.room < 0 {
		return 0, errLong
	}
	m.rest = append(m.rest, p...)
	for {
		line, rest, ok := bytes.Cut(m.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		m.rest = rest
		m.line(line)
	}
}

func (m *lineMarks) line(line []byte) {
	switch {
	case bytes.HasPrefix(line, []byte("index ")):
		m.index = bytes.Clone(line)
	case bytes.HasPrefix(line, []byte("Binary files ")):
		m.sum.Write(m.index)
	case len(line) > 0 && line[0] != ' ' && line[0] != '@':
		m.sum.Write(line)
		m.sum.Write([]byte("\n"))
	}
}
