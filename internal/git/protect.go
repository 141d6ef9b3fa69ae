package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/glob"
)

// Guarded is what files held at one moment, by their path in the work tree.
type Guarded map[string]string

// Protected looks at every file of the work tree that the patterns match, those that
// git ignores too: what people protect is often just that.
func (t *Tree) Protected(ctx context.Context, patterns glob.Patterns) (Guarded, error) {
	return t.ProtectedBelow(ctx, ".", patterns)
}

// ProtectedBelow is Protected for what lies in one folder of the work tree, without a
// look at the others. A folder that is not there holds nothing.
func (t *Tree) ProtectedBelow(ctx context.Context, folder string, patterns glob.Patterns) (Guarded, error) {
	found := Guarded{}
	err := filepath.WalkDir(filepath.Join(t.dir, filepath.FromSlash(folder)), func(path string, d fs.DirEntry, err error) error {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		rel, relErr := filepath.Rel(t.dir, path)
		if relErr != nil {
			return relErr
		}
		name := filepath.ToSlash(rel)
		switch {
		case name != "." && d != nil && d.IsDir() && (d.Name() == ".git" || t.Own(name+"/x")):
			return fs.SkipDir
		case errors.Is(err, fs.ErrNotExist): // gone meanwhile, or never there
			return nil
		case errors.Is(err, fs.ErrPermission):
			return nil
		case err != nil:
			return err
		case d.IsDir() || !patterns.Match(name):
			return nil
		}
		held, err := held(ctx, path, d)
		if errors.Is(err, fs.ErrNotExist) {
			return nil // gone meanwhile
		}
		found[name] = held
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("look at the protected files of %s: %w", t.dir, err)
	}
	return found, nil
}

// held is a file's kind, whether it may be executed, and what it holds.
func held(ctx context.Context, path string, d fs.DirEntry) (string, error) {
	info, err := d.Info()
	if err != nil {
		return "", err
	}
	if info.Mode()&fs.ModeSymlink == 0 {
		return heldBy(ctx, path, info)
	}
	target, err := os.Readlink(path)
	return describe(info, sha256.Sum256([]byte(target))), err
}

// digest is held for a file that is run, or read, by its name: what matters is
// what a link leads to. "none" is for one that is not there.
func digest(ctx context.Context, path string) (string, error) {
	info, err := os.Stat(path)
	switch {
	case files.Absent(err):
		return "none", nil
	case errors.Is(err, fs.ErrPermission):
		return "out of reach", nil
	case err != nil:
		return "", err
	case info.Size() > maxRead:
		return "large " + files.Stamp(info), nil
	}
	return heldBy(ctx, path, info)
}

// maxRead is more than a program has that people write settings and hooks for.
const maxRead = 256 << 20

// heldBy is what there is to know of a file that is no link.
func heldBy(ctx context.Context, path string, info fs.FileInfo) (string, error) {
	if !info.Mode().IsRegular() {
		return describe(info, sha256.Sum256(nil)), nil
	}
	f, err := files.OpenFile(path)
	if errors.Is(err, fs.ErrPermission) {
		return "unreadable " + files.Stamp(info), nil
	}
	if err != nil {
		return "", err
	}
	defer f.Close()
	content := sha256.New()
	err = files.CopyAll(ctx, content, f)
	return describe(info, [sha256.Size]byte(content.Sum(nil))), err
}

func describe(info fs.FileInfo, sum [sha256.Size]byte) string {
	return fmt.Sprintf("%v %v %s", info.Mode().Type(), info.Mode()&0o100, hex.EncodeToString(sum[:]))
}

// notKnown is where notes say why there are none. No file has this name.
const notKnown = ""

// NotKnown are notes that say that nobody could take any.
func NotKnown(why error) Guarded { return Guarded{notKnown: why.Error()} }

// WhyNotKnown is why nobody could take the notes; empty when they are there.
func (now Guarded) WhyNotKnown() string { return now[notKnown] }

// Against names the files that differ from an earlier moment, sorted.
func (now Guarded) Against(before Guarded) []string {
	var list []string
	for name, held := range now {
		if was, ok := before[name]; !ok || was != held {
			list = append(list, name)
		}
	}
	for name := range before {
		if _, still := now[name]; !still {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}
