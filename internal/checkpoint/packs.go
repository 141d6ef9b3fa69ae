package checkpoint

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/pool"
)

// Packs that we made are known by their names: the others are second names of what
// all stores of a project share, and to write those once more would cost room.
const ours = "kept-"

// pack is one of our packs: the path of its index, how many objects are in it, and their
// names, where somebody has read them.
type pack struct {
	index string
	size  int
	names []string
}

// maxIndex is more than the index of any pack of ours has.
const maxIndex = 4 << 30

// ourPacks lists the packs that we made, those with the fewest objects first. The index
// of a large one is large: no more of it is read than how many objects it lists. One whose
// index cannot be read is none of ours.
func (r *shadow) ourPacks() ([]pack, error) {
	found, err := filepath.Glob(filepath.Join(globQuoted(r.objects()), "pack", ours+"*.idx"))
	if err != nil {
		return nil, err
	}
	var all []pack
	for _, at := range found {
		if n, err := sizeIn(at); err == nil {
			all = append(all, pack{index: at, size: n})
		}
	}
	slices.SortFunc(all, func(a, b pack) int { return a.size - b.size })
	return all, nil
}

func sizeIn(index string) (int, error) {
	f, err := files.OpenFile(index)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	var beginning [indexHead]byte
	if _, err := io.ReadFull(f, beginning[:]); err != nil {
		return 0, err
	}
	return listedSize(beginning[:])
}

// read reads the names of what is in the pack.
func (p *pack) read(ctx context.Context, format string) error {
	text, err := files.ReadFile(ctx, p.index, maxIndex)
	if err != nil {
		return err
	}
	p.names, err = listedIn(text, format)
	p.size = len(p.names)
	return err
}

// globQuoted is a path in a pattern.
func globQuoted(path string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(path)
}

// nameLength is how many bytes the name of an object has.
func nameLength(format string) int {
	if format == "sha256" {
		return 32
	}
	return 20
}

// indexHead is what the index of a pack begins with: eight bytes that say what it is, and
// 256 counts, the last of which counts all that it lists.
const indexHead = 8 + 256*4

func listedSize(index []byte) (int, error) {
	if len(index) < indexHead || !bytes.HasPrefix(index, []byte("\xfftOc\x00\x00\x00\x02")) {
		return 0, errors.New("it is no index of a pack")
	}
	return int(binary.BigEndian.Uint32(index[indexHead-4:])), nil
}

// listedIn is the names that the index of a pack lists, which come next in it.
func listedIn(index []byte, format string) ([]string, error) {
	n, err := listedSize(index)
	if err != nil {
		return nil, err
	}
	length, rest := nameLength(format), index[indexHead:]
	if n > len(rest)/length {
		return nil, errors.New("it is cut off")
	}
	names := make([]string, n)
	for i := range names {
		names[i] = hex.EncodeToString(rest[i*length:][:length])
	}
	return names, nil
}

// looseLimit is where an object is not small, and better off by itself: to pack it
// takes long, and saves little.
const looseLimit = 16 << 20

// loose lists the small objects that are files of their own, and nobody else's.
func (r *shadow) loose() ([]string, error) {
	var names []string
	for i := range 256 {
		folder := fmt.Sprintf("%02x", i)
		entries, err := os.ReadDir(filepath.Join(r.objects(), folder))
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			return nil, err
		}
		for _, e := range entries {
			if len(folder)+len(e.Name()) != 2*nameLength(r.format) || !e.Type().IsRegular() || strings.Trim(e.Name(), "0123456789abcdef") != "" {
				continue
			}
			info, err := e.Info()
			if err != nil || info.Size() > looseLimit || pool.Shared(info) {
				continue
			}
			names = append(names, folder+e.Name())
		}
	}
	return names, nil
}

// dropLoose removes objects that are in a pack of ours now.
func (r *shadow) dropLoose(names []string) (from map[string]bool) {
	from = map[string]bool{}
	for _, name := range names {
		_ = os.Remove(filepath.Join(r.objects(), name[:2], name[2:])) // it only costs room
		from[name[:2]] = true
	}
	return from
}

// dropPack removes a pack whose objects are in another one. Without its index git
// does not look for it.
func dropPack(p pack) {
	base := strings.TrimSuffix(p.index, ".idx")
	for _, ending := range []string{".idx", ".rev", ".pack"} {
		if err := os.Remove(base + ending); err != nil && ending == ".idx" {
			return // somebody reads it; the next time, then
		}
	}
}

// dropHalves removes what is left of packs of ours that somebody who was killed was
// moving into their place, or removing: git does not look for what has no index.
func (r *shadow) dropHalves() {
	for _, ending := range []string{".rev", ".pack"} {
		found, _ := filepath.Glob(filepath.Join(globQuoted(r.objects()), "pack", ours+"*"+ending))
		for _, at := range found {
			if _, err := os.Lstat(strings.TrimSuffix(at, ending) + ".idx"); errors.Is(err, fs.ErrNotExist) {
				_ = os.Remove(at) // it only costs room
			}
		}
	}
}

const (
	// emptyFor is how long a folder of loose objects must have been as it is before it
	// goes: whoever made it has put something in it by then, or never will.
	emptyFor = 10 * time.Second
	// writtenFor is longer than anybody writes an object.
	writtenFor = time.Hour
)

// dropFolders removes the folders of loose objects that are empty: those that we have
// just taken the objects out of, and those that have been so for a while. Git, when it
// writes an object, takes one that was just made for granted: so none goes while git is
// at work in the store, and none that is new, for other stores may be open on the same
// folder.
func (r *shadow) dropFolders(ctx context.Context, ours map[string]bool, now time.Time) {
	r.atWork.rest(ctx, func() {
		for i := range 256 {
			name := fmt.Sprintf("%02x", i)
			folder := filepath.Join(r.objects(), name)
			if info, err := os.Lstat(folder); err == nil && (ours[name] || now.Sub(info.ModTime()) > emptyFor) {
				_ = os.Remove(folder) // not one with something in it
			}
		}
	})
}

// dropUnfinished removes objects that somebody who was killed has written half.
func (r *shadow) dropUnfinished(now time.Time) {
	for _, pattern := range []string{"tmp_obj_*", "[0-9a-f][0-9a-f]/tmp_obj_*"} {
		found, _ := filepath.Glob(filepath.Join(globQuoted(r.objects()), pattern))
		for _, at := range found {
			if info, err := os.Lstat(at); err == nil && now.Sub(info.ModTime()) > writtenFor {
				_ = os.Remove(at) // it only costs room
			}
		}
	}
}

// atWork counts who is at work in a store. Nobody waits for one who only tidies up.
type atWork struct {
	mu   sync.Mutex
	n    int
	over chan struct{} // told when nobody is
}

// begin says that somebody is, until the answer is called.
func (w *atWork) begin() (end func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.n++
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.n--; w.n == 0 && w.over != nil {
			close(w.over)
			w.over = nil
		}
	}
}

// rest does something that takes no time as soon as nobody is at work, which is not
// promised to happen.
func (w *atWork) rest(ctx context.Context, act func()) {
	for {
		w.mu.Lock()
		if w.n == 0 {
			act()
			w.mu.Unlock()
			return
		}
		if w.over == nil {
			w.over = make(chan struct{})
		}
		over := w.over
		w.mu.Unlock()
		select {
		case <-over:
		case <-ctx.Done():
			return
		}
	}
}
