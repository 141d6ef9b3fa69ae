//go:build unix

package hook

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

// put writes a file into the folder of hooks and gives its path.
func put(t *testing.T, tree, name, text string, mode os.FileMode) string {
	t.Helper()
	path := filepath.Join(tree, Folder, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestFind(t *testing.T) {
	const program = "#!/bin/sh\n"
	file := func(name string) func(*testing.T, string) {
		return func(t *testing.T, tree string) { put(t, tree, name, program, 0o755) }
	}
	plain := func(name string) func(*testing.T, string) {
		return func(t *testing.T, tree string) { put(t, tree, name, program, 0o644) }
	}
	folder := func(name string) func(*testing.T, string) {
		return func(t *testing.T, tree string) { put(t, tree, name+"/file", "", 0o644) }
	}
	link := func(to string) func(*testing.T, string) {
		return func(t *testing.T, tree string) {
			dir := filepath.Dir(put(t, tree, "helper", program, 0o755))
			if err := os.Symlink(to, filepath.Join(dir, "started")); err != nil {
				t.Fatal(err)
			}
		}
	}
	both := func(files ...func(*testing.T, string)) func(*testing.T, string) {
		return func(t *testing.T, tree string) {
			for _, f := range files {
				f(t, tree)
			}
		}
	}
	for _, tt := range []struct {
		name     string
		files    func(*testing.T, string)
		commands map[Point]Command
		found    []Point
		warnings []loop.Warning
	}{
		{"nothing is there", both(), nil, nil, nil},
		{"a file", file("started"), nil, []Point{Started}, nil},
		{
			"all five", both(file("started"), file("next_iteration"), file("post_iteration"), file("failed"), file("finished")), nil,
			Points(), nil,
		},
		{"a command", both(), map[Point]Command{Failed: {Line: "true"}}, []Point{Failed}, nil},
		{"an empty command is none", file("failed"), map[Point]Command{Failed: {Line: ""}, Finished: {Line: " "}}, []Point{Failed}, nil},
		{"a file that a command calls", plain("failed"), map[Point]Command{Failed: {Line: "sh .refrain/hooks/failed"}}, []Point{Failed}, nil},
		{"a script that a hook calls", both(file("started"), file("started.py")), nil, []Point{Started}, nil},
		{"samples, helpers and notes", both(file("started.sample"), folder("custom"), plain("README.md"), file("finished~")), nil, nil, nil},
		{"a link to a program", link("helper"), nil, []Point{Started}, nil},
		{"a link that leads nowhere", link("gone"), nil, nil, []loop.Warning{
			{Text: ".refrain/hooks/started is not run: it is a link that leads nowhere", Hint: "mend the link, or take it away"},
		}},
		{"not executable", both(plain("finished"), file("started")), nil, []Point{Started}, []loop.Warning{
			{Text: ".refrain/hooks/finished is not run: it is not executable", Hint: "chmod +x .refrain/hooks/finished"},
		}},
		{"not executable, and its like", both(plain("finished"), file("finish")), nil, nil, []loop.Warning{
			{Text: ".refrain/hooks/finished is not run: it is not executable", Hint: "chmod +x .refrain/hooks/finished"},
		}},
		{"a folder", folder("failed"), nil, nil, []loop.Warning{{
			Text: ".refrain/hooks/failed is not run: it is a folder",
			Hint: "a hook is a program with this name; helpers of hooks can be in a folder with another one",
		}}},
		{"a folder that is misspelt is no hook", folder("start"), nil, nil, nil},
		{"a pipe", func(t *testing.T, tree string) {
			path := put(t, tree, "failed", "", 0o755)
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := syscall.Mkfifo(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}, nil, nil, []loop.Warning{
			{Text: ".refrain/hooks/failed is not run: it is not a file", Hint: "a hook is a program with this name"},
		}},
		{"misspelt", both(file("finish.sh"), file("pre_iteration")), nil, nil, []loop.Warning{
			{
				Text: ".refrain/hooks/finish.sh is not run: no hook has this name",
				Hint: "did you mean finished? Then rename it to that, or set hooks.run.finished",
			},
			{
				Text: ".refrain/hooks/pre_iteration is not run: no hook has this name",
				Hint: "did you mean next_iteration? Then rename it to that, or set hooks.run.next_iteration",
			},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tree := t.TempDir()
			tt.files(t, tree)
			set, warnings := Find(tree, tt.commands, true)
			found := slices.DeleteFunc(Points(), func(p Point) bool { return !set.Has(p) })
			if !slices.Equal(found, tt.found) {
				t.Errorf("found %q, want %q", found, tt.found)
			}
			if diff := cmp.Diff(tt.warnings, warnings); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			if set, warnings := Find(tree, tt.commands, false); len(set.hooks) != 0 || warnings != nil {
				t.Errorf("switched off, found %v and %v", set, warnings)
			}
		})
	}
}

func TestFindWhereTheFolderIsAFile(t *testing.T) {
	tree := t.TempDir()
	if err := os.Mkdir(filepath.Join(tree, ".refrain"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, Folder), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	set, warnings := Find(tree, map[Point]Command{Failed: {Line: "true"}}, true)
	if !set.Has(Failed) || len(warnings) != 1 || !strings.HasPrefix(warnings[0].Text, "the hooks are not run: ") {
		t.Errorf("found %v, warnings %v", set, warnings)
	}
}
