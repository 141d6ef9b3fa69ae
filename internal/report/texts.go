package report

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// Sources is where the long texts of a page come from. Each writes what is known until
// its writer has enough, and hides what nobody should read.
type Sources struct {
	Net        func(io.Writer) error                      // what the run came to, as a diff
	Diff       func(w io.Writer, iter, attempt int) error // what an attempt changed
	Transcript func(w io.Writer, iter, attempt int) error // what its agent said and did
}

// A page is one file that is sent around, so all of its texts together have an end, and
// each has its own. The net diff comes first, then the latest attempts.
const (
	maxAllTexts  = 6 << 20
	maxNetDiff   = 512 << 10
	maxDiffOf    = 64 << 10
	maxSpoken    = 64 << 10
	maxLongLine  = 2000
	worthReading = 1 << 10 // less room than this is none
	maxTold      = 200     // attempts: git is asked for each
)

// texts is what a page shows of them.
type texts struct {
	net     *shown
	diffs   map[place]*shown
	scripts map[place]*shown
}

// shown is a text in pieces of one colour each, and the command that prints what was
// left out; empty for nothing.
type shown struct {
	Pieces []piece
	More   string
}

type piece struct{ Class, Text string }

// Fill reads the long texts of a page. What cannot be read is left out, and the page
// says how to see it.
func (d *Data) Fill(s Sources) {
	room := maxAllTexts
	take := func(most int, read func(io.Writer) error, diff bool, command string) *shown {
		if room < worthReading {
			return &shown{More: command}
		}
		b := &bounded{most: min(most, room)}
		err := read(b)
		room -= b.text.Len()
		one := &shown{Pieces: pieces(b.text.Bytes(), diff)}
		if b.full || err != nil && !errors.Is(err, errFull) {
			one.More = command
		}
		if len(one.Pieces) == 0 && one.More == "" {
			return nil
		}
		return one
	}
	name := text.Line(d.run.Name)
	d.texts = texts{diffs: map[place]*shown{}, scripts: map[place]*shown{}}
	if s.Net != nil {
		d.texts.net = take(maxNetDiff, s.Net, true, "refrain diff "+name)
	}
	for i := len(d.attempts) - 1; i >= 0; i-- {
		a := d.attempts[i]
		if len(d.attempts)-i > maxTold {
			room = 0
		}
		if s.Diff != nil && files(a.changes) > 0 {
			d.texts.diffs[a.place] = take(maxDiffOf, func(w io.Writer) error { return s.Diff(w, a.iter, a.attempt) }, true, fmt.Sprintf("refrain diff %s/%d", name, a.iter))
		}
		if s.Transcript != nil {
			d.texts.scripts[a.place] = take(maxSpoken, func(w io.Writer) error { return s.Transcript(w, a.iter, a.attempt) }, false, fmt.Sprintf("refrain logs %s/%d", name, a.iter))
		}
	}
}

// errFull ends who writes more than there is room for.
var errFull = errors.New("the page has enough of it")

// bounded keeps what fits, in whole lines.
type bounded struct {
	text bytes.Buffer
	most int
	full bool
}

func (b *bounded) Write(p []byte) (int, error) {
	if b.full {
		return 0, errFull
	}
	if b.text.Len()+len(p) <= b.most {
		return b.text.Write(p)
	}
	b.full = true
	b.text.Write(p[:b.most-b.text.Len()])
	if end := bytes.LastIndexByte(b.text.Bytes(), '\n'); end >= 0 {
		b.text.Truncate(end + 1)
	}
	return 0, errFull
}

// pieces cuts a text where its colour changes. Of a diff the heads say how many lines
// are the files' own: what stands in those passes for nothing else.
func pieces(content []byte, diff bool) []piece {
	var list []piece
	var lines []string
	class := ""
	end := func() {
		if len(lines) > 0 {
			list = append(list, piece{class, strings.Join(lines, "\n") + "\n"})
			lines = nil
		}
	}
	before, after := 0, 0
	for line := range strings.Lines(string(content)) {
		line = strings.TrimSuffix(line, "\n")
		next := ""
		if diff {
			next, before, after = classOf(line, before, after)
		}
		if next != class {
			end()
			class = next
		}
		lines = append(lines, clean(line))
	}
	end()
	return list
}

// classOf is what a line of a diff is, and how many lines of each side the hunk still
// has after it.
func classOf(line string, before, after int) (class string, left, right int) {
	inHunk := before > 0 || after > 0
	switch {
	case inHunk && strings.HasPrefix(line, "+"):
		return "add", before, after - 1
	case inHunk && strings.HasPrefix(line, "-"):
		return "del", before - 1, after
	case strings.HasPrefix(line, `\`):
		return "meta", before, after
	case inHunk:
		return "", before - 1, after - 1
	}
	if head, ok := text.HunkHead(line); ok {
		return "hunk", head.Before.Lines, head.After.Lines
	}
	return "meta", 0, 0
}

// clean is a line as a page may have it. Tabs stay, and what ends a line elsewhere does
// not end one here.
func clean(line string) string {
	parts := strings.Split(strings.TrimSuffix(line, "\r"), "\t")
	for i, part := range parts {
		parts[i] = text.Clean(strings.ReplaceAll(part, "\r", "^M"))
	}
	line = strings.Join(parts, "\t")
	if len(line) > maxLongLine {
		return text.Cut(line, maxLongLine) + text.Ellipsis
	}
	return line
}
