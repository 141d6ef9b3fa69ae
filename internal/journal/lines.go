package journal

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/refrain-loop/refrain/internal/seal"
)

// lineReader reads the complete lines of a file, from the first on. A torn last line is
// none, for it may be on its way.
type lineReader struct {
	path string
	f    *os.File
	from *bufio.Reader
	at   int64 // where the next line begins
	size int64 // where the last one ends
	n    int   // how many there were
	long []byte
}

// readSize is how much of a file is read at a time.
const readSize = 128 << 10

func openLines(path string) (*lineReader, error) {
	f, size, err := openSized(path)
	if err != nil {
		return nil, err
	}
	if size, err = seal.GoodEnd(f, size); err != nil {
		_ = f.Close()
		return nil, err
	}
	return &lineReader{path: path, f: f, size: size, from: bufio.NewReaderSize(io.NewSectionReader(f, 0, size), int(min(readSize, max(size, 16))))}, nil
}

func (r *lineReader) close() { _ = r.f.Close() }

// next gives a line without its newline, which is good until the next one. At the end
// of the file it gives io.EOF.
func (r *lineReader) next() ([]byte, error) {
	if r.at >= r.size {
		return nil, io.EOF
	}
	text, err := r.from.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		r.long = r.long[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			r.long = append(r.long, text...)
			text, err = r.from.ReadSlice('\n')
		}
		r.long = append(r.long, text...)
		text = r.long
	}
	if err != nil { // it was cut while we read
		return nil, fmt.Errorf("read %s: %w", r.path, errors.Join(err, io.ErrUnexpectedEOF))
	}
	r.at += int64(len(text))
	r.n++
	return bytes.TrimSuffix(text, []byte("\n")), nil
}

// lines gives the complete lines of a file, from the first on, until it is told to stop.
// A line is good until the next one.
func lines(path string, look func(n int, text []byte) bool) error {
	r, err := openLines(path)
	if err != nil {
		return err
	}
	defer r.close()
	for {
		text, err := r.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if !look(r.n, text) {
			return nil
		}
	}
}
