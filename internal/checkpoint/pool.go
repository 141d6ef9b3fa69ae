package checkpoint

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// unfinishedFor is how long a copy may take. What is older was left by somebody
// who was killed.
const unfinishedFor = 24 * time.Hour

// SweepPool removes what no store needs any more from the folder that they share,
// and tells how many bytes that were. A store has a second name for each file
// that it needs; where the system does not count names, all stay. One that is
// made at the same moment copies once more what it misses.
func SweepPool(pool string) (freed int64, err error) {
	err = filepath.WalkDir(pool, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return ignoring(err, fs.ErrNotExist)
		}
		info, err := d.Info()
		if err != nil {
			return ignoring(err, fs.ErrNotExist)
		}
		names, counted := names(info)
		if !counted || names > 1 || strings.HasPrefix(d.Name(), unfinished) && time.Since(info.ModTime()) < unfinishedFor {
			return nil
		}
		err = os.Remove(path)
		if err == nil {
			freed += info.Size()
		}
		return ignoring(err, fs.ErrNotExist)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return freed, fmt.Errorf("sweep %s: %w", pool, err)
	}
	return freed, nil
}
