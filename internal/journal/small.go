package journal

import (
	"context"

	"github.com/refrain-loop/refrain/internal/files"
)

// maxSmall is more than any file has that is read as a whole, ours and git's.
const maxSmall = 256 << 20

// readSmall reads a file as a whole. An agent may have put a pipe in its place,
// or a device; what is a file is read at once, whatever becomes of the run.
func readSmall(path string) ([]byte, error) {
	return files.ReadFile(context.Background(), path, maxSmall)
}

// replace puts b in the place of a file in one piece. When it is to be durable, it
// is on the disk before replace returns.
func replace(path string, b []byte, durable bool) error {
	sync := files.NoSync
	if durable {
		sync = files.SyncName
	}
	return files.Replace(path, b, 0o600, sync)
}
