package checkpoint

import (
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
	"github.com/refrain-loop/refrain/internal/loop"
)

// lists are the checkpoints of a work tree without git. They can be compared, and
// nothing can be put back from them.
type lists struct {
	dir  string
	tree *git.Tree
}

// listed is a file of a work tree without git: its path, and what tells that it
// was written to.
type listed struct {
	Path  []byte      `json:"path"`
	Mode  fs.FileMode `json:"mode"`
	Link  []byte      `json:"link,omitempty"`  // where it points
	Stamp string      `json:"stamp,omitempty"` // of a file
}

func (a listed) compare(b listed) int { return strings.Compare(string(a.Path), string(b.Path)) }

// take makes a checkpoint of a work tree without git: a list of its files, named
// by what it says.
func (l *lists) take(ctx context.Context) (Checkpoint, error) {
	files, err := listFiles(ctx, l.tree)
	if err != nil {
		return Checkpoint{}, err
	}
	hash := sha256.New()
	if err := json.NewEncoder(hash).Encode(files); err != nil {
		return Checkpoint{}, fmt.Errorf("write a checkpoint: %w", err)
	}
	id := hex.EncodeToString(hash.Sum(nil))
	c := Checkpoint{ID: id, Tree: id, files: files}
	if _, err := os.Lstat(l.file(id)); err == nil {
		return c, nil
	}
	if err := writeList(l.file(id), files); err != nil {
		return Checkpoint{}, fmt.Errorf("write a checkpoint: %w", err)
	}
	return c, nil
}

// listEnding ends the name of every list.
const listEnding = ".json.gz"

func (l *lists) file(id string) string { return filepath.Join(l.dir, id+listEnding) }

func writeList(path string, list []listed) error {
	var b strings.Builder
	packed, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return err
	}
	if err := errors.Join(json.NewEncoder(packed).Encode(list), packed.Close()); err != nil {
		return err
	}
	return files.Overwrite(path, []byte(b.String()), 0o600, files.SyncFile)
}

func (l *lists) load(id string) (Checkpoint, error) {
	files, err := readList(l.file(id))
	if err != nil {
		return Checkpoint{}, fmt.Errorf("load checkpoint %s: %w", id, err)
	}
	return Checkpoint{ID: id, Tree: id, files: files}, nil
}

func readList(path string) ([]listed, error) {
	f, err := files.OpenFile(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	packed, err := gzip.NewReader(f)
	if err != nil {
		return nil, err
	}
	b, err := io.ReadAll(io.LimitReader(packed, maxListed))
	if err != nil {
		return nil, err
	}
	var list []listed
	return list, json.Unmarshal(b, &list)
}

// maxListed is more than the list of any tree has: one that goes on is not ours.
const maxListed = 4 << 30

// changes compares two lists. There are no lines and no commits in them,
// and a file that was renamed went at one place and came at another.
func (l *lists) changes(before, after Checkpoint) loop.Changes {
	var edits []edit
	add := func(f listed, change string) {
		if name := string(f.Path); !l.tree.Skips(name) {
			edits = append(edits, edit{path: name, change: change})
		}
	}
	was, is := before.files, after.files
	for len(was) > 0 || len(is) > 0 {
		switch {
		case len(is) == 0, len(was) > 0 && was[0].compare(is[0]) < 0:
			add(was[0], deleted)
			was = was[1:]
		case len(was) == 0, was[0].compare(is[0]) > 0:
			add(is[0], created)
			is = is[1:]
		default:
			if change := differ(was[0], is[0]); change != "" {
				add(is[0], change)
			}
			was, is = was[1:], is[1:]
		}
	}
	return sum(edits)
}

// differ tells how a file changed, empty for not at all. A change of mode alone
// also changes the last of the times, so the others must be the same.
func differ(a, b listed) string {
	switch {
	case string(a.Link) != string(b.Link), a.Mode.Type() != b.Mode.Type():
		return modified
	case a.Mode != b.Mode && content(a.Stamp) == content(b.Stamp):
		return modeOnly
	case a.Stamp != b.Stamp, a.Mode != b.Mode:
		return modified
	}
	return ""
}

// content is the part of a stamp that a change of mode leaves alone.
func content(stamp string) string {
	parts := strings.Fields(stamp)
	if len(parts) != 4 {
		return stamp
	}
	return strings.Join([]string{parts[0], parts[1], parts[3]}, " ")
}

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
