package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Fingerprint is a fingerprint of the work tree at one moment.
type Fingerprint struct {
	Head  string // the commit; empty without git, and before the first
	Files string // a hash
}

// String is the fingerprint as ParseFingerprint reads it; empty for none.
func (p *Fingerprint) String() string {
	if p == nil {
		return ""
	}
	return p.Head + ":" + p.Files
}

// ParseFingerprint is the fingerprint that String wrote, nil for none.
func ParseFingerprint(s string) *Fingerprint {
	head, files, ok := strings.Cut(s, ":")
	if !ok {
		return nil
	}
	return &Fingerprint{Head: head, Files: files}
}

// Signals tells in what the tree differs after, nil when it is the same. A file
// that was written and committed in between shows as a commit only: before and
// after, it is as its commit says.
func (before Fingerprint) Signals(after Fingerprint) []loop.ProgressBy {
	var seen []loop.ProgressBy
	if before.Files != after.Files {
		seen = append(seen, loop.InFiles)
	}
	if before.Head != after.Head {
		seen = append(seen, loop.InCommits)
	}
	return seen
}

// FingerprintOf takes the fingerprint of a tree as it is now.
func FingerprintOf(ctx context.Context, t *Tree) (Fingerprint, error) {
	if t.Git() {
		return fingerprintGit(ctx, t)
	}
	return fingerprintFolder(ctx, t)
}

// fingerprintGit asks git which files differ from the last commit, and looks at these
// only: all others are as the commit says. What git thinks of them is left out,
// since to stage a file is not to change it.
func fingerprintGit(ctx context.Context, t *Tree) (Fingerprint, error) {
	head, paths, err := t.Status(ctx)
	if err != nil {
		return Fingerprint{}, err
	}
	links, err := t.Submodules(ctx)
	if err != nil {
		return Fingerprint{}, err
	}
	paths = append(paths, links...)
	slices.Sort(paths)
	m := newManifest()
	for _, p := range slices.Compact(paths) {
		rel := strings.TrimPrefix(p, t.Prefix())
		if err := addListed(ctx, t, m, rel); err != nil {
			return Fingerprint{}, err
		}
	}
	return Fingerprint{Head: head, Files: m.sum()}, nil
}

// addListed adds a path that git lists. Of a repository inside the tree, added
// as a submodule or not, git lists only the folder: it is looked through as a
// plain one.
func addListed(ctx context.Context, t *Tree, m *manifest, rel string) error {
	rel = strings.TrimSuffix(rel, "/")
	if t.Skips(rel) {
		return nil
	}
	if m.add(rel, filepath.Join(t.Dir(), filepath.FromSlash(rel))) {
		return walk(ctx, t, m, rel)
	}
	return nil
}

// fingerprintFolder looks at every file, since nothing says which have changed.
func fingerprintFolder(ctx context.Context, t *Tree) (Fingerprint, error) {
	if _, err := os.ReadDir(t.Dir()); err != nil {
		return Fingerprint{}, fmt.Errorf("look at the work tree: %w", err)
	}
	m := newManifest()
	if err := walk(ctx, t, m, "."); err != nil {
		return Fingerprint{}, err
	}
	return Fingerprint{Files: m.sum()}, nil
}

// FolderPrint is a hash of all files below a folder of the tree, given by its path
// from the root of it.
func FolderPrint(ctx context.Context, t *Tree, below string) (string, error) {
	m := newManifest()
	err := walk(ctx, t, m, below)
	return m.sum(), err
}

// walk adds all files below a folder of the tree, in the order of their names.
// Links are not followed. A folder that cannot be read is noted as such: it may
// be the agent's own doing, and is no reason to stop.
func walk(ctx context.Context, t *Tree, m *manifest, below string) error {
	root := filepath.Join(t.Dir(), filepath.FromSlash(below))
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		name, relErr := filepath.Rel(t.Dir(), path)
		if relErr != nil {
			return relErr
		}
		name = filepath.ToSlash(name)
		switch {
		case t.Skips(name):
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
		case err != nil:
			m.note(name, "unreadable")
		case !d.IsDir():
			m.add(name, path)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("look at the work tree %s: %w", t.Dir(), err)
	}
	return nil
}

// manifest is the hash of a list of files: their names, and of each what tells
// that it was written to, without reading it.
type manifest struct{ hash hash.Hash }

func newManifest() *manifest { return &manifest{sha256.New()} }

func (m *manifest) sum() string { return hex.EncodeToString(m.hash.Sum(nil)) }

// add adds the file at path under its name in the tree, and tells whether it is
// a folder instead. A folder has nothing of its own to add: its time changes
// with files that do not count.
func (m *manifest) add(name, path string) (folder bool) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		m.note(name, "absent")
	case err != nil:
		m.note(name, "unreadable")
	case info.IsDir():
		return true
	case info.Mode()&fs.ModeSymlink != 0:
		target, err := os.Readlink(path)
		if err != nil {
			target = "unreadable"
		}
		m.note(name, "link "+target)
	default:
		m.note(name, fmt.Sprintf("%v %d %d", info.Mode(), info.Size(), info.ModTime().UnixNano()))
	}
	return false
}

// note adds what is to be said of a name. Neither can contain a NUL.
func (m *manifest) note(name, what string) {
	fmt.Fprintf(m.hash, "%s\x00%s\x00", name, what)
}
