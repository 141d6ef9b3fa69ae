package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// punchHole gives back the space of a part of the file. Not every file system can:
// then the space is taken until the end.
func punchHole(f *os.File, from, size int64) {
	_ = unix.Fallocate(int(f.Fd()), unix.FALLOC_FL_PUNCH_HOLE|unix.FALLOC_FL_KEEP_SIZE, from, size)
}
