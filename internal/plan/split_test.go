package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/files"
)

// folderOf writes files below a new folder.
func folderOf(t *testing.T, list map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range list {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, path, text)
	}
	return dir
}

// index is a plan as an agent writes it, in a folder with a file to each feature.
const index = `# Implementation plan

| Feature | Status | Spec |
|---------|--------|------|
| [attachments](./attachments.md) | begun | [spec](../specs/attachments.md) |
| [permissions][p] | open | [spec](../specs/permissions.md) |

## Current focus

**Active:** [attachments.md](./attachments.md#tasks)

## Across features

- [ ] Export all tools from one place, see [the plan](README.md)

[p]: sub/permissions.md "the other one"

## Archived

- [login](.archive/login.md), [guide](https://example.com/guide.md), [root](/etc/plan.md)

` + "Not a link: `[gone](gone.md)`\n\n```\n[gone](gone.md)\n```\n\n<!-- [gone](gone.md) -->\n> [gone](gone.md)\n"

func splitPlan(t *testing.T) string {
	return folderOf(t, map[string]string{
		"specs/attachments.md":    "- [ ] an open question\n",
		"impl/README.md":          index,
		"impl/attachments.md":     "- [x] List attachments\n- [ ] Fetch one, then [permissions](sub/permissions.md)\n",
		"impl/sub/permissions.md": "- [ ] Ask who may, as in [attachments](../attachments.md) and [itself](permissions.md)\n",
		"impl/notes.md":           "- [ ] nobody links to me\n",
		"impl/.archive/login.md":  "- [x] log in\n",
		"impl/.hidden.md":         "- [ ] hidden\n",
		"impl/data.txt":           "- [ ] no markdown\n",
	})
}

func where(tasks Tasks) string {
	var b strings.Builder
	for _, t := range tasks {
		fmt.Fprintf(&b, "%s:%d %s\n", t.File, t.Line, t.Status)
	}
	return b.String()
}

func TestReadSplitPlan(t *testing.T) {
	dir := splitPlan(t)
	linked := "README.md:14 open\nattachments.md:1 done\nattachments.md:2 open\nsub/permissions.md:1 open\n"
	all := "README.md:14 open\nattachments.md:1 done\nattachments.md:2 open\nnotes.md:1 open\nsub/permissions.md:1 open\n"
	for _, tt := range []struct{ name, path, want string }{
		{"an index has the tasks of what it links to, and so on", "impl/README.md", linked},
		{"a folder has the tasks of all of its files", "impl", all},
		{"a file of any other name is a plan by itself", "impl/attachments.md", "attachments.md:1 done\nattachments.md:2 open\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tasks, err := Read(files.Anywhere(filepath.Join(dir, filepath.FromSlash(tt.path))))
			if got := where(tasks); err != nil || got != tt.want {
				t.Errorf("Read(%s) =\n%serror %v, want\n%s", tt.path, got, err, tt.want)
			}
		})
	}
}

func TestReadReadmeOfAProject(t *testing.T) {
	for _, mark := range []string{".git", "refrain.toml", ".refrain"} {
		dir := folderOf(t, map[string]string{
			"README.md": "[contributing](CONTRIBUTING.md), [guide](docs/guide.md)\n\n- [ ] a\n", "docs/guide.md": "- [ ] b\n", mark: "",
		})
		tasks, err := Read(files.Anywhere(filepath.Join(dir, "README.md")))
		if got := where(tasks); err != nil || got != "README.md:3 open\n" {
			t.Errorf("beside %s: Read = %q, %v; want its own task only", mark, got, err)
		}
	}
}

func TestReadMissingPart(t *testing.T) {
	dir := folderOf(t, map[string]string{
		"README.md": "- [x] a\n\nThen [the first](part-1.md).\n", "part-1.md": "- [x] b\n\n[next](sub/part-2.md)\n",
	})
	for _, path := range []string{dir, filepath.Join(dir, "README.md")} {
		_, err := Read(files.Anywhere(path))
		var part *PartError
		if !errors.As(err, &part) || !errors.Is(err, fs.ErrNotExist) {
			t.Fatalf("Read(%s) = %v, want a *PartError", path, err)
		}
		if got, want := err.Error(), "plan "+path+": its part sub/part-2.md is missing (linked in part-1.md, line 3)"; got != want {
			t.Errorf("error %q, want %q", got, want)
		}
		if got, want := part.Hint(), "put sub/part-2.md there, or take the link to it out of part-1.md"; got != want {
			t.Errorf("hint %q, want %q", got, want)
		}
	}
}

func TestReadPartThatCannotBeRead(t *testing.T) {
	dir := folderOf(t, map[string]string{"plan/a.md": "- [x] a\n", "elsewhere.md": "- [ ] b\n", "plan/b.md/c.txt": ""})
	_, err := Read(files.Anywhere(filepath.Join(dir, "plan")))
	if err != nil {
		t.Fatalf("Read = %v; a folder is no part, whatever its name", err)
	}
	if err := os.Symlink(filepath.Join("..", "elsewhere.md"), filepath.Join(dir, "plan", "c.md")); err != nil {
		t.Skip(err)
	}
	_, err = Read(files.Anywhere(filepath.Join(dir, "plan")))
	var part *PartError
	if !errors.As(err, &part) || part.File != "c.md" {
		t.Fatalf("Read = %v, want a *PartError for the link out of the folder", err)
	}
	if got, want := part.Hint(), "make c.md a file that can be read, or take it out of the plan's folder"; got != want {
		t.Errorf("hint %q, want %q", got, want)
	}
}

func TestReadPlanBehindALink(t *testing.T) {
	dir := splitPlan(t)
	if err := os.Symlink(filepath.Join("impl", "README.md"), filepath.Join(dir, "PLAN.md")); err != nil {
		t.Skip(err)
	}
	tasks, err := Read(files.Anywhere(filepath.Join(dir, "PLAN.md")))
	if err != nil || len(tasks) != 4 {
		t.Errorf("Read = %d tasks, %v; want the 4 of the plan that it leads to", len(tasks), err)
	}
}

func TestReadFolderWithoutTasks(t *testing.T) {
	for name, list := range map[string]map[string]string{
		"an empty one": nil, "one without boxes": {"README.md": "# Plan\n[a](a.md)\n", "a.md": "soon\n"},
	} {
		var empty *EmptyError
		if _, err := Read(files.Anywhere(folderOf(t, list))); !errors.As(err, &empty) {
			t.Errorf("%s: Read = %v, want an *EmptyError", name, err)
		}
	}
}

func TestReadTooMuch(t *testing.T) {
	half := "- [x] a\n" + strings.Repeat(" ", maxSize/2)
	_, err := Read(files.Anywhere(folderOf(t, map[string]string{"a.md": half, "b.md": half})))
	var part *PartError
	if !errors.As(err, &part) || part.File != "b.md" || !strings.Contains(err.Error(), "the plan as a whole") {
		t.Errorf("Read = %v, want a *PartError for b.md, with which the plan is too large", err)
	}
}

func TestLostBetweenParts(t *testing.T) {
	before := Tasks{{File: "a.md", Section: "Tasks", Text: "add unit tests for login"}}
	for _, tt := range []struct {
		name  string
		after Task
		lost  int
	}{
		{"moved to another part", Task{File: "b.md", Text: "add unit tests for login"}, 0},
		{"reworded in its part", Task{File: "a.md", Section: "Tasks", Text: "add tests for login"}, 0},
		{"another one in another part", Task{File: "b.md", Section: "Tasks", Text: "add tests for login"}, 1},
	} {
		if got := len(Lost(before, Tasks{tt.after})); got != tt.lost {
			t.Errorf("%s: lost %d, want %d", tt.name, got, tt.lost)
		}
	}
}
