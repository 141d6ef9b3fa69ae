package checkpoint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// unborn is the HEAD of a repository without a commit.
const unborn = "ref: refs/heads/checkpoints\n"

// asIs keeps git from changing a file on its way in or out. What stands in this
// file of a repository wins over every .gitattributes. An encoding can only be
// forgotten, not forbidden.
const asIs = "* -text -eol -ident -filter !working-tree-encoding\n"

// make builds the store beside its place and moves it there when it is whole.
func (s *Store) make(ctx context.Context) error {
	building := s.dir + ".new"
	if err := os.RemoveAll(building); err != nil {
		return err
	}
	like, err := s.like(ctx)
	if err != nil {
		return err
	}
	s.kept = kept{Format: s.origin.format, Prefix: s.tree.Prefix(), Top: s.origin.top, Dir: s.origin.dir}
	if s.kept.Borrows, err = s.origin.borrows(ctx); err != nil {
		return err
	}
	if s.seals, err = s.sealsOf(like); err != nil {
		return err
	}
	if err := layOut(building, nil, files.NoSync); err != nil {
		return err
	}
	if err := s.takeObjects(ctx, filepath.Join(building, "objects")); err != nil {
		return fmt.Errorf("take the objects: %w", err)
	}
	if err := layOut(building, s.seals, files.SyncSoon); err != nil {
		return err
	}
	if err := files.Replace(filepath.Join(building, "HEAD"), []byte(unborn), 0o600, files.SyncFile); err != nil {
		return err
	}
	if err := s.seed(ctx, filepath.Join(building, "index")); err != nil {
		return err
	}
	_ = os.Remove(s.dir) // an empty folder may stand there
	return os.Rename(building, s.dir)
}

// layOut writes the files that make a folder a repository.
func layOut(dir string, texts map[string]string, sync files.Sync) error {
	for _, folder := range []string{"info", "objects/info", "objects/pack", "refs/heads"} {
		if err := os.MkdirAll(filepath.Join(dir, filepath.FromSlash(folder)), 0o700); err != nil {
			return err
		}
	}
	for name, text := range texts {
		if err := files.Replace(filepath.Join(dir, filepath.FromSlash(name)), []byte(text), 0o600, sync); err != nil {
			return err
		}
	}
	return nil
}

// settings are those of the store. Nothing of the user's may run in it or pack
// it, and what it was given is on the disk before the journal says so. A file
// outside of a sparse checkout counts as soon as somebody makes it.
const settings = `	logAllRefUpdates = false
	fsmonitor = false
	splitIndex = false
	untrackedCache = false
	sparseCheckout = true
	autocrlf = false
	safecrlf = false
	fsync = objects
	fsyncMethod = batch
[index]
	sparse = false
[gc]
	auto = 0
[maintenance]
	auto = false
[i18n]
	commitEncoding = UTF-8
`

// shared is the file of settings that are as the user's.
const shared = "shared"

// alike are the user's settings that say how files are on this disk, and which
// of them do not count.
const (
	alike     = `^core\.(` + alikeKeys + `)$`
	alikeKeys = "filemode|symlinks|ignorecase|precomposeunicode|longpaths|protecthfs|protectntfs|trustctime|checkstat|excludesfile"
)

// like is the user's settings that the store and clean checkouts share.
func (s *Store) like(ctx context.Context) (string, error) {
	out, err := s.ask(ctx, git.Command{}, "config", "-z", "--get-regexp", alike)
	if err != nil && !git.SaidNo(err) {
		return "", err
	}
	var b strings.Builder
	b.WriteString("[core]\n")
	for _, item := range git.SplitNUL(out) {
		key, value, given := strings.Cut(item, "\n")
		if s.tree.Program().ReadsInstead(value) {
			continue // which is this run's alone
		}
		if !given {
			value = "true"
		}
		fmt.Fprintf(&b, "\t%s = %s\n", strings.TrimPrefix(key, "core."), git.QuoteConfig(value))
	}
	return b.String(), nil
}

// config is a config with the format of the repository, what it shares with the
// user's, and more.
func (o origin) config(shared, more string) string {
	var b strings.Builder
	version := 0
	if o.format != "sha1" {
		version = 1
		fmt.Fprintf(&b, "[extensions]\n\tobjectFormat = %s\n", o.format)
	}
	fmt.Fprintf(&b, "[include]\n\tpath = %s\n", git.QuoteConfig(shared))
	fmt.Fprintf(&b, "[core]\n\trepositoryformatversion = %d\n\tbare = false\n%s", version, more)
	return b.String()
}
