package journal

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/project"
)

// replace puts b in the place of a file in one piece: a reader sees the old
// content or the new, never half. When it is to be durable, it is on the disk
// before replace returns.
func replace(path string, b []byte, durable bool) error {
	temp := tempOf(path)
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

// tempOf is a name beside a file that nobody can have taken.
func tempOf(path string) string { return path + "." + rand.Text()[:8] + tempMark }

const tempMark = ".tmp"

// dropTemps removes what a runner that was killed had not put in its place yet.
func dropTemps(dir string) {
	entries, _ := os.ReadDir(dir) // what stays costs only room
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), tempMark) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

func write(path string, b []byte, durable bool) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
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
