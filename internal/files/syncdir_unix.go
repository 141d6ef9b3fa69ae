//go:build unix

package files

import "os"

// SyncDir makes the names in a folder durable: without it, a file that was
// synced may still be missing from its folder after a power loss.
func SyncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return err
	}
	defer dir.Close()
	return dir.Sync()
}
