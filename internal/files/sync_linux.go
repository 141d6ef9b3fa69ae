package files

import (
	"os"

	"golang.org/x/sys/unix"
)

// StartSync sends what was written to a file on its way to the disk, and EndSync
// waits until it has arrived: many small files arrive together in a fraction of
// the time that they take one by one. A sync of any other file makes it last.
// Where the system cannot do this, it does it when it likes.
func StartSync(f *os.File) error {
	_ = unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WRITE)
	return nil
}

func EndSync(f *os.File) error {
	err := unix.SyncFileRange(int(f.Fd()), 0, 0, unix.SYNC_FILE_RANGE_WAIT_BEFORE|unix.SYNC_FILE_RANGE_WRITE|unix.SYNC_FILE_RANGE_WAIT_AFTER)
	if err != nil {
		return f.Sync()
	}
	return nil
}
