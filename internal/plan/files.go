package plan

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/files"
)

const (
	// maxSize is the most that is read as a plan, or as one spec. An agent may
	// put anything in its place.
	maxSize = 4 << 20

	// maxFiles is how many files a folder of plans or specs may have.
	maxFiles = 5000
)

// markdownBelow lists the markdown files of a folder and of those in it, by
// their paths with slashes, sorted. What is hidden is left out.
func markdownBelow(folder *os.Root) ([]string, error) {
	var list []string
	err := fs.WalkDir(files.FS(folder), ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case hiddenName(entry.Name()) && entry.IsDir():
			return fs.SkipDir
		case hiddenName(entry.Name()) || entry.IsDir() || !isMarkdown(file):
			return nil
		case len(list) == maxFiles:
			return fmt.Errorf("it has more than %d files", maxFiles)
		}
		list = append(list, file)
		return nil
	})
	slices.Sort(list)
	return list, err
}

// readBelow reads a file of a folder. A link that leads out of the folder is an
// error. No context ends it: what it reads is short, and never waits.
func readBelow(folder *os.Root, file string) ([]byte, error) {
	opened, err := files.Open(folder, filepath.FromSlash(file))
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	return files.All(context.Background(), opened, maxSize)
}
