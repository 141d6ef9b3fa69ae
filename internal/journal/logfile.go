package journal

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/seal"
)

// maxPending is how much a log keeps in memory while it cannot write: hours of
// a journal, and nothing to a machine.
const maxPending = 1 << 20

// logFile is a file of lines that only grows. A write that fails leaves no half
// line behind: its lines wait in memory and go first when writing works again.
type logFile struct {
	path   string
	create bool // make the file when it is not there
	often  bool // written so often that its place is looked at only now and then
	full   *refusal

	f       file        // nil when it is not open
	id      fs.FileInfo // of f, to see that it is still the file at path
	size    int64       // up to where the file is good
	torn    bool        // something may stand after size
	pending []byte      // lines that are not written yet
	dropped bool        // there were more of them than we keep
	looked  time.Time   // when its place was looked at

	meddled  string // what somebody else did to the file
	restored bool   // it was gone, and is there again
}

// lookAgain is how long a file that is written often is taken to be in place.
const lookAgain = 100 * time.Millisecond

// file is what a log needs of an *os.File.
type file interface {
	io.WriteCloser
	Sync() error
}

// append writes a line, after those that could not be written before.
func (l *logFile) append(line []byte) error {
	l.add(line)
	return l.flush()
}

// add takes a line that the next flush writes.
func (l *logFile) add(line []byte) { l.pending = append(append(l.pending, line...), '\n') }

// encode takes an event that the next flush writes, without a copy between.
func (l *logFile) encode(e loop.Event) error {
	line, err := appendEvent(l.pending, e)
	if err == nil {
		l.pending = append(line, '\n')
	}
	return err
}

// flush writes what is pending. When that fails it waits, as long as it is not
// too much.
func (l *logFile) flush() error {
	err := l.write()
	if err != nil && len(l.pending) > maxPending {
		l.pending, l.dropped = nil, true
	}
	return err
}

// write writes what is pending, in one write.
func (l *logFile) write() error {
	if err := l.full.unless(l.ready); err != nil {
		return err
	}
	if _, err := l.f.Write(l.pending); err != nil {
		l.torn = true
		_ = l.mend() // else before the next write
		return err
	}
	l.size += int64(len(l.pending))
	l.pending = l.pending[:0]
	return nil
}

// ready sees to it that the next write lands at the end of the right file. When
// somebody deletes the folder, the open file still takes everything, to no use.
func (l *logFile) ready() error {
	if l.f != nil {
		if l.often && time.Since(l.looked) < lookAgain {
			return l.mend()
		}
		l.looked = time.Now()
		now, err := os.Lstat(l.path)
		if err == nil && os.SameFile(now, l.id) {
			l.compare(now.Size())
			return l.mend()
		}
		if err := l.restore(err == nil); err != nil {
			return err
		}
	}
	return l.open()
}

// compare sees whether somebody else has written to the file. What stands after
// our own last line is cut.
func (l *logFile) compare(size int64) {
	switch {
	case size == l.size || l.torn || l.often:
	case size > l.size:
		l.meddled, l.torn = "somebody else has written to it", true
	default:
		l.meddled, l.size = "somebody has cut it", size
	}
}

// restore puts the file back when it was removed, or another put in its place:
// the one that is open still has all that we wrote.
func (l *logFile) restore(replaced bool) error {
	ours, ok := l.f.(io.ReaderAt)
	if l.often || !ok {
		_ = l.f.Close()
		l.f = nil
		return nil
	}
	if replaced {
		l.meddled = "somebody has put another in its place"
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	err := files.ReplaceWith(l.path, 0o600, files.SyncName, func(w io.Writer) error {
		_, err := io.Copy(w, io.NewSectionReader(ours, 0, l.size))
		return err
	})
	if err != nil {
		return err
	}
	_ = l.f.Close()
	l.f, l.restored = nil, true
	return nil
}

// open cuts a torn last line, which no observer has seen, and gets ready to write.
func (l *logFile) open() error {
	flags := os.O_RDWR | os.O_APPEND | files.NoWait
	if l.create {
		flags |= os.O_CREATE
	}
	f, err := os.OpenFile(l.path, flags, 0o600)
	if err != nil {
		return err
	}
	info, err := f.Stat()
	if err != nil {
		_ = f.Close()
		return err
	}
	end, err := seal.GoodEnd(f, info.Size())
	if err != nil {
		_ = f.Close()
		return err
	}
	l.f, l.id, l.size, l.torn = f, info, end, end < info.Size()
	return l.mend()
}

// mend cuts what a failed write left behind.
func (l *logFile) mend() error {
	if !l.torn {
		return nil
	}
	if err := os.Truncate(l.path, l.size); err != nil {
		return err
	}
	l.torn = false
	return nil
}

// close tries a last time to write what is pending.
func (l *logFile) close() error {
	var err error
	if len(l.pending) > 0 {
		err = l.flush()
	}
	if l.f == nil {
		return err
	}
	if closeErr := l.f.Close(); err == nil {
		err = closeErr
	}
	l.f = nil
	return err
}

// refusal is why nothing can be saved, if that is so.
type refusal struct {
	mu  sync.Mutex
	err error
}

// check is asked before each write. A file of no run is never refused.
func (r *refusal) check() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.err
}

// unless writes, if writing is not refused.
func (r *refusal) unless(write func() error) error {
	if err := r.check(); err != nil {
		return err
	}
	return write()
}
