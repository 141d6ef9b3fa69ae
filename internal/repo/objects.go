package repo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// linkRounds is how often objects are listed again when git packs them at the
// same moment.
const linkRounds = 5

// linkObjects gives the store everything that the user's repository holds, as
// second names of the same files: what an agent then throws away there stays
// here. Loose objects come first, since one that is packed meanwhile is found
// in the pack; packs are listed until no new one comes.
func (s *Store) linkObjects(ctx context.Context, to string) error {
	from := s.origin.objects()
	if err := borrow(from, to); err != nil {
		return err
	}
	if err := linkLoose(ctx, from, to); err != nil {
		return err
	}
	var linked []string
	for range linkRounds {
		packs, err := packNames(filepath.Join(from, "pack"))
		if err != nil {
			return err
		}
		if slices.Equal(packs, linked) {
			return nil
		}
		for _, name := range packs {
			if err := linkPack(filepath.Join(from, "pack", name), filepath.Join(to, "pack", name)); err != nil {
				return err
			}
		}
		linked = packs
	}
	return fmt.Errorf("%s does not come to rest: is git packing?", from)
}

// packNames lists the packs without their endings.
func packNames(dir string) ([]string, error) {
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var names []string
	for _, f := range files {
		if name, ok := strings.CutSuffix(f.Name(), ".idx"); ok {
			names = append(names, name)
		}
	}
	return names, err
}

// linkPack links a pack before its index, by which git finds it. One that is
// gone was packed into another, which the next listing shows.
func linkPack(from, to string) error {
	for _, ending := range []string{".pack", ".rev", ".idx"} {
		if err := link(from+ending, to+ending); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func linkLoose(ctx context.Context, from, to string) error {
	for i := range 256 {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		folder := fmt.Sprintf("%02x", i)
		objects, err := os.ReadDir(filepath.Join(from, folder))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		}
		if err := os.MkdirAll(filepath.Join(to, folder), 0o700); err != nil {
			return err
		}
		for _, o := range objects {
			if strings.HasPrefix(o.Name(), "tmp_") {
				continue
			}
			err := link(filepath.Join(from, folder, o.Name()), filepath.Join(to, folder, o.Name()))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	return nil
}

// link gives a file a second name, or copies it where that is not possible:
// on another disk, or on one that knows no links.
func link(from, to string) error {
	err := os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return ignoring(err, fs.ErrExist)
	}
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o400)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	return errors.Join(err, target.Close())
}

func ignoring(err, expected error) error {
	if errors.Is(err, expected) {
		return nil
	}
	return err
}

// borrow names the stores that the user's repository itself borrows from.
func borrow(from, to string) error {
	list, err := os.ReadFile(filepath.Join(from, "info", "alternates"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var named strings.Builder
	for line := range strings.Lines(string(list)) {
		path := filepath.FromSlash(strings.TrimSuffix(line, "\n"))
		switch {
		case path == "" || strings.HasPrefix(path, "#"):
			continue
		case !filepath.IsAbs(path):
			path = filepath.Join(from, path)
		}
		named.WriteString(path + "\n")
	}
	return replaceFile(filepath.Join(to, "info", "alternates"), []byte(named.String()))
}
