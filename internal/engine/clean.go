package engine

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
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/gate"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/repo"
)

// Proof says where and how claims are judged.
type Proof struct {
	Mode     string   // auto, clean, workspace; none: claims are not judged
	Baseline bool     // run the gates before the first iteration
	Tree     string   // the work tree
	Dir      string   // of the clean checkout, outside the work tree
	Below    string   // the folder of the work tree in which gates run
	Setup    string   // installs dependencies; empty is guessed, "none" is none
	Copy     []string // carried in from the work tree
}

// setupTime is for a first install over a slow line.
const setupTime = 30 * time.Minute

// clean is the checkout with its dependencies.
type clean struct {
	tree     *repo.Proof
	settings Proof
	ready    string // what it was last set up for
	problem  string // why that did not go well
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
	if c.ready == key || c.ready == "" && c.noted() == key {
		c.ready = key
		return nil
	}
	c.problem = ""
	if len(c.settings.Copy) > 0 {
		if err := c.tree.Carry(ctx, c.settings.Copy); err != nil {
			return fmt.Errorf("carry in proof.copy: %w", err)
		}
	}
	if command != "" {
		if r := gate.RunSetup(ctx, command, p, setupTime); !r.OK {
			c.problem = fmt.Sprintf("%q failed (%s)", command, r.Why)
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

// portable are the dependency folders that work wherever they are copied to. A
// virtual environment of Python's is not one: it names the work tree inside,
// and would load the code there.
var portable = []string{"node_modules", "vendor/bundle", "vendor", "deps"}

// carryDependencies copies what the work tree has where nothing can install it.
func (c *clean) carryDependencies(ctx context.Context, dir string) {
	var list []string
	for _, path := range gate.Dependencies(c.settings.Tree) {
		_, err := os.Lstat(filepath.Join(dir, filepath.FromSlash(path)))
		if slices.Contains(portable, path) && errors.Is(err, fs.ErrNotExist) && !below(path, list) {
			list = append(list, path)
		}
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
