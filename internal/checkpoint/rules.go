package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/git"
)

// rules are rules about what to ignore that no checkpoint has among its files:
// those that the repository keeps to itself, and files of rules that ignore
// themselves, as a virtual environment has one.
type rules struct {
	Path []byte `json:"path,omitempty"` // from the top; none for those of the repository
	Text []byte `json:"text"`
}

// ruleFile is the name of a file with rules.
const ruleFile = ".gitignore"

// maxRules is more than anybody writes about what to ignore.
const maxRules = 64 << 20

// ruleFiles are the files that say what to ignore, of the user's repository and of
// the store.
type ruleFiles struct {
	repo *shadow
	user *userRepo
}

// copyExclude takes over the rules that the user's repository keeps to itself,
// and tells whether they are new. When they are gone with it, or are no file that
// anybody would write, the last ones stay.
func (f ruleFiles) copyExclude(ctx context.Context) (bool, error) {
	if f.user.gone() {
		return false, nil
	}
	theirs, err := files.ReadFile(ctx, f.user.exclude(), maxRules)
	switch {
	case errors.As(err, new(*files.NotRegularError)), errors.As(err, new(*files.TooLargeError)):
		return false, nil
	case files.Ignoring(err, fs.ErrNotExist) != nil:
		return false, fmt.Errorf("read what to ignore: %w", err)
	}
	ours, err := files.ReadFile(ctx, f.repo.exclude(), maxRules)
	if files.Ignoring(err, fs.ErrNotExist) != nil {
		return false, fmt.Errorf("read what to ignore: %w", err)
	}
	if bytes.Equal(ours, theirs) {
		return false, nil
	}
	if err := files.Overwrite(f.repo.exclude(), theirs, 0o600, files.SyncFile); err != nil {
		return false, fmt.Errorf("copy what to ignore: %w", err)
	}
	return true, nil
}

// hidden reads the rules that are in no checkpoint: the repository's own, and
// those among the ignored paths.
func (f ruleFiles) hidden(ctx context.Context, ignored []string) ([]rules, error) {
	var all []rules
	text, err := files.ReadFile(ctx, f.repo.exclude(), maxRules)
	if files.Ignoring(err, fs.ErrNotExist) != nil {
		return nil, fmt.Errorf("read what to ignore: %w", err)
	}
	if len(text) > 0 {
		all = append(all, rules{Text: text})
	}
	for _, name := range ignored {
		at := f.user.path(name)
		if info, err := os.Lstat(at); path.Base(name) != ruleFile || err != nil || !info.Mode().IsRegular() {
			continue // no rules, gone meanwhile, or nothing that git would read
		}
		if text, err := files.ReadFile(ctx, at, maxRules); err == nil { // what we cannot read, git cannot either
			all = append(all, rules{Path: []byte(name), Text: text})
		}
	}
	return all, nil
}

// ignoredAt tells which paths the rules of a checkpoint ignore. Git reads rules
// from files only, so they are written to a work tree that holds nothing else.
func (f ruleFiles) ignoredAt(ctx context.Context, at Checkpoint, paths []string) ([]string, error) {
	scratch := filepath.Join(f.repo.dir, "rules")
	if err := os.RemoveAll(scratch); err != nil { // of somebody who was killed
		return nil, fmt.Errorf("look what to ignore: %w", err)
	}
	defer os.RemoveAll(scratch)
	if err := f.write(ctx, at, scratch); err != nil {
		return nil, fmt.Errorf("look what to ignore: %w", err)
	}
	out, err := f.repo.runAt(ctx, filepath.Join(scratch, "tree"), git.Command{Stdin: git.JoinNUL(paths)}, "check-ignore", "-z", "--stdin", "--no-index")
	if git.SaidNo(err) {
		return nil, nil
	}
	return git.SplitNUL(out), err
}

// write writes the rules of a checkpoint to the folder tree in scratch, and
// those that the repository kept to itself to the store, which takes over those
// of now at its next checkpoint.
func (f ruleFiles) write(ctx context.Context, at Checkpoint, scratch string) error {
	tree := filepath.Join(scratch, "tree")
	if err := os.MkdirAll(tree, 0o700); err != nil {
		return err
	}
	out, err := f.repo.run(ctx, git.Command{}, "ls-tree", "-r", "-z", "--full-tree", at.Tree)
	if err != nil {
		return err
	}
	var index strings.Builder
	for _, line := range git.SplitNUL(out) {
		what, name, _ := strings.Cut(line, "\t")
		if path.Base(name) == ruleFile && strings.HasPrefix(what, "100") { // git follows no link to rules
			index.WriteString(line + "\x00")
		}
	}
	apart := git.Command{Env: []string{"GIT_INDEX_FILE=" + filepath.Join(scratch, "index")}, Stdin: []byte(index.String())}
	if _, err := f.repo.runAt(ctx, tree, apart, "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	apart.Stdin = nil
	if _, err := f.repo.runAt(ctx, tree, apart, "checkout-index", "--all", "--quiet"); err != nil {
		return err
	}
	root, err := files.OpenTree(tree)
	if err != nil {
		return err
	}
	defer root.Close()
	var own []byte
	for _, r := range at.facts.Rules {
		if len(r.Path) == 0 {
			own = r.Text
			continue
		}
		name := string(r.Path)
		if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
			return err
		}
		if err := errors.Join(root.RemoveAll(name), root.WriteFile(name, r.Text, 0o600)); err != nil { // and not what a link leads to
			return err
		}
	}
	return files.Overwrite(f.repo.exclude(), own, 0o600, files.SyncFile)
}
