package seal

import (
	"bytes"
	"io"
	"iter"
)

// BlockSize is how much is read at a time from the end of a file. Most ends of
// a journal, with the last iteration.finished, fit in one.
const BlockSize = 8 << 10

// Line is a complete line of a file, without its newline.
type Line struct {
	Start int64
	Text  []byte
}

// End is where the next line begins.
func (l Line) End() int64 { return l.Start + int64(len(l.Text)) + 1 }

// Backward gives the complete lines of a file from the last to the first. A
// torn tail is passed over: what stands after the last newline and, before it,
// lines with NUL bytes, which a power loss leaves where data never arrived.
func Backward(r io.ReaderAt, size int64) iter.Seq2[Line, error] {
	return func(yield func(Line, error) bool) {
		rest := remainder{r: r, pos: size}
		_, more, err := rest.last() // what stands after the last newline
		clean := false
		for more && err == nil {
			var l Line
			if l, more, err = rest.last(); err != nil {
				break
			}
			clean = clean || bytes.IndexByte(l.Text, 0) < 0
			if clean && !yield(l, nil) {
				return
			}
		}
		if err != nil {
			yield(Line{}, err)
		}
	}
}

// remainder is the part of a file that has not been given yet.
type remainder struct {
	r   io.ReaderAt
	pos int64
	buf []byte // of this part, what is already read: from pos to its end
}

// last takes the last line off the remainder, together with the newline before
// it, and tells whether there was one.
func (m *remainder) last() (Line, bool, error) {
	for {
		if i := bytes.LastIndexByte(m.buf, '\n'); i >= 0 {
			l := Line{Start: m.pos + int64(i) + 1, Text: m.buf[i+1:]}
			m.buf = m.buf[:i]
			return l, true, nil
		}
		if m.pos == 0 {
			return Line{Text: m.buf}, false, nil
		}
		if err := m.read(); err != nil {
			return Line{}, false, err
		}
	}
}

// read puts one more block in front. Blocks grow, so that a very long line is
// not copied over and over.
func (m *remainder) read() error {
	n := min(m.pos, int64(max(BlockSize, len(m.buf))))
	block := make([]byte, n, n+int64(len(m.buf)))
	got, err := m.r.ReadAt(block, m.pos-n)
	if err == io.EOF && len(m.buf) == 0 {
		block, err = block[:got], nil // a torn tail has been cut since
	}
	if err != nil {
		return err
	}
	m.pos -= n
	m.buf = append(block, m.buf...)
	return nil
}

// GoodEnd is where the complete lines of a file end.
func GoodEnd(r io.ReaderAt, size int64) (int64, error) {
	for l, err := range Backward(r, size) {
		return l.End(), err
	}
	return 0, nil
}
