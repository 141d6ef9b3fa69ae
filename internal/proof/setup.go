package proof

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
)

// setupTime is for a first install over a slow line.
const setupTime = 30 * time.Minute

// Seed is what setting up the first clean checkout left, before any agent and
// any gate had run: later checkouts that would install the same are given it.
type Seed struct {
	Key   string   `json:"key"`             // of what it was made from
	Again bool     `json:"again,omitempty"` // the setup has to run in each checkout all the same
	Paths []string `json:"paths,omitempty"` // what there is to plant
	Deps  bool     `json:"deps,omitempty"`  // dependencies are among them
	Print string   `json:"print,omitempty"` // of its files, which nobody may have touched
}

const seedFolder = "seed"

func (s Settings) seed() string { return filepath.Join(s.Dir, seedFolder) }

// setUp gives a room its dependencies: what the first one had, if it would be
// the same; else the setup runs from nothing. What fails is told, and is a
// problem of the room.
func (r *rooms) setUp(ctx context.Context, one *room, log io.Writer) error {
	j, s := r.judge, r.judge.Proof
	home := s.home(one)
	install := s.installs(home)
	seed := j.known.Seed
	if seed != nil && seed.Key == install.key && (install.command == "" || !install.again && !seed.Again) {
		return r.plant(ctx, one, seed.Paths)
	}
	if err := r.carryIn(ctx, one, seed == nil); err != nil {
		return err
	}
	if install.command != "" {
		p := r.place(one, s.Below, log)
		p.Dir = home
		if done := gate.RunSetup(ctx, install.command, p, setupTime); !done.OK {
			one.problem = fmt.Sprintf("%q failed (%s)", install.command, cmp.Or(done.Telling, done.Why))
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	switch {
	case seed == nil && j.untouched && s.Setup == "" && len(s.Copy) == 0 && (install.command == "" || one.problem != ""):
		s.carryDependencies(ctx, one, home)
	case seed != nil && seed.Deps && install.command == "" && seed.Key != install.key:
		one.problem = "what it depends on has changed, and nothing says how to install that: add a lockfile, or set proof.setup"
	}
	if one.problem != "" {
		j.Tell(&loop.Warning{
			Text: "setting up the clean checkout: " + one.problem,
			Hint: "set proof.setup to a command that installs what the gates need, or proof.copy to the folders that hold it",
		})
	}
	if seed == nil {
		return r.takeSeed(ctx, one, home, install.key)
	}
	return nil
}

// home is the folder whose dependencies are set up: that in which gates run, if
// it has any of its own, else the whole.
func (s Settings) home(one *room) string {
	below := filepath.Join(one.Dir(), filepath.FromSlash(s.Below))
	source := filepath.Join(s.Tree, filepath.FromSlash(s.Below))
	if _, lockfile := gate.Setup(below); lockfile != "" || len(gate.Dependencies(source)) > 0 {
		return below
	}
	return one.Dir()
}

// installation is how a checkout is set up.
type installation struct {
	command string // empty: it is not
	key     string // tells one state of what is installed from another
	again   bool   // it may read more than the key is made of: what it left is not used again
}

// installs is how a checkout is set up. What a command of the user's reads nobody
// knows, and scripts that run on install may read anything.
func (s Settings) installs(home string) installation {
	command, lockfiles := gate.Setup(home)
	i := installation{command: command, again: s.Setup != "" && s.Setup != "none"}
	switch {
	case s.Setup == "none":
		i.command = ""
	case i.again:
		i.command = s.Setup
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q\n", i.command, s.Copy)
	for _, name := range append(strings.FieldsFunc(lockfiles, func(r rune) bool { return r == ',' || r == ' ' }), gate.Manifests(home)...) {
		content, whole := gate.Installed(home, name)
		i.again = i.again || !whole
		fmt.Fprintf(sum, "%q %x\n", name, sha256.Sum256(content))
	}
	i.key = hex.EncodeToString(sum.Sum(nil))
	return i
}

// plant gives a room what the first one had.
func (r *rooms) plant(ctx context.Context, one *room, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	s := r.judge.Proof
	if print, err := printOf(s.seed()); err != nil || print != r.judge.known.Seed.Print {
		return errors.New("what was set aside for clean checkouts before the first iteration is gone or was changed: resume with --accept-config to set it aside again")
	}
	return one.Plant(ctx, s.seed(), paths)
}

// carryIn copies what proof.copy names: from the work tree before the first
// iteration, and later as it was then.
func (r *rooms) carryIn(ctx context.Context, one *room, first bool) error {
	paths := r.judge.Proof.Copy
	if !first {
		return r.plant(ctx, one, paths)
	}
	if len(paths) == 0 {
		return nil
	}
	if err := one.Carry(ctx, paths); err != nil {
		return fmt.Errorf("carry in proof.copy: %w", err)
	}
	return nil
}

// takeSeed sets aside what the setup left.
func (r *rooms) takeSeed(ctx context.Context, one *room, home, key string) error {
	s := r.judge.Proof
	seed := &Seed{Key: key}
	for _, path := range gate.Dependencies(home) {
		whole := path
		if rel, err := filepath.Rel(one.Dir(), home); err == nil && rel != "." {
			whole = filepath.ToSlash(filepath.Join(rel, path))
		}
		switch {
		case one.Holds(whole), overlaps(whole, seed.Paths), overlaps(whole, s.Copy):
		case slices.Contains(portable, path):
			seed.Paths, seed.Deps = append(seed.Paths, whole), true
		default:
			seed.Again = true // it would not work elsewhere
		}
	}
	for _, path := range s.Copy {
		seed.Deps = seed.Deps || slices.ContainsFunc(gate.DependencyFolders(), func(name string) bool { return overlaps(path, []string{name}) })
	}
	seed.Paths = append(seed.Paths, s.Copy...)
	if err := files.RemoveTree(s.seed()); err != nil {
		return err
	}
	if len(seed.Paths) > 0 {
		if err := one.SetAside(ctx, s.seed(), seed.Paths); err != nil {
			return err
		}
		print, err := printOf(s.seed())
		if err != nil {
			return err
		}
		seed.Print = print
	}
	r.judge.known.Seed = seed
	r.judge.remember()
	return nil
}

// portable are the dependency folders that work wherever they are copied to. A
// virtual environment of Python's is not one: it names its place inside, and
// would load the code there.
var portable = []string{"node_modules", "vendor/bundle", "vendor", "deps"}

// carryDependencies copies what the work tree has where nothing can install it.
// It does so before the first iteration only: later it would be the agent's.
func (s Settings) carryDependencies(ctx context.Context, one *room, home string) {
	base, err := filepath.Rel(one.Dir(), home)
	if err != nil {
		return // it is below, by what home gives
	}
	var list []string
	for _, path := range gate.Dependencies(filepath.Join(s.Tree, base)) {
		_, err := os.Lstat(filepath.Join(home, filepath.FromSlash(path)))
		if whole := filepath.ToSlash(filepath.Join(base, path)); slices.Contains(portable, path) && errors.Is(err, fs.ErrNotExist) && !overlaps(whole, list) {
			list = append(list, whole)
		}
	}
	if len(list) == 0 {
		return
	}
	if err := one.Carry(ctx, list); err != nil {
		one.problem = strings.Join([]string{one.problem, "carry in " + strings.Join(list, ", ") + ": " + err.Error()}, "; ")
		return
	}
	one.problem = "" // what the command was to install is there
}

// overlaps tells whether a path is, holds or is part of one of a list.
func overlaps(path string, list []string) bool {
	return slices.ContainsFunc(list, func(one string) bool {
		return strings.HasPrefix(path+"/", one+"/") || strings.HasPrefix(one+"/", path+"/")
	})
}

// printOf tells one state of a folder from another, by what no program can set.
func printOf(dir string) (string, error) {
	sum := sha256.New()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		if !info.IsDir() {
			fmt.Fprintf(sum, "%q %v %s\n", rel, info.Mode(), files.Stamp(info))
		} else {
			fmt.Fprintf(sum, "%q\n", rel)
		}
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}
