package proc

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

const (
	// followPause is how often a file that does not grow is looked at: often
	// enough to be called live.
	followPause = 20 * time.Millisecond

	// followFree is how much is read before its space is given back.
	followFree = 8 << 20
)

// follower reads a file while it grows. What was read is cut out of the file
// where the system can do that, so that a flood does not fill the disk.
type follower struct {
	*os.File
	name  string
	read  int64
	freed int64
	end   int64 // set before gone is closed: where what the process wrote ends
	gone  chan struct{}
}

func newFollower() (stream, *os.File, error) {
	ours, err := os.CreateTemp("", "refrain-stdout-*")
	if err != nil {
		return nil, nil, err
	}
	// Everyone who writes adds at the end, as on a pipe.
	theirs, err := os.OpenFile(ours.Name(), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		closeAll(ours)
		return nil, nil, errors.Join(err, os.Remove(ours.Name()))
	}
	f := &follower{File: ours, name: ours.Name(), gone: make(chan struct{})}
	if nameless {
		if err := os.Remove(f.name); err != nil {
			closeAll(ours, theirs)
			return nil, nil, fmt.Errorf("take the name off the file for stdout: %w", err)
		}
	}
	return f, theirs, nil
}

func (f *follower) Read(buf []byte) (int, error) {
	for {
		n, err := f.File.Read(buf)
		if n > 0 {
			f.read += int64(n)
			f.free()
			return n, nil
		}
		if !errors.Is(err, io.EOF) {
			return 0, err
		}
		select {
		case <-f.gone:
			if f.read >= f.end {
				return 0, io.EOF
			}
		case <-time.After(followPause):
		}
	}
}

func (f *follower) free() {
	if f.read-f.freed >= followFree {
		punch(f.File, f.freed, f.read-f.freed)
		f.freed = f.read
	}
}

// stop notes how far to read: a stranger that still holds the file could write
// for ever.
func (f *follower) stop() {
	if info, err := f.Stat(); err == nil {
		f.end = info.Size()
	}
	close(f.gone)
}

func (f *follower) Close() error {
	err := f.File.Close()
	if !nameless {
		err = errors.Join(err, os.Remove(f.name))
	}
	return err
}
