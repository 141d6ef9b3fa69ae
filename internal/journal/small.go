package journal

import (
	"context"

	"github.com/refrain-loop/refrain/internal/files"
)

// mostSmall is more than any file has that is read as a whole, ours and git's.
const mostSmall = 256 << 20

// readSmall reads a file as a whole. An agent may have put a pipe in its place,
// or a device; what is a file is read at once, whatever becomes of the run.
func readSmall(path string) ([]byte, error) {
	return files.ReadFile(context.Background(), path, mostSmall)
}
