package journal

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// fullDisk takes only so many more bytes.
type fullDisk struct {
	*os.File
	room int
}

func (d *fullDisk) Write(b []byte) (int, error) {
	if len(b) <= d.room {
		d.room -= len(b)
		return d.File.Write(b)
	}
	n, err := d.File.Write(b[:d.room])
	d.room = 0
	if err == nil {
		err = syscall.ENOSPC
	}
	return n, err
}

// onFullDisk is an open log with one line on a disk with so much room.
func onFullDisk(t *testing.T, room int) (*logFile, *fullDisk) {
	t.Helper()
	l := &logFile{path: filepath.Join(t.TempDir(), "log"), create: true}
	t.Cleanup(func() { l.close() })
	if err := l.append([]byte("first")); err != nil {
		t.Fatal(err)
	}
	disk := &fullDisk{File: l.f.(*os.File), room: room}
	l.f = disk
	return l, disk
}

func TestAFullDiskLeavesNoHalfLine(t *testing.T) {
	for room := range len("second\n") {
		l, disk := onFullDisk(t, room)
		if err := l.append([]byte("second")); err == nil {
			t.Fatalf("with room for %d: no error", room)
		}
		if got := readFile(t, l.path); got != "first\n" {
			t.Errorf("with room for %d the file is %q", room, got)
		}
		l.append([]byte("third"))
		disk.room = 100
		if err := l.append([]byte("fourth")); err != nil {
			t.Fatal(err)
		}
		if got, want := readFile(t, l.path), "first\nsecond\nthird\nfourth\n"; got != want {
			t.Errorf("with room for %d and then more the file is %q, want %q", room, got, want)
		}
	}
}

func TestALogWaitsInMemoryOnlyForSoLong(t *testing.T) {
	l, disk := onFullDisk(t, 0)
	long := []byte(strings.Repeat("x", maxPending/4))
	for range 4 {
		l.append(long)
	}
	if len(l.pending) > maxPending || !l.dropped {
		t.Errorf("%d bytes are pending, dropped: %v", len(l.pending), l.dropped)
	}
	disk.room = 100
	if err := l.append([]byte("last")); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, l.path); got != "first\nlast\n" {
		t.Errorf("the file has %d bytes, want first and last", len(got))
	}
}

func TestCloseWritesWhatIsPending(t *testing.T) {
	l, disk := onFullDisk(t, 0)
	l.append([]byte("second"))
	disk.room = 100
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	if got := readFile(t, l.path); got != "first\nsecond\n" {
		t.Errorf("the file is %q", got)
	}
}
