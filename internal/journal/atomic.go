package journal

import (
	"os"
	"path/filepath"

	"github.com/refrain-loop/refrain/internal/project"
)

// replace puts b in the place of a file in one piece: a reader sees the old
// content or the new, never half. When it is to be durable, it is on the disk
// before replace returns.
func replace(path string, b []byte, durable bool) error {
	temp := path + ".tmp"
	if err := write(temp, b, durable); err != nil {
		os.Remove(temp)
		return err
	}
	if err := os.Rename(temp, path); err != nil {
		os.Remove(temp)
		return err
	}
	if !durable {
		return nil
	}
	return project.SyncDir(filepath.Dir(path))
}

func write(path string, b []byte, durable bool) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil && durable {
		err = f.Sync()
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	return err
}
