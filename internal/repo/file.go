package repo

import (
	"errors"
	"os"
)

// replaceFile puts b in the place of a file in one piece. After a power loss it
// holds all of b or all of what was there before; either will do, so the folder
// is not synced.
func replaceFile(path string, b []byte) error {
	temp := path + ".tmp"
	if err := writeSynced(temp, b); err != nil {
		os.Remove(temp)
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		os.Remove(temp)
		return err
	}
	return nil
}

// writeSoon writes a file that is on the disk as soon as another is synced.
func writeSoon(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(b); err == nil {
		err = errors.Join(startSync(f), endSync(f))
	}
	return errors.Join(err, f.Close())
}

func writeSynced(path string, b []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}
