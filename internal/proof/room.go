package proof

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/checkpoint"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
)

// room is a clean checkout that is made for one judgement and removed after it.
type room struct {
	*checkpoint.Checkout
	temp    string   // for temporary files: what tools cache there is not from yesterday
	problem string   // why it could not be set up
	broken  error    // why nothing can run in it
	used    bool     // a gate has run in it
	touched []string // files of the tree that gates have changed
}

// rooms are the clean checkouts of one judgement, by the trees that they hold.
type rooms struct {
	judge *Judge
	open  map[string]*room
}

func newRooms(j *Judge) *rooms { return &rooms{judge: j, open: map[string]*room{}} }

// close removes them all. What is left only costs room, and is removed before
// the next judgement.
func (r *rooms) close() {
	for _, one := range r.open {
		_ = one.Remove()
		_ = files.RemoveTree(one.temp)
	}
	clear(r.open)
}

// problem is why a room could not be set up.
func (r *rooms) problem() string {
	for _, one := range r.open {
		if one.problem != "" {
			return one.problem
		}
	}
	return ""
}

// touched is the files that gates changed in what they judge.
func (r *rooms) touched() []string {
	var list []string
	for _, one := range r.open {
		last, err := one.Touched()
		if err != nil {
			last = []string{err.Error()} // what cannot be looked at is not what it was
		}
		list = append(list, append(one.touched, last...)...)
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// enter gives the checkout of a tree, ready to run in: made anew, or as it was
// before the last gate, but for what git ignores.
func (r *rooms) enter(ctx context.Context, tree string, log io.Writer) (*room, error) {
	if one := r.open[tree]; one != nil {
		if one.broken == nil {
			one.broken = one.tidy(ctx)
		}
		return one, one.broken
	}
	j := r.judge
	if err := r.openFolder(); err != nil {
		return nil, fmt.Errorf("make a clean checkout: %w", err)
	}
	made, err := j.Store.Checkout(ctx, filepath.Join(j.Proof.Dir, rand.Text()), tree)
	if err != nil {
		return nil, err
	}
	one := &room{Checkout: made}
	r.open[tree] = one
	if one.temp, err = j.Proof.temp(); err != nil {
		return nil, fmt.Errorf("make a clean checkout: %w", err)
	}
	one.broken = r.setUp(ctx, one, log)
	return one, one.broken
}

// tidy puts back what the last gate changed.
func (r *room) tidy(ctx context.Context) error {
	if !r.used {
		return nil
	}
	touched, err := r.Restore(ctx)
	for _, path := range touched {
		if !slices.Contains(r.touched, path) {
			r.touched = append(r.touched, path)
		}
	}
	r.used = false
	return err
}

// openFolder makes the folder of the clean checkouts, says in it whose it is, and
// removes, once, what a runner that was killed has left there. Nobody else uses
// it.
func (r *rooms) openFolder() error {
	j, s := r.judge, r.judge.Proof
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(s.Dir)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		return fmt.Errorf("%s is not a folder", s.Dir)
	}
	if !j.tidied {
		j.tidied = true
		j.Store.Trees().Sweep()
		if err := s.sweep(); err != nil {
			return err
		}
	}
	return files.Replace(filepath.Join(s.Dir, checkpoint.OwnerFile), []byte(s.Run), 0o600, files.NoSync)
}

// temp makes a folder for temporary files. It is not below the checkout's own
// long path, for sockets have short names; so that it is found again, it is
// noted first.
func (s Settings) temp() (string, error) {
	dir := filepath.Join(os.TempDir(), checkpoint.TempPrefix+rand.Text()[:10])
	notes, err := files.Append(filepath.Join(s.Dir, checkpoint.TempFile), 0o600)
	if err != nil {
		return "", err
	}
	_, err = fmt.Fprintln(notes, dir)
	if err = errors.Join(err, notes.Close()); err != nil {
		return "", err
	}
	return dir, os.Mkdir(dir, 0o700)
}

// sweep removes what a runner that was killed has left.
func (s Settings) sweep() error {
	entries, err := os.ReadDir(s.Dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch e.Name() {
		case seedFolder, checkpoint.OwnerFile, checkpoint.TempFile:
		default:
			err = errors.Join(err, files.RemoveTree(filepath.Join(s.Dir, e.Name())))
		}
	}
	return errors.Join(err, checkpoint.RemoveTemporary(s.Dir))
}

// env is the environment of what runs in a room: nothing in it leads to the work
// tree, temporary files begin afresh, and no tool answers from a cache of
// results.
func (r *rooms) env(one *room) []string {
	j, tree := r.judge, r.judge.Proof.Tree
	env := make([]string, 0, len(j.Env)+4)
	goflags := ""
	for _, v := range j.Env {
		name, value, _ := strings.Cut(v, "=")
		switch name {
		case "PWD", "OLDPWD", "INIT_CWD", "REFRAIN_RUN_DIR":
			continue // they lead to the work tree
		case "GOFLAGS":
			goflags = value
			continue
		}
		env = append(env, name+"="+replacePath(value, tree, one.Dir()))
	}
	if goflags == "" {
		goflags = j.known.Flags
	}
	return append(env, "REFRAIN_PROJECT_DIR="+one.Dir(), "REFRAIN_RUN_DIR="+one.temp, "TMPDIR="+one.temp, "TMP="+one.temp, "TEMP="+one.temp, "GOFLAGS="+strings.TrimSpace(goflags+" -count=1"))
}

// place is a folder of a room, in which a gate runs.
func (r *rooms) place(one *room, below string, log io.Writer) gate.Place {
	return gate.Place{Where: loop.InClean, Dir: filepath.Join(one.Dir(), filepath.FromSlash(below)), Env: r.env(one), Withheld: r.judge.Withheld, Log: log, Exec: r.judge.Exec, Hide: r.judge.Hide}
}
