package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
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

// mostRules is more than anybody writes about what to ignore.
const mostRules = 64 << 20

func (s *Store) exclude() string { return filepath.Join(s.dir, "info", "exclude") }

// hiddenRules reads the rules that are in no checkpoint: the repository's own, and
// those among the ignored paths.
func (s *Store) hiddenRules(ctx context.Context, ignored []string) ([]rules, error) {
	var all []rules
	text, err := files.ReadFile(ctx, s.exclude(), mostRules)
	if ignoring(err, fs.ErrNotExist) != nil {
		return nil, fmt.Errorf("read what to ignore: %w", err)
	}
	if len(text) > 0 {
		all = append(all, rules{Text: text})
	}
	for _, name := range ignored {
		at := s.origin.path(name)
		if info, err := os.Lstat(at); path.Base(name) != ruleFile || err != nil || !info.Mode().IsRegular() {
			continue // no rules, gone meanwhile, or nothing that git would read
		}
		if text, err := files.ReadFile(ctx, at, mostRules); err == nil { // what we cannot read, git cannot either
			all = append(all, rules{Path: []byte(name), Text: text})
		}
	}
	return all, nil
}

// stays is a file that the checkpoint does not have, and that is not deleted.
const stays = "stays"

// spare marks the files that would be deleted although the checkpoint's own
// rules ignore them: it cannot tell that they were not there. One that stands
// in the way of a restored file goes all the same, for the checkpoint just made
// has it.
func (s *Store) spare(ctx context.Context, to Checkpoint, edits []edit) error {
	going := map[string]*edit{}
	var paths []string
	files, folders := map[string]bool{}, map[string]bool{}
	for i, e := range edits {
		switch e.change {
		case deleted:
			going[s.tree.Prefix()+e.path] = &edits[i]
			paths = append(paths, s.tree.Prefix()+e.path)
		case created:
			files[e.path] = true
			for dir := range above(e.path) {
				folders[dir] = true
			}
		}
	}
	if len(paths) == 0 {
		return nil
	}
	ignored, err := s.ignoredAt(ctx, to, paths)
	if err != nil {
		return err
	}
	for _, name := range ignored {
		e := going[name]
		inTheWay := folders[e.path]
		for dir := range above(e.path) {
			inTheWay = inTheWay || files[dir]
		}
		if !inTheWay {
			e.change = stays
		}
	}
	return nil
}

// above gives the folders that a path is in, from the nearest.
func above(name string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
			if !yield(dir) {
				return
			}
		}
	}
}

// ignoredAt tells which paths the rules of a checkpoint ignore. Git reads rules
// from files only, so they are written to a work tree that holds nothing else.
func (s *Store) ignoredAt(ctx context.Context, at Checkpoint, paths []string) ([]string, error) {
	scratch := filepath.Join(s.dir, "rules")
	if err := os.RemoveAll(scratch); err != nil { // of somebody who was killed
		return nil, fmt.Errorf("look what to ignore: %w", err)
	}
	defer os.RemoveAll(scratch)
	if err := s.writeRules(ctx, at, scratch); err != nil {
		return nil, fmt.Errorf("look what to ignore: %w", err)
	}
	out, err := s.gitAt(ctx, filepath.Join(scratch, "tree"), git.Command{Stdin: git.JoinNUL(paths)}, "check-ignore", "-z", "--stdin", "--no-index")
	if git.SaidNo(err) {
		return nil, nil
	}
	return git.SplitNUL(out), err
}

// writeRules writes the rules of a checkpoint to the folder tree in scratch, and
// those that the repository kept to itself to the store, which takes over those
// of now at its next checkpoint.
func (s *Store) writeRules(ctx context.Context, at Checkpoint, scratch string) error {
	tree := filepath.Join(scratch, "tree")
	if err := os.MkdirAll(tree, 0o700); err != nil {
		return err
	}
	out, err := s.git(ctx, git.Command{}, "ls-tree", "-r", "-z", "--full-tree", at.Tree)
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
	if _, err := s.gitAt(ctx, tree, apart, "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	apart.Stdin = nil
	if _, err := s.gitAt(ctx, tree, apart, "checkout-index", "--all", "--quiet"); err != nil {
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
	return files.Overwrite(s.exclude(), own, 0o600, files.SyncFile)
}
