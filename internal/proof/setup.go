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

	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/repo"
)

// setupTime is for a first install over a slow line.
const setupTime = 30 * time.Minute

// Seed is what setting up the first clean checkout left, before any agent and
// any gate had run: later checkouts that would install the same are given it.
type Seed struct {
	Key   string   `json:"key"`             // of what it was made from
	Paths []string `json:"paths,omitempty"` // what there is to plant
	Print string   `json:"print,omitempty"` // of its files, which nobody may have touched
}

const seedFolder = "seed"

func (s Settings) seed() string { return filepath.Join(s.Dir, seedFolder) }

// setUp gives a room its dependencies: what the first one had, if it would be
// the same; else the setup runs from nothing. What fails is told, and is a
// problem of the room.
func (j *Judge) setUp(ctx context.Context, r *room, log io.Writer) error {
	s := j.Proof
	home := s.home(r)
	command, key := s.installs(home)
	first := j.known.Seed == nil
	if !first && key != "" && j.known.Seed.Key == key {
		return j.plant(ctx, r)
	}
	if err := j.carryIn(ctx, r, first); err != nil {
		return err
	}
	if command != "" {
		p := j.place(r, log)
		p.Dir = home
		if done := gate.RunSetup(ctx, command, p, setupTime); !done.OK {
			r.problem = fmt.Sprintf("%q failed (%s)", command, cmp.Or(done.Telling, done.Why))
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if first && j.untouched && s.Setup == "" && len(s.Copy) == 0 && (command == "" || r.problem != "") {
		s.carryDependencies(ctx, r, home)
	}
	if command == "" && !first && r.problem == "" && len(j.known.Seed.Paths) > 0 {
		r.problem = "what it depends on has changed, and nothing says how to install that: add a lockfile, or set proof.setup"
	}
	if r.problem != "" {
		j.Tell(&loop.Warning{
			Text: "setting up the clean checkout: " + r.problem,
			Hint: "set proof.setup to a command that installs what the gates need, or proof.copy to the folders that hold it",
		})
	}
	if first {
		return j.takeSeed(ctx, r, home, key)
	}
	return nil
}

// home is the folder whose dependencies are set up: that in which gates run, if
// it has any of its own, else the whole.
func (s Settings) home(r *room) string {
	below := filepath.Join(r.Dir(), filepath.FromSlash(s.Below))
	source := filepath.Join(s.Tree, filepath.FromSlash(s.Below))
	if _, lockfile := gate.Setup(below); lockfile != "" || len(gate.Dependencies(source)) > 0 {
		return below
	}
	return r.Dir()
}

// installs is the command that sets a checkout up, and the key of what it reads.
// What a command of the user's reads nobody knows, and scripts that run on
// install may read anything: then no key is like another.
func (s Settings) installs(home string) (command, key string) {
	command, lockfiles := gate.Setup(home)
	switch {
	case s.Setup == "none":
		command = ""
	case s.Setup != "":
		return s.Setup, ""
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q\n", command, s.Copy)
	for _, name := range append(strings.FieldsFunc(lockfiles, func(r rune) bool { return r == ',' || r == ' ' }), gate.Manifests(home)...) {
		content, same := gate.Installed(home, name)
		if !same {
			return command, ""
		}
		fmt.Fprintf(sum, "%q %x\n", name, sha256.Sum256(content))
	}
	return command, hex.EncodeToString(sum.Sum(nil))
}

// plant gives a room what the first one had.
func (j *Judge) plant(ctx context.Context, r *room) error {
	seed := j.known.Seed
	if len(seed.Paths) == 0 {
		return nil
	}
	if print, err := printOf(j.Proof.seed()); err != nil || print != seed.Print {
		return errors.New("what was installed for clean checkouts before the first iteration has been changed: resume with --accept-config to install it anew")
	}
	return r.Plant(ctx, j.Proof.seed(), seed.Paths)
}

// carryIn copies what proof.copy names: from the work tree before the first
// iteration, and later as it was then.
func (j *Judge) carryIn(ctx context.Context, r *room, first bool) error {
	s := j.Proof
	if len(s.Copy) == 0 {
		return nil
	}
	if first {
		if err := r.Carry(ctx, s.Copy); err != nil {
			return fmt.Errorf("carry in proof.copy: %w", err)
		}
		return nil
	}
	if print, err := printOf(s.seed()); err != nil || print != j.known.Seed.Print {
		return errors.New("what proof.copy names was set aside before the first iteration, and has been changed there: resume with --accept-config to copy it anew")
	}
	return r.Plant(ctx, s.seed(), s.Copy)
}

// takeSeed sets aside what the setup left.
func (j *Judge) takeSeed(ctx context.Context, r *room, home, key string) error {
	seed := &Seed{Key: key}
	for _, path := range gate.Dependencies(home) {
		whole := path
		if rel, err := filepath.Rel(r.Dir(), home); err == nil && rel != "." {
			whole = filepath.ToSlash(filepath.Join(rel, path))
		}
		if tracked(r, whole) || below(whole, seed.Paths) {
			continue
		}
		if !slices.Contains(portable, path) {
			seed.Key = "" // it would not work elsewhere
			continue
		}
		seed.Paths = append(seed.Paths, whole)
	}
	for _, path := range j.Proof.Copy {
		if !below(path, seed.Paths) {
			seed.Paths = append(seed.Paths, path)
		}
	}
	if err := repo.RemoveTree(j.Proof.seed()); err != nil {
		return err
	}
	if len(seed.Paths) > 0 {
		if err := r.SetAside(ctx, j.Proof.seed(), seed.Paths); err != nil {
			return err
		}
		print, err := printOf(j.Proof.seed())
		if err != nil {
			return err
		}
		seed.Print = print
	}
	j.known.Seed = seed
	return nil
}

// tracked tells whether a folder is part of the tree.
func tracked(r *room, path string) bool { return r.Holds(path) }

// portable are the dependency folders that work wherever they are copied to. A
// virtual environment of Python's is not one: it names its place inside, and
// would load the code there.
var portable = []string{"node_modules", "vendor/bundle", "vendor", "deps"}

// carryDependencies copies what the work tree has where nothing can install it.
// It does so before the first iteration only: later it would be the agent's.
func (s Settings) carryDependencies(ctx context.Context, r *room, home string) {
	base, err := filepath.Rel(r.Dir(), home)
	if err != nil {
		return // it is below, by what home gives
	}
	var list []string
	for _, path := range gate.Dependencies(filepath.Join(s.Tree, base)) {
		_, err := os.Lstat(filepath.Join(home, filepath.FromSlash(path)))
		if whole := filepath.ToSlash(filepath.Join(base, path)); slices.Contains(portable, path) && errors.Is(err, fs.ErrNotExist) && !below(whole, list) {
			list = append(list, whole)
		}
	}
	if len(list) == 0 {
		return
	}
	if err := r.Carry(ctx, list); err != nil {
		r.problem = strings.Join([]string{r.problem, "carry in " + strings.Join(list, ", ") + ": " + err.Error()}, "; ")
		return
	}
	r.problem = "" // what the command was to install is there
}

func below(path string, list []string) bool {
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
			fmt.Fprintf(sum, "%q %v %s\n", rel, info.Mode(), repo.Stamp(info))
		} else {
			fmt.Fprintf(sum, "%q\n", rel)
		}
		return err
	})
	return hex.EncodeToString(sum.Sum(nil)), err
}
