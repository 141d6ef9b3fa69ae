package repo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Proof is a clean checkout in a folder of its own, which is brought from one
// checkpoint to the next. For programs that look it is a repository with one
// commit. What git ignores in it stays from one to the next: installed
// dependencies, caches.
type Proof struct {
	store *Store
	top   string
	index string // ours, out of reach of what runs in the checkout
}

// Proof opens the clean checkout in dir, and makes it when there is none. Until
// Bring it may hold anything. It must be outside of the work tree: programs that
// look upward for their settings would find those of the work tree.
func (s *Store) Proof(ctx context.Context, dir string) (*Proof, error) {
	if err := s.needGit("make a clean checkout"); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("make a clean checkout: %w", err)
	}
	top, err := filepath.Abs(dir)
	if err == nil {
		top, err = filepath.EvalSymlinks(top)
	}
	if err != nil {
		return nil, fmt.Errorf("make a clean checkout: %w", err)
	}
	if _, inside := under(s.origin.top, top); inside {
		return nil, fmt.Errorf("make a clean checkout: %s is inside the work tree %s: name another folder", top, s.origin.top)
	}
	name := sha256.Sum256([]byte(top))
	return &Proof{store: s, top: top, index: filepath.Join(s.dir, "proof-"+hex.EncodeToString(name[:8]))}, nil
}

// Dir is the folder that stands for the work tree.
func (p *Proof) Dir() string { return filepath.Join(p.top, filepath.FromSlash(p.store.tree.prefix)) }

// Bring makes the checkout what the work tree was at a checkpoint, but for
// pinned files, which are as they were at first. Whatever else lies in it is
// removed, unless git ignores it.
func (p *Proof) Bring(ctx context.Context, to Checkpoint, pin Pin) error {
	tree, err := p.tree(ctx, to, pin)
	if err != nil {
		return fmt.Errorf("bring the clean checkout to %s: %w", to.ID, err)
	}
	var failed *gitError
	if err = p.clean(ctx, tree); errors.As(err, &failed) && ctx.Err() == nil {
		makeWritable(p.top) // a gate may have left read-only folders
		err = p.clean(ctx, tree)
	}
	if err == nil {
		err = os.MkdirAll(p.Dir(), 0o700) // which the checkpoint may not have
	}
	if err == nil {
		err = p.becomeRepository(ctx, tree, to.ID)
	}
	if err != nil {
		return fmt.Errorf("bring the clean checkout to %s: %w", to.ID, err)
	}
	return nil
}

func (p *Proof) tree(ctx context.Context, to Checkpoint, pin Pin) (string, error) {
	scratch := p.index + "-pinned"
	defer os.Remove(scratch)
	_ = os.Remove(scratch + ".lock") // of somebody who was killed
	return p.store.pinnedTree(ctx, to, pin, scratch)
}

// clean writes every file that differs, and removes what is not in the tree.
func (p *Proof) clean(ctx context.Context, tree string) error {
	_ = os.Remove(p.index + ".lock") // of somebody who was killed
	apart := command{env: []string{"GIT_INDEX_FILE=" + p.index}}
	for _, args := range [][]string{
		{"-c", "core.sparseCheckout=false", "read-tree", "--reset", "-u", tree},
		{"-c", "core.sparseCheckout=false", "clean", "-ffdq"},
	} {
		if _, err := p.store.gitAt(ctx, p.top, apart, args...); err != nil {
			return err
		}
	}
	return nil
}

// committer lets programs commit in the checkout.
const committer = "[user]\n\tname = refrain\n\temail = refrain@localhost\n[gc]\n\tauto = 0\n"

// becomeRepository gives the checkout a .git of its own whose only commit is
// the tree. Its index is a copy: what a gate does to it does not mislead us.
func (p *Proof) becomeRepository(ctx context.Context, tree, checkpoint string) error {
	s := p.store
	out, err := s.git(ctx, command{env: signature, stdin: []byte("checkpoint " + checkpoint + "\n")}, "commit-tree", tree)
	if err != nil {
		return err
	}
	exclude, err := os.ReadFile(s.exclude())
	if ignoring(err, fs.ErrNotExist) != nil {
		return err
	}
	git := filepath.Join(p.top, ".git")
	files := map[string]string{
		"HEAD": "ref: refs/heads/proof\n", "refs/heads/proof": string(out),
		"objects/info/alternates": s.objects() + "\n", "info/attributes": asIs, "info/exclude": string(exclude),
	}
	if _, err := os.Lstat(filepath.Join(git, "config")); errors.Is(err, fs.ErrNotExist) {
		files["config"] = s.origin.config(filepath.Join(s.dir, shared), committer)
	}
	if err := layOut(git, files, func(path string, b []byte) error { return os.WriteFile(path, b, 0o600) }); err != nil {
		return err
	}
	for _, name := range []string{"index", "index.lock"} {
		if err := os.RemoveAll(filepath.Join(git, name)); err != nil {
			return err
		}
	}
	return copyTimed(p.index, filepath.Join(git, "index"))
}

// under is the path below a folder, when it is below.
func under(dir, path string) (rel string, ok bool) {
	rel, err := filepath.Rel(dir, path)
	if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", false
	}
	return rel, true
}
