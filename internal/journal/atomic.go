package journal

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
)

// replace puts b in the place of a file in one piece. When it is to be durable, it
// is on the disk before replace returns.
func replace(path string, b []byte, durable bool) error {
	sync := files.NoSync
	if durable {
		sync = files.SyncName
	}
	return files.Replace(path, b, 0o600, sync)
}

// dropTemps removes what a runner that was killed had not put in its place yet.
func dropTemps(dir string) {
	entries, _ := os.ReadDir(dir) // what stays costs only room
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), files.TempMark) {
			os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}
