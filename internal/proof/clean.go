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

// Settings say where and how claims are judged.
type Settings struct {
	Mode     string   // auto, clean, workspace; none: claims are not judged
	Baseline bool     // run the gates before the first iteration
	Tree     string   // the work tree
	Dir      string   // of the clean checkout, outside the work tree
	Run      string   // the folder of the run that it belongs to
	Below    string   // the folder of the work tree in which gates run
	Setup    string   // installs dependencies; empty is guessed, "none" is none
	Copy     []string // carried in from the work tree
}

// setupTime is for a first install over a slow line.
const setupTime = 30 * time.Minute

// enter gives the clean checkout at a checkpoint, ready to run in.
func (j *Judge) enter(ctx context.Context, at repo.Checkpoint, pins []string, log io.Writer) (string, error) {
	if j.clean == nil {
		tree, err := j.Store.Proof(ctx, j.Proof.Dir)
		if err != nil {
			return "", err
		}
		j.clean = &clean{tree: tree, settings: j.Proof}
	}
	var pin repo.Pin
	if j.First != nil { // else there is nothing that they could have been
		pin = repo.Pin{Patterns: pins, First: *j.First}
	}
	if err := j.clean.tree.Bring(ctx, at, pin); err != nil {
		return "", err
	}
	j.clean.sign()
	below := filepath.Join(j.clean.tree.Dir(), filepath.FromSlash(j.Proof.Below))
	return below, j.clean.setUp(ctx, gate.Place{Where: loop.InClean, Dir: j.clean.home(), Env: j.Env, Log: log, Exec: j.Exec}, j.Tell)
}

// clean is the checkout with its dependencies.
type clean struct {
	tree     *repo.Proof
	settings Settings
	ready    string // what it was last set up for
	problem  string // why that did not go well
}

// home is the folder whose dependencies are set up: that in which gates run, if
// it has any of its own, else the whole.
func (c *clean) home() string {
	below := filepath.Join(c.tree.Dir(), filepath.FromSlash(c.settings.Below))
	source := filepath.Join(c.settings.Tree, filepath.FromSlash(c.settings.Below))
	if _, lockfile := gate.Setup(below); lockfile != "" || len(gate.Dependencies(source)) > 0 {
		return below
	}
	return c.tree.Dir()
}

// sign says in the checkout whose it is, so that one whose run is gone can be
// found and removed.
func (c *clean) sign() {
	if c.settings.Run != "" {
		_ = os.WriteFile(filepath.Join(c.settings.Dir, ".git", "refrain-run"), []byte(c.settings.Run), 0o600) // only for tidying up
	}
}

// forget makes the next gate set it up again.
func (c *clean) forget() {
	if c != nil {
		c.ready = ""
		_ = os.Remove(c.note()) // only spares work
	}
}

// setUp installs the dependencies, unless that was done for the same lockfile.
// A setup that fails is told and no more: a gate that needs it fails and says
// what is missing.
func (c *clean) setUp(ctx context.Context, p gate.Place, tell func(loop.Payload)) error {
	command, lockfiles := gate.Setup(p.Dir)
	guessed := c.settings.Setup == ""
	switch {
	case c.settings.Setup == "none":
		command = ""
	case !guessed:
		command = c.settings.Setup
	}
	key := c.key(p.Dir, command, lockfiles)
	again := c.ready != key && (c.ready != "" || c.noted() != key)
	if err := c.carry(ctx, c.tree.Dir(), again); err != nil || !again {
		c.ready = key
		return err
	}
	c.problem = ""
	if command != "" {
		if r := gate.RunSetup(ctx, command, p, setupTime); !r.OK {
			c.problem = fmt.Sprintf("%q failed (%s)", command, cmp.Or(r.Telling, r.Why))
		}
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if guessed && len(c.settings.Copy) == 0 && (command == "" || c.problem != "") {
		c.carryDependencies(ctx, p.Dir)
	}
	if c.problem != "" {
		tell(&loop.Warning{
			Text: "setting up the clean checkout: " + c.problem,
			Hint: "set proof.setup to a command that installs what the gates need, or proof.copy to the folders that hold it",
		})
	}
	c.ready = key
	return os.WriteFile(c.note(), []byte(key), 0o600)
}

// carry copies what proof.copy names: all of it when the checkout is set up
// again, else what the last gate's checkout did not leave there.
func (c *clean) carry(ctx context.Context, dir string, all bool) error {
	var list []string
	for _, path := range c.settings.Copy {
		_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path)))
		if all || errors.Is(err, fs.ErrNotExist) {
			list = append(list, path)
		}
	}
	if len(list) == 0 {
		return nil
	}
	if err := c.tree.Carry(ctx, list); err != nil {
		return fmt.Errorf("carry in proof.copy: %w", err)
	}
	return nil
}

// portable are the dependency folders that work wherever they are copied to. A
// virtual environment of Python's is not one: it names the work tree inside,
// and would load the code there.
var portable = []string{"node_modules", "vendor/bundle", "vendor", "deps"}

// carryDependencies copies what the work tree has where nothing can install it.
func (c *clean) carryDependencies(ctx context.Context, dir string) {
	base, err := filepath.Rel(c.tree.Dir(), dir)
	if err != nil {
		return // it is below, by what home gives
	}
	var list []string
	for _, path := range gate.Dependencies(filepath.Join(c.settings.Tree, base)) {
		_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path)))
		if slices.Contains(portable, path) && errors.Is(err, fs.ErrNotExist) && !below(path, list) {
			list = append(list, path)
		}
	}
	for i, path := range list {
		list[i] = filepath.ToSlash(filepath.Join(base, path))
	}
	if len(list) == 0 {
		return
	}
	if err := c.tree.Carry(ctx, list); err != nil {
		c.problem = strings.Join([]string{c.problem, "carry in " + strings.Join(list, ", ") + ": " + err.Error()}, "; ")
		return
	}
	c.problem = "" // what the command was to install is there
}

func below(path string, list []string) bool {
	return slices.ContainsFunc(list, func(one string) bool {
		return strings.HasPrefix(path+"/", one+"/") || strings.HasPrefix(one+"/", path+"/")
	})
}

// key tells one state of the dependencies from another.
func (c *clean) key(dir, command, lockfiles string) string {
	sum := sha256.New()
	fmt.Fprintf(sum, "%q %q\n", command, c.settings.Copy)
	for name := range strings.SplitSeq(lockfiles, ", ") {
		if name == "" {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, name))
		fmt.Fprintf(sum, "%q %x %v\n", name, sha256.Sum256(b), err == nil)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// note is where the checkout keeps what it was set up for; in its git folder,
// so that bringing it to another checkpoint leaves it alone.
func (c *clean) note() string { return filepath.Join(c.settings.Dir, ".git", "refrain-setup") }

func (c *clean) noted() string {
	b, err := os.ReadFile(c.note())
	if err != nil {
		return ""
	}
	return string(b)
}
