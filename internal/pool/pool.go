// Package pool copies the objects of a git repository, once for all who need them.
//
// The name of an object tells what it holds, so a copy that is there need not be
// made again: who takes objects gets second names of the files in the pool. What
// nobody has a name for any more is swept out of it.
package pool

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/text"
)

// linkRounds is how often objects are listed again when git packs them at the
// same moment.
const linkRounds = 5

// Take gives the folder to everything that a folder of objects holds: what is then
// thrown away there, or written over, stays as it was. They come by way of the pool,
// a folder on the same disk; where it is empty, or of no use, they are copies. Loose
// objects come first, since one that is packed meanwhile is found in the pack;
// packs are listed until no new one comes.
func Take(ctx context.Context, from, pool, to string) error {
	t := taker{from: from, pool: pool, to: to}
	return errors.Join(t.all(ctx), t.settle())
}

// taker takes objects out of one folder into another, by way of the pool. Their
// names tell what they hold, so what is in the pool need not be copied again.
type taker struct {
	from, pool, to string

	writing []*os.File      // on their way to the disk
	made    map[string]bool // folders of the pool that are there
}

func (t *taker) all(ctx context.Context) error {
	if err := t.loose(ctx); err != nil {
		return err
	}
	var taken []string
	for range linkRounds {
		packs, err := packNames(filepath.Join(t.from, "pack"))
		if err != nil {
			return err
		}
		if slices.Equal(packs, taken) {
			return nil
		}
		for _, name := range packs {
			if err := t.pack(ctx, name); err != nil {
				return err
			}
		}
		taken = packs
	}
	return fmt.Errorf("%s does not come to rest: is git packing?", t.from)
}

// packNames lists the packs without their endings.
func packNames(dir string) ([]string, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".idx"); ok && !strings.HasPrefix(name, "tmp_") {
			names = append(names, name)
		}
	}
	return names, err
}

// pack takes a pack before its index, by which git finds it. One that is gone was
// packed into another, which the next listing shows.
func (t *taker) pack(ctx context.Context, name string) error {
	for _, ending := range []string{".pack", ".rev", ".idx"} {
		if err := t.take(ctx, filepath.Join("pack", name+ending)); err != nil {
			return err
		}
	}
	return nil
}

// looseName is the second half of an object's name. Whatever else lies there is
// none.
var looseName = text.NewPattern(`^([0-9a-f]{38}|[0-9a-f]{62})$`)

func (t *taker) loose(ctx context.Context) error {
	for i := range 256 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		folder := fmt.Sprintf("%02x", i)
		objects, err := os.ReadDir(filepath.Join(t.from, folder))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		}
		if err := os.MkdirAll(filepath.Join(t.to, folder), 0o700); err != nil {
			return err
		}
		for _, o := range objects {
			if !looseName().MatchString(o.Name()) {
				continue
			}
			if err := t.take(ctx, filepath.Join(folder, o.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// take takes one file. One that is gone meanwhile, or is none, is not taken.
func (t *taker) take(ctx context.Context, name string) error {
	from, to := filepath.Join(t.from, name), filepath.Join(t.to, name)
	info, err := os.Stat(from)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return nil
	}
	if t.pool != "" && t.throughPool(ctx, name, info.Size()) {
		return nil
	}
	return files.Ignoring(t.copy(ctx, from, to), fs.ErrNotExist)
}

// throughPool takes a file as a second name of the one in the pool, which is put
// there if need be. Where that cannot be done, on a disk that knows no links
// say, the file is not taken.
func (t *taker) throughPool(ctx context.Context, name string, size int64) bool {
	pooled := filepath.Join(t.pool, name)
	info, err := os.Lstat(pooled)
	if err != nil || !info.Mode().IsRegular() || info.Size() != size {
		if t.room(filepath.Dir(pooled)) != nil || t.copy(ctx, filepath.Join(t.from, name), pooled) != nil {
			return false
		}
	}
	err = os.Link(pooled, filepath.Join(t.to, name))
	return err == nil || errors.Is(err, fs.ErrExist)
}

// room makes a folder of the pool, once.
func (t *taker) room(dir string) error {
	if t.made[dir] {
		return nil
	}
	if t.made == nil {
		t.made = map[string]bool{}
	}
	err := os.MkdirAll(dir, 0o700)
	t.made[dir] = err == nil
	return err
}

// copy copies a file, which then is there in whole or not at all.
func (t *taker) copy(ctx context.Context, from, to string) error {
	source, err := files.OpenFile(from)
	if err != nil {
		return err
	}
	defer source.Close()
	temp := filepath.Join(filepath.Dir(to), Unfinished+rand.Text())
	target, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o400)
	if err != nil {
		return err
	}
	if !reflink(target, source) {
		err = files.CopyAll(ctx, target, source)
	}
	if err == nil {
		err = files.StartSync(target)
	}
	if err == nil {
		err = os.Rename(temp, to)
	}
	if err != nil {
		_ = os.Remove(temp) // it only costs room
		return errors.Join(err, target.Close())
	}
	if t.writing = append(t.writing, target); len(t.writing) < maxOpen {
		return nil
	}
	return t.settle()
}

// Unfinished begins the name of a copy that is not whole.
const Unfinished = "tmp_"

// maxOpen is how many files are on their way to the disk at once.
const maxOpen = 64

// settle waits until what was written is on its way to the disk no more. The
// files that are synced when the store is made come after it, and with them the
// disk has it all.
func (t *taker) settle() error {
	var failed []error
	for _, f := range t.writing {
		failed = append(failed, files.EndSync(f), f.Close())
	}
	t.writing = nil
	return errors.Join(failed...)
}

// Shared tells whether a file has more names than one: whoever takes objects by way
// of the pool has them together with it. Where the system does not count names, none
// has.
func Shared(info fs.FileInfo) bool {
	n, counted := names(info)
	return counted && n > 1
}

// unfinishedFor is how long a copy may take. What is older was left by somebody
// who was killed.
const unfinishedFor = 24 * time.Hour

// Sweep removes what no store needs any more from the folder that they share,
// and tells how many bytes that were. A store has a second name for each file
// that it needs; where the system does not count names, all stay. One that is
// made at the same moment copies once more what it misses.
func Sweep(pool string) (freed int64, err error) {
	err = filepath.WalkDir(pool, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return files.Ignoring(err, fs.ErrNotExist)
		}
		info, err := d.Info()
		if err != nil {
			return files.Ignoring(err, fs.ErrNotExist)
		}
		names, counted := names(info)
		if !counted || names > 1 || strings.HasPrefix(d.Name(), Unfinished) && time.Since(info.ModTime()) < unfinishedFor {
			return nil
		}
		err = os.Remove(path)
		if err == nil {
			freed += info.Size()
		}
		return files.Ignoring(err, fs.ErrNotExist)
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return freed, fmt.Errorf("sweep %s: %w", pool, err)
	}
	return freed, nil
}
