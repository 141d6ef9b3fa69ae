package journal

import (
	"bytes"
	"io"
	"iter"
)

// blockSize is how much is read at a time from the end of a file. Most ends of
// a journal, with the last iteration.finished, fit in one.
const blockSize = 8 << 10

// line is a complete line of a file, without its newline.
type line struct {
	start int64
	text  []byte
}

// end is where the next line begins.
func (l line) end() int64 { return l.start + int64(len(l.text)) + 1 }

// backward gives the complete lines of a file from the last to the first. A
// torn tail is passed over: what stands after the last newline and, before it,
// lines with NUL bytes, which a power loss leaves where data never arrived.
func backward(r io.ReaderAt, size int64) iter.Seq2[line, error] {
	return func(yield func(line, error) bool) {
		rest := remainder{r: r, pos: size}
		_, more, err := rest.last() // what stands after the last newline
		clean := false
		for more && err == nil {
			var l line
			if l, more, err = rest.last(); err != nil {
				break
			}
			clean = clean || bytes.IndexByte(l.text, 0) < 0
			if clean && !yield(l, nil) {
				return
			}
		}
		if err != nil {
			yield(line{}, err)
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
func (m *remainder) last() (line, bool, error) {
	for {
		if i := bytes.LastIndexByte(m.buf, '\n'); i >= 0 {
			l := line{start: m.pos + int64(i) + 1, text: m.buf[i+1:]}
			m.buf = m.buf[:i]
			return l, true, nil
		}
		if m.pos == 0 {
			return line{text: m.buf}, false, nil
		}
		if err := m.read(); err != nil {
			return line{}, false, err
		}
	}
}

// read puts one more block in front. Blocks grow, so that a very long line is
// not copied over and over.
func (m *remainder) read() error {
	n := min(m.pos, int64(max(blockSize, len(m.buf))))
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

// goodEnd is where the complete lines of a file end.
func goodEnd(r io.ReaderAt, size int64) (int64, error) {
	for l, err := range backward(r, size) {
		return l.end(), err
	}
	return 0, nil
}
