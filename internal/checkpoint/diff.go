package checkpoint

import (
	"context"
	"io"

	"github.com/refrain-loop/refrain/internal/git"
)

// DiffOptions says how a difference is shown.
type DiffOptions struct {
	Stat  bool     // files and how many lines, rather than the lines
	Paths []string // from the top of the repository; none is all
}

// Diff writes the difference between two checkpoints for people, as git shows
// it, with paths from the work tree on. It ends with the first error of w: then
// the reader has seen enough.
func (s *Store) Diff(ctx context.Context, w io.Writer, before, after Checkpoint, o DiffOptions) error {
	if err := s.needGit("show what changed"); err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	args := []string{"diff", "--no-ext-diff", "--no-textconv", "-M", "--ignore-submodules=dirty", "--color=never"}
	if o.Stat {
		args = append(args, "--stat")
	}
	if s.tree.Prefix() != "" && len(o.Paths) == 0 {
		args = append(args, "--relative="+s.tree.Prefix())
	}
	reader := &reader{to: w, gone: cancel}
	args = append(args, before.Tree, after.Tree, "--")
	for _, path := range o.Paths {
		args = append(args, ":(top,literal)"+path)
	}
	_, err := s.git(ctx, git.Command{Reader: reader}, args...)
	if reader.err != nil {
		return reader.err
	}
	return err
}

// reader takes what is written until that fails.
type reader struct {
	to   io.Writer
	gone func(error)
	err  error
}

func (r *reader) Write(b []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	var n int
	if n, r.err = r.to.Write(b); r.err != nil {
		r.gone(r.err)
	}
	return n, r.err
}
