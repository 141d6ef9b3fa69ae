package sandbox

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/container"
)

// makePoints makes the places on which something is mounted, where they are in a
// folder that the runner has made for it: else an engine would, as root.
func makePoints(mounts []container.Mount) error {
	own := mounts[:2]
	for _, m := range mounts[2:] {
		outer, ok := around(mounts, m.To)
		if !ok || !slices.Contains(own, outer) {
			continue
		}
		if err := makePoint(outer.From, strings.TrimPrefix(m.To, outer.To+"/"), m.From); err != nil {
			return fmt.Errorf("make a place to mount %s: %w", m.From, err)
		}
	}
	return nil
}

// makePoint makes a folder, or a file, like what will be mounted there. An agent may
// have put links into the folder: none that leads out of it is followed, and what is
// in the way is removed.
func makePoint(dir, point, like string) error {
	info, err := os.Stat(like)
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	try := func() error {
		if info.IsDir() {
			return root.MkdirAll(point, 0o700)
		}
		if err := root.MkdirAll(filepath.Dir(point), 0o700); err != nil {
			return err
		}
		f, err := root.OpenFile(point, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if err != nil {
			if there, statErr := root.Lstat(point); statErr == nil && there.Mode().IsRegular() {
				return nil
			}
			return err
		}
		return f.Close()
	}
	if try() == nil {
		return nil
	}
	first, _, _ := strings.Cut(filepath.ToSlash(point), "/")
	if err := root.RemoveAll(first); err != nil {
		return err
	}
	return try()
}
