package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// edits are made of texts: what a path held, and what it holds; nothing is none.
type texts map[string]string

func (x texts) read(_ context.Context, f TreeFile) ([]byte, error) { return []byte(x[f.Object]), nil }

// edit notes two texts under names that are no objects of git's.
func (x texts) edit(path, was, is string) TreeEdit {
	file := func(text string) TreeFile {
		if text == "" {
			return TreeFile{}
		}
		name := "text:" + text
		x[name] = text
		return TreeFile{Mode: "100644", Object: name}
	}
	return TreeEdit{Path: path, Was: file(was), Is: file(is)}
}

func (f folder) apart(x texts, base string) *Apart {
	f.T.Helper()
	a, err := ApartAt(f.T.Context(), f.open(), base, filepath.Join(f.T.TempDir(), "apart"))
	f.Must(err)
	a.Read = x.read
	f.T.Cleanup(a.Remove)
	return a
}

const lines = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"

func TestCommitsApartTouchNothing(t *testing.T) {
	f := newRepository(t)
	f.Write("both", lines)
	f.Write("own", "mine\n")
	f.Git("add", ".")
	f.Git("commit", "-qm", "start")
	base := f.said("rev-parse", "HEAD")
	f.Write("own", "mine, changed\n")
	f.Write("staged", "staged\n")
	f.Git("add", "staged")
	status, index := f.said("status", "--porcelain"), f.index()
	x := texts{}
	a := f.apart(x, base)
	for _, e := range [][]TreeEdit{
		{x.edit("both", strings.Replace(lines, "9", "nine", 1), "one"+strings.Replace(lines, "9", "nine", 1)[1:]), x.edit("new/file", "", "new\n")},
		{x.edit("new/file", "new\n", "newer\n")},
	} {
		changed, err := a.Apply(t.Context(), e)
		f.Must(err)
		if !changed {
			t.Fatalf("nothing was left of %v", e)
		}
		if _, err := a.Commit(t.Context(), "a part", []string{"Refrain-Run: x"}); err != nil {
			t.Fatal(err)
		}
	}
	tip, err := a.tip(t.Context())
	f.Must(err)
	if got := f.said("log", "--format=%s%an", tip); strings.Count(got, "a part") != 2 {
		t.Errorf("log = %q", got)
	}
	if got, want := f.said("show", tip+":both"), strings.TrimSuffix("one"+lines[1:], "\n"); got != want {
		t.Errorf("both = %q, want %q: lines that were not committed stay where they are", got, want)
	}
	if got := f.said("show", tip+":new/file"); got != "newer" {
		t.Errorf("new/file = %q", got)
	}
	if f.said("rev-parse", "HEAD") != base || f.said("status", "--porcelain") != status || f.index() != index {
		t.Error("the branch, the index or a file was touched")
	}
	again := f.apart(x, tip)
	if changed, err := again.Apply(t.Context(), []TreeEdit{x.edit("new/file", "new\n", "newer\n")}); changed || err != nil {
		t.Errorf("what is there was applied again: %v, %v", changed, err)
	}
}

func TestWhatDoesNotGoTogether(t *testing.T) {
	f := newRepository(t)
	f.Write("text", lines)
	f.Write("folder/file", "a\n")
	f.Git("add", ".")
	f.Git("commit", "-qm", "start")
	x := texts{}
	for _, tt := range []struct {
		name string
		edit TreeEdit
		want []string
	}{
		{"other lines stand there", x.edit("text", strings.Replace(lines, "5", "five", 1), strings.Replace(lines, "5", "cinq", 1)), []string{"text"}},
		{"it is gone there", x.edit("gone", "a\n", "b\n"), []string{"gone"}},
		{"it is another one there", x.edit("text", "", "new\n"), []string{"text"}},
		{"it is changed there, and goes", x.edit("text", "x\n", ""), []string{"text"}},
		{"a folder is there", x.edit("folder", "", "a file\n"), []string{"folder"}},
		{"a file is there", x.edit("text/below", "", "a file\n"), []string{"text/below"}},
		{"it went there too", x.edit("went", "x\n", ""), nil},
		{"it goes", x.edit("folder/file", "a\n", ""), nil},
	} {
		_, err := f.apart(x, f.said("rev-parse", "HEAD")).Apply(t.Context(), []TreeEdit{tt.edit})
		var conflict *ConflictError
		if !errors.As(err, &conflict) {
			conflict = &ConflictError{}
			f.Must(err)
		}
		if !slices.Equal(conflict.Paths, tt.want) {
			t.Errorf("%s: conflicts in %q, want %q", tt.name, conflict.Paths, tt.want)
		}
	}
}

func TestCommitsApartAreStoredAsGitStoresFiles(t *testing.T) {
	f := newRepository(t)
	f.Write(".gitattributes", "*.txt text eol=crlf\n")
	f.Git("add", ".")
	f.Git("commit", "-qm", "start")
	x := texts{}
	a := f.apart(x, f.said("rev-parse", "HEAD"))
	link := x.edit("link", "", "a.txt")
	link.Is.Mode = SymlinkMode
	program := x.edit("program", "", "#!/bin/sh\n")
	program.Is.Mode = "100755"
	if _, err := a.Apply(t.Context(), []TreeEdit{x.edit("crlf.txt", "", "one\r\ntwo\r\n"), link, program}); err != nil {
		t.Fatal(err)
	}
	tip, err := a.Commit(t.Context(), "stored", nil)
	f.Must(err)
	if got := f.said("cat-file", "blob", tip+":crlf.txt"); got != "one\ntwo" {
		t.Errorf("crlf.txt is stored as %q", got)
	}
	if got := f.said("ls-tree", "-r", "--format=%(objectmode) %(path)", tip, "link", "program"); got != "120000 link\n100755 program" {
		t.Errorf("modes: %q", got)
	}
}

func TestTheFirstCommitCanBeMadeApart(t *testing.T) {
	f := newRepository(t)
	f.Git("update-ref", "-d", "HEAD")
	x := texts{}
	a := f.apart(x, "")
	if _, err := a.Apply(t.Context(), []TreeEdit{x.edit("first", "", "1\n")}); err != nil {
		t.Fatal(err)
	}
	tip, err := a.Commit(t.Context(), "first", nil)
	f.Must(err)
	mover := f.open().Mover()
	goal, err := mover.Here(t.Context())
	f.Must(err)
	if goal.Tip != "" || !goal.Here {
		t.Fatalf("Here = %+v, want a branch without a commit", goal)
	}
	f.Must(mover.Move(t.Context(), goal, tip, "test"))
	if got := f.said("log", "--format=%s"); got != "first" {
		t.Errorf("log = %q", got)
	}
}

func TestHooksRunUnlessTheyAreNotWanted(t *testing.T) {
	f := newRepository(t)
	f.hook("pre-commit", "exit 1")
	f.hook("post-commit", "touch ran")
	x := texts{}
	a := f.apart(x, f.said("rev-parse", "HEAD"))
	if _, err := a.Apply(t.Context(), []TreeEdit{x.edit("new", "", "1\n")}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Commit(t.Context(), "no", nil); err == nil {
		t.Error("a commit was made that a hook had refused")
	}
	a.NoHooks = true
	if _, err := a.Commit(t.Context(), "yes", nil); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(f.Path("ran")); err == nil {
		t.Error("a hook ran")
	}
}

func TestABranchThatHasMovedIsNotMoved(t *testing.T) {
	f := newRepository(t)
	mover := f.open().Mover()
	goal, err := mover.Here(t.Context())
	f.Must(err)
	before := goal.Tip
	f.Git("commit", "-q", "--allow-empty", "-m", "somebody else's")
	now := f.said("rev-parse", "HEAD")
	var refused *RefusedError
	if err := mover.Move(t.Context(), goal, before, "test"); !errors.As(err, &refused) {
		t.Errorf("Move = %v, want a refusal", err)
	}
	if got := f.said("rev-parse", "HEAD"); got != now {
		t.Errorf("HEAD = %s, want %s", got, now)
	}
}
