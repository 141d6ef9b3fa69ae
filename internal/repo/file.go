package repo

import (
	"errors"
	"os"

	"github.com/refrain-loop/refrain/internal/files"
)

// replaceFile puts b in the place of a file in one piece, whatever stands there:
// there is no moment without one, unless a folder is in the way. After a power
// loss it holds all of b or all of what was there before; either will do, so the
// folder is not synced.
func replaceFile(path string, b []byte) error {
	err := files.Replace(path, b, 0o600, files.SyncFile)
	if info, lstat := os.Lstat(path); err != nil && lstat == nil && info.IsDir() {
		if err = removeAll(path); err == nil {
			err = files.Replace(path, b, 0o600, files.SyncFile)
		}
	}
	return err
}

// writeSoon writes a file that is on the disk as soon as another is synced.
func writeSoon(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(b); err == nil {
		err = errors.Join(startSync(f), endSync(f))
	}
	return errors.Join(err, f.Close())
}

func writeSynced(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
