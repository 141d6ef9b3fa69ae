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
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
)

// listed is a file of a work tree without git: its path, and what tells that it
// was written to.
type listed struct {
	Path  []byte      `json:"path"`
	Mode  fs.FileMode `json:"mode"`
	Link  []byte      `json:"link,omitempty"`  // where it points
	Stamp string      `json:"stamp,omitempty"` // of a file
}

func (a listed) compare(b listed) int { return strings.Compare(string(a.Path), string(b.Path)) }

// list makes a checkpoint of a work tree without git: a list of its files, named
// by what it says.
func (s *Store) list(ctx context.Context) (Checkpoint, error) {
	files, err := listFiles(ctx, s.tree)
	if err != nil {
		return Checkpoint{}, err
	}
	hash := sha256.New()
	if err := json.NewEncoder(hash).Encode(files); err != nil {
		return Checkpoint{}, fmt.Errorf("write a checkpoint: %w", err)
	}
	id := hex.EncodeToString(hash.Sum(nil))
	c := Checkpoint{ID: id, Tree: id, files: files}
	if _, err := os.Lstat(s.listFile(id)); err == nil {
		return c, nil
	}
	if err := writeList(s.listFile(id), files); err != nil {
		return Checkpoint{}, fmt.Errorf("write a checkpoint: %w", err)
	}
	return c, nil
}

// listEnding ends the name of every list.
const listEnding = ".json.gz"

func (s *Store) listFile(id string) string { return filepath.Join(s.dir, id+listEnding) }

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

func (s *Store) loadList(id string) (Checkpoint, error) {
	files, err := readList(s.listFile(id))
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
	b, err := io.ReadAll(io.LimitReader(packed, mostListed))
	if err != nil {
		return nil, err
	}
	var list []listed
	return list, json.Unmarshal(b, &list)
}

// mostListed is more than the list of any tree has: one that goes on is not ours.
const mostListed = 4 << 30

// listChanges compares two lists. There are no lines and no commits in them,
// and a file that was renamed went at one place and came at another.
func (s *Store) listChanges(before, after Checkpoint) loop.Changes {
	var edits []edit
	add := func(f listed, change string) {
		if name := string(f.Path); !s.tree.Skips(name) {
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

// Listed names the files that a checkpoint without git has.
func (s *Store) Listed(c Checkpoint) []string {
	var paths []string
	for _, f := range c.files {
		paths = append(paths, string(f.Path))
	}
	return paths
}
