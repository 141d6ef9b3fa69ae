package checkpoint

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// stood is what git said of the user's branches, and of which files it said so.
type stood struct {
	print string
	head  string
	tips  []string
}

// branches is where the user's branches are. Most attempts leave them where they
// were, and to start git takes longer than to see that: it is asked only when the
// files that it would read are not the same as last time.
func (s *Store) branches(ctx context.Context) (head string, tips []string, err error) {
	print, err := s.origin.refsPrint(ctx, time.Now())
	if err == nil && print == s.stood.print {
		return s.stood.head, slices.Clone(s.stood.tips), nil
	}
	s.stood = stood{}
	head, tips, asked := s.tips(ctx)
	if err == nil && asked == nil {
		s.stood = stood{print, head, slices.Clone(tips)}
	}
	return head, tips, asked
}

// errUnclear says that only git can tell where the branches are.
var errUnclear = errors.New("git has to be asked")

const (
	// manyRefs is where git is faster than we are.
	manyRefs = 200
	// settled is how old a file must be so that its time tells it from the next one.
	settled = 2 * time.Second
)

// refsPrint is a print of all that git would read to say where the branches are.
func (o origin) refsPrint(ctx context.Context, now time.Time) (string, error) {
	head, err := files.ReadFile(ctx, filepath.Join(o.dir, "HEAD"), git.SmallFile)
	if err != nil {
		return "", err
	}
	if at, symbolic := strings.CutPrefix(string(head), "ref: "); symbolic && !strings.HasPrefix(at, "refs/heads/") {
		return "", errUnclear
	}
	if _, err := os.Lstat(filepath.Join(o.common, "reftable")); !files.Absent(err) {
		return "", errUnclear
	}
	packed, err := settledStamp(filepath.Join(o.common, "packed-refs"), now)
	if err != nil {
		return "", err
	}
	print := sha256.New()
	fmt.Fprintf(print, "%q %q %q\n", o.dir, head, packed)
	n := 0
	heads := filepath.Join(o.common, "refs", "heads")
	err = filepath.WalkDir(heads, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		if n++; n > manyRefs || !d.Type().IsRegular() {
			return errUnclear
		}
		at, err := files.ReadFile(ctx, path, git.SmallFile)
		if err != nil {
			return err
		}
		if strings.HasPrefix(string(at), "ref:") {
			return errUnclear // another place says where it is
		}
		fmt.Fprintf(print, "%q %q\n", path, at)
		return nil
	})
	return string(print.Sum(nil)), err
}

// settledStamp tells a file from the next one of its name; empty for none.
func settledStamp(path string, now time.Time) (string, error) {
	info, err := os.Lstat(path)
	if files.Absent(err) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	if _, changed := files.Identity(info); !info.Mode().IsRegular() || changed == 0 || now.Sub(time.Unix(0, changed)) < settled {
		return "", errUnclear
	}
	return files.Stamp(info), nil
}

// tips asks git. Every local branch counts, and HEAD when it is on none.
func (s *Store) tips(ctx context.Context) (head string, tips []string, err error) {
	out, err := s.ask(ctx, git.Command{}, "for-each-ref", "--format=%(HEAD)%(objectname)", "refs/heads")
	if err != nil {
		return "", nil, err
	}
	for line := range strings.Lines(string(out)) {
		tip := strings.TrimSuffix(line[1:], "\n")
		if line[0] == '*' {
			head = tip
		}
		tips = append(tips, tip)
	}
	if head == "" {
		if head, err = s.detached(ctx); err != nil {
			return "", nil, err
		}
	}
	if head != "" {
		tips = append(tips, head)
	}
	slices.Sort(tips)
	return head, slices.Compact(tips), nil
}

// detached is the commit that is checked out without a branch, empty for none.
func (s *Store) detached(ctx context.Context) (string, error) {
	out, err := s.ask(ctx, git.Command{}, "rev-parse", "--quiet", "--verify", "HEAD")
	if git.SaidNo(err) {
		return "", nil
	}
	return strings.TrimSuffix(string(out), "\n"), err
}
