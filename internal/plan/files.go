package plan

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
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
	var files []string
	err := fs.WalkDir(folder.FS(), ".", func(file string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case hiddenName(entry.Name()) && entry.IsDir():
			return fs.SkipDir
		case hiddenName(entry.Name()) || entry.IsDir() || !isMarkdown(file):
			return nil
		case len(files) == maxFiles:
			return fmt.Errorf("it has more than %d files", maxFiles)
		}
		files = append(files, file)
		return nil
	})
	slices.Sort(files)
	return files, err
}

// readBelow reads a file of a folder. A link that leads out of the folder is an
// error.
func readBelow(folder *os.Root, file string) ([]byte, error) {
	name := filepath.FromSlash(file)
	info, err := folder.Stat(name)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a named pipe would wait for a writer
		return nil, errors.New("it is not a regular file")
	}
	opened, err := folder.Open(name)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	text, err := io.ReadAll(io.LimitReader(opened, maxSize+1))
	if err != nil {
		return nil, err
	}
	if len(text) > maxSize {
		return nil, fmt.Errorf("it is larger than %d MB", maxSize>>20)
	}
	return text, nil
}
