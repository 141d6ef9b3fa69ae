package checkpoint

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// listFiles lists every file below the work tree, sorted by path, with one reader
// for each processor. Links are not followed, and a folder that cannot be read
// is listed as one: it may be the agent's own doing, and is no reason to stop.
// Files that are only noted count when changes are told, not here.
func listFiles(ctx context.Context, t *git.Tree) ([]listed, error) {
	if _, err := os.ReadDir(t.Dir()); err != nil {
		return nil, fmt.Errorf("look at the work tree: %w", err)
	}
	w := walker{tree: t, todo: []string{"."}}
	w.wake = sync.NewCond(&w.mu)
	defer context.AfterFunc(ctx, w.stop)()
	var readers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		readers.Go(w.read)
	}
	readers.Wait()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("look at the work tree %s: %w", t.Dir(), context.Cause(ctx))
	}
	slices.SortFunc(w.found, listed.compare)
	return w.found, nil
}

// walker is the work that the readers of a tree share.
type walker struct {
	tree *git.Tree

	mu      sync.Mutex
	wake    *sync.Cond
	todo    []string // folders that nobody has read
	busy    int      // readers that may find more
	stopped bool
	found   []listed
}

func (w *walker) stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = true
	w.wake.Broadcast()
}

// read reads folders until there are none left and nobody can find more.
func (w *walker) read() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		for len(w.todo) == 0 && w.busy > 0 && !w.stopped {
			w.wake.Wait()
		}
		if len(w.todo) == 0 || w.stopped {
			return
		}
		dir := w.todo[len(w.todo)-1]
		w.todo = w.todo[:len(w.todo)-1]
		w.busy++
		w.mu.Unlock()
		files, folders := readFolder(w.tree, dir)
		w.mu.Lock()
		w.busy--
		w.found = append(w.found, files...)
		w.todo = append(w.todo, folders...)
		w.wake.Broadcast()
	}
}

// readFolder lists what is in one folder of the tree.
func readFolder(t *git.Tree, dir string) (list []listed, folders []string) {
	entries, err := os.ReadDir(filepath.Join(t.Dir(), filepath.FromSlash(dir)))
	if err != nil {
		return []listed{{Path: []byte(dir), Mode: fs.ModeDir, Stamp: "unreadable"}}, nil
	}
	for _, d := range entries {
		name := path.Join(dir, d.Name())
		if d.Name() == ".git" || t.Own(name) {
			continue
		}
		if d.IsDir() {
			folders = append(folders, name)
			continue
		}
		info, err := d.Info()
		if err != nil {
			continue // gone meanwhile
		}
		f := listed{Path: []byte(name), Mode: info.Mode(), Stamp: files.Stamp(info)}
		if info.Mode()&fs.ModeSymlink != 0 {
			target, _ := os.Readlink(filepath.Join(t.Dir(), filepath.FromSlash(name)))
			f.Link, f.Stamp = []byte(target), ""
		}
		list = append(list, f)
	}
	return list, folders
}
