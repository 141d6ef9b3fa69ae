package git

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// noted is a repository with something of everything that is guarded.
func noted(t *testing.T) (folder, *Tree, Guarded) {
	f := newRepository(t)
	f.hook("pre-commit", "true")
	f.must(os.WriteFile(f.path(".git/hooks/off"), []byte("#!/bin/sh\n"), 0o644))
	f.write(".git/hooks/pre-commit.d/one", "one")
	f.write(".git/hooks/pre-push.sample", "an example")
	f.write(".git/info/exclude", "private\n")
	f.write(".git/info/attributes", "*.bin -text\n")
	f.git("config", "remote.origin.url", "https://example.org/x")
	f.git("config", "core.autocrlf", "false")
	tree := f.open()
	was, err := tree.Guard().Files(t.Context())
	f.must(err)
	return f, tree, was
}

// guardedText is all that is guarded, as one text.
func (f folder) guardedText(git string) string {
	f.t.Helper()
	p := gitPlace{top: f.dir, dir: git, common: git}
	found, err := p.look(f.t.Context())
	f.must(err)
	var lines []string
	for name, note := range found {
		if _, text, ok := textOf(note); ok {
			note = note[:8] + string(text)
		}
		lines = append(lines, name+" "+note)
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestWhatGitDoesIsPutBack(t *testing.T) {
	t.Parallel()
	outside := filepath.Join(t.TempDir(), "outside")
	for _, tt := range []struct {
		name string
		act  func(folder)
		want []string
	}{
		{"nothing", func(folder) {}, nil},
		{"settings", func(f folder) {
			f.git("config", "core.hooksPath", "/evil")
			f.git("config", "filter.x.clean", "evil")
			f.git("config", "core.autocrlf", "true")
			f.git("config", "gc.recentObjectsHook", "evil")
		}, []string{"core.autocrlf", "core.hookspath", "filter.x.clean", "gc.recentobjectshook"}},
		{"a setting is taken out", func(f folder) { f.git("config", "--unset", "core.autocrlf") }, []string{"core.autocrlf"}},
		{"a setting is given twice", func(f folder) { f.git("config", "--add", "core.autocrlf", "true") }, []string{"core.autocrlf"}},
		{"another file is included", func(f folder) { f.git("config", "include.path", "/evil") }, []string{"include.path"}},
		{"settings that nobody can read", func(f folder) { f.write(".git/config", "[core\n") }, []string{"config"}},
		{"settings are deleted", func(f folder) { f.must(os.Remove(f.path(".git/config"))) }, []string{"config"}},
		{"settings of the work tree", func(f folder) { f.write(".git/config.worktree", "[core]\n\tbare = true\n") }, []string{"core.bare"}},
		{"a hook", func(f folder) { f.hook("pre-commit", "evil") }, []string{"hooks/pre-commit"}},
		{"a new hook", func(f folder) { f.hook("post-commit", "evil") }, []string{"hooks/post-commit"}},
		{"a hook is deleted", func(f folder) { f.must(os.Remove(f.path(".git/hooks/pre-commit"))) }, []string{"hooks/pre-commit"}},
		{"a hook is switched on", func(f folder) { f.must(os.Chmod(f.path(".git/hooks/off"), 0o755)) }, []string{"hooks/off"}},
		{"a file beside a hook", func(f folder) {
			f.write(".git/hooks/pre-commit.d/one", "evil")
			f.write(".git/hooks/pre-commit.d/two", "evil")
		}, []string{"hooks/pre-commit.d/one", "hooks/pre-commit.d/two"}},
		{"an example", func(f folder) { f.write(".git/hooks/pre-push.sample", "evil") }, nil},
		{"a huge hook", func(f folder) { f.hook("post-commit", strings.Repeat("#", 2*SmallFile)) }, []string{"hooks/post-commit"}},
		{
			"no hooks", func(f folder) { f.must(os.RemoveAll(f.path(".git/hooks"))) },
			[]string{"hooks", "hooks/off", "hooks/pre-commit", "hooks/pre-commit.d", "hooks/pre-commit.d/one"},
		},
		{"more hooks than anybody has", func(f folder) {
			for i := range maxGitFiles + 2 {
				f.must(os.WriteFile(f.path(".git/hooks/x"+strings.Repeat("y", i%200)+strings.Repeat("z", i/200)), nil, 0o600))
			}
		}, []string{"hooks", "hooks/off", "hooks/pre-commit", "hooks/pre-commit.d", "hooks/pre-commit.d/one"}},
		{"what is ignored", func(f folder) { f.write(".git/info/exclude", "private\n*_test.go\n") }, []string{"info/exclude"}},
		{"attributes", func(f folder) { f.must(os.Remove(f.path(".git/info/attributes"))) }, []string{"info/attributes"}},
		{"a folder becomes a link", func(f folder) {
			f.must(os.MkdirAll(outside, 0o700))
			f.must(os.RemoveAll(f.path(".git/info")))
			f.must(os.Symlink(outside, f.path(".git/info")))
		}, []string{"info", "info/attributes", "info/exclude"}},
		{"a file becomes a link", func(f folder) {
			f.must(os.Remove(f.path(".git/info/exclude")))
			f.must(os.Symlink(filepath.Join(outside, "x"), f.path(".git/info/exclude")))
		}, []string{"info/exclude"}},
		{"a file becomes a folder", func(f folder) {
			f.must(os.Remove(f.path(".git/config")))
			f.write(".git/config/x", "x")
		}, []string{"config"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, tree, was := noted(t)
			before := f.guardedText(f.path(".git"))
			tt.act(f)
			done, err := tree.Guard().PutBack(t.Context(), was)
			f.must(err)
			if !slices.Equal(done.What, tt.want) || done.Lost {
				t.Errorf("PutBack = %+v, want %q", done, tt.want)
			}
			if got := f.guardedText(f.path(".git")); got != before {
				t.Errorf("it is now\n%s\nand was\n%s", got, before)
			}
			if again, err := tree.Guard().PutBack(t.Context(), was); err != nil || len(again.What) > 0 {
				t.Errorf("a second time PutBack = %+v, %v", again, err)
			}
			if entries, _ := os.ReadDir(outside); len(entries) > 0 {
				t.Errorf("outside there is %v", entries)
			}
		})
	}
}

// What work of every day changes stays, beside what is put back.
func TestSettingsOfEveryDayStay(t *testing.T) {
	t.Parallel()
	work := func(f folder) {
		f.git("config", "user.name", "Somebody")
		f.git("config", "gc.auto", "0")
		f.git("branch", "other")
		f.git("config", "branch.other.merge", "refs/heads/other")
		f.git("config", "submodule.lib.active", "true")
		f.git("remote", "set-url", "origin", "https://example.org/y")
		f.git("remote", "add", "fork", "https://example.org/z")
	}
	stays := func(f folder) {
		for key, want := range map[string]string{
			"user.name": "Somebody", "gc.auto": "0", "branch.other.merge": "refs/heads/other", "submodule.lib.active": "true", "remote.origin.url": "https://example.org/y",
			"remote.fork.url": "https://example.org/z", "remote.fork.fetch": "+refs/heads/*:refs/remotes/fork/*",
		} {
			if got := f.output("config", "--get-all", key); got != want {
				f.t.Errorf("%s = %q, want %q", key, got, want)
			}
		}
	}
	f, tree, was := noted(t)
	work(f)
	text := f.read(".git/config")
	done, err := tree.Guard().PutBack(t.Context(), was)
	f.must(err)
	if len(done.What) > 0 || f.read(".git/config") != text {
		t.Errorf("PutBack = %+v of what may change", done)
	}
	f.git("config", "core.hooksPath", "/evil")
	f.git("config", "remote.fork.uploadpack", "evil")
	done, err = tree.Guard().PutBack(t.Context(), was)
	f.must(err)
	if want := []string{"core.hookspath", "remote.fork.uploadpack"}; !slices.Equal(done.What, want) {
		t.Errorf("PutBack = %+v, want %q", done, want)
	}
	stays(f)
	for _, key := range []string{"core.hooksPath", "remote.fork.uploadpack"} {
		f.gitFails("config", "--get", key)
	}
}

// Nothing is put into a repository that is not the one of the start.
func TestNothingIsPutIntoAnotherRepository(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(folder){
		"deleted": func(f folder) { f.must(os.RemoveAll(f.path(".git"))) },
		"made anew": func(f folder) {
			f.must(os.RemoveAll(f.path(".git")))
			f.git("init", "-q", "--template=")
		},
		"a copy": func(f folder) {
			f.must(os.Rename(f.path(".git"), f.path("old")))
			f.must(os.CopyFS(f.path(".git"), os.DirFS(f.path("old"))))
			f.hook("pre-commit", "evil")
		},
		"without a HEAD": func(f folder) { f.must(os.Remove(f.path(".git/HEAD"))) },
		"a file": func(f folder) {
			f.must(os.RemoveAll(f.path(".git")))
			f.write(".git", "gitdir: elsewhere\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, tree, was := noted(t)
			act(f)
			before := f.snapshot()
			done, err := tree.Guard().PutBack(t.Context(), was)
			f.must(err)
			if !done.Lost || len(done.What) > 0 {
				t.Errorf("PutBack = %+v, want that it is lost", done)
			}
			if got := f.snapshot(); got != before {
				t.Errorf("it is now\n%s\nand was\n%s", got, before)
			}
		})
	}
}

// In a linked work tree the settings are elsewhere, and a file leads there.
func TestALinkedWorkTreeIsGuarded(t *testing.T) {
	t.Parallel()
	main := newRepository(t)
	f := folder{t, filepath.Join(t.TempDir(), "linked")}
	main.git("worktree", "add", "-q", f.dir, "-b", "linked")
	link := f.read(".git")
	tree := f.open()
	was, err := tree.Guard().Files(t.Context())
	f.must(err)
	other := newRepository(t)
	f.write(".git", "gitdir: "+other.path(".git")+"\n")
	main.hook("pre-commit", "evil")
	done, err := tree.Guard().PutBack(t.Context(), was)
	f.must(err)
	if want := []string{".git", "hooks/pre-commit"}; !slices.Equal(done.What, want) && !slices.Equal(done.What, []string{".git", "hooks", "hooks/pre-commit"}) {
		t.Errorf("PutBack = %+v, want %q", done, want)
	}
	if got := f.read(".git"); got != link {
		t.Errorf(".git = %q, and was %q", got, link)
	}
	if main.exists(".git/hooks/pre-commit") {
		t.Error("the hook is there")
	}
	if entry := other.exists(".git/hooks/pre-commit"); entry {
		t.Error("the other repository was written to")
	}
}

func TestWithoutGitThereIsNothingToGuard(t *testing.T) {
	t.Parallel()
	f := newFolder(t)
	was, err := f.open().Guard().Files(t.Context())
	if was != nil || err != nil {
		t.Errorf("GitFiles = %v, %v", was, err)
	}
	if done, err := f.open().Guard().PutBack(t.Context(), nil); err != nil || done.Lost || done.What != nil {
		t.Errorf("PutBack = %+v, %v", done, err)
	}
}

// A password in the settings stays hidden from others.
func TestSettingsKeepTheirPermissions(t *testing.T) {
	t.Parallel()
	f, tree, was := noted(t)
	f.must(os.Chmod(f.path(".git/config"), 0o600))
	f.git("config", "core.fsmonitor", "evil")
	if _, err := tree.Guard().PutBack(t.Context(), was); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(f.path(".git/config"))
	if err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("the settings have %v, %v, want 0600", info.Mode(), err)
	}
}

// earlierNotes are notes in the words of the version before: an inode and a time
// for each of two folders, and no place.
func earlierNotes(t *testing.T, was Guarded) Guarded {
	t.Helper()
	now := maps.Clone(was)
	delete(now, gitAt)
	var list []string
	for _, id := range strings.Fields(was[gitIdentity]) {
		var inode, sec, nano int64
		switch n, _ := fmt.Sscanf(id, "%d-%d.%d", &inode, &sec, &nano); n {
		case 3:
			nano += sec * 1e9
		case 2:
			nano = sec
		}
		list = append(list, fmt.Sprintf("%d %d", inode, nano))
	}
	if now[gitIdentity] = strings.Join(list, " "); len(list) != 2 || now[gitIdentity] == was[gitIdentity] {
		t.Fatalf("the identity is %q", was[gitIdentity])
	}
	return now
}

func TestNotesOfAnEarlierVersionSpeakOfThisRepository(t *testing.T) {
	t.Parallel()
	f, tree, today := noted(t)
	was := earlierNotes(t, today)
	f.hook("post-commit", "evil")
	done, err := tree.Guard().PutBack(t.Context(), was)
	f.must(err)
	if want := []string{"hooks/post-commit"}; !slices.Equal(done.What, want) || done.Lost {
		t.Errorf("PutBack = %+v, want %q", done, want)
	}
	f.hook("post-commit", "evil")
	now, other, err := tree.Guard().Rehome(t.Context(), was)
	f.must(err)
	if !maps.Equal(now, today) || other {
		t.Errorf("Rehome = %v, other: %v, want what is noted today: %v", now, other, today)
	}

	// Another repository is another one, in whatever words.
	f.must(os.Rename(f.path(".git"), f.path("old")))
	f.must(os.CopyFS(f.path(".git"), os.DirFS(f.path("old"))))
	now, other, err = tree.Guard().Rehome(t.Context(), was)
	f.must(err)
	if !maps.Equal(now, was) || other {
		t.Errorf("of a copy in its place Rehome = %v, other: %v, want the notes as they are", now, other)
	}
	for _, notes := range []Guarded{was, today} {
		if done, err := tree.Guard().PutBack(t.Context(), notes); err != nil || !done.Lost {
			t.Errorf("of a copy in its place PutBack = %+v, %v, want that it is lost", done, err)
		}
	}
}

// A runner that is killed while it puts a file back leaves the half of it, which is
// nobody's hook.
func TestHalfAFileThatWasPutBackIsRemoved(t *testing.T) {
	t.Parallel()
	halves := []string{"config.refrain", "config.worktree.refrain", "info/exclude.refrain", "info/attributes.refrain", "hooks/pre-commit.refrain", "hooks/pre-commit.d/one.refrain"}
	for name, look := range map[string]func(f folder, tree *Tree, was Guarded){
		"by the next look": func(f folder, tree *Tree, was Guarded) {
			done, err := tree.Guard().PutBack(t.Context(), was)
			f.must(err)
			if len(done.What) > 0 || done.Lost {
				t.Errorf("PutBack = %+v, want that it tells nothing", done)
			}
		},
		"by the next run": func(f folder, tree *Tree, was Guarded) {
			now, err := tree.Guard().Files(t.Context())
			f.must(err)
			if changed := now.Against(was); len(changed) > 0 {
				t.Errorf("GitFiles also notes %q", changed)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, tree, was := noted(t)
			for _, half := range halves {
				f.write(".git/"+half, "half")
			}
			look(f, tree, was)
			for _, half := range halves {
				if f.exists(".git/" + half) {
					t.Errorf("%s is still there", half)
				}
			}
		})
	}

	main := newRepository(t)
	f := folder{t, filepath.Join(t.TempDir(), "linked")}
	main.git("worktree", "add", "-q", f.dir, "-b", "linked")
	tree := f.open()
	was, err := tree.Guard().Files(t.Context())
	f.must(err)
	f.write(".git.refrain", "half")
	if done, err := tree.Guard().PutBack(t.Context(), was); err != nil || len(done.What) > 0 || f.exists(".git.refrain") {
		t.Errorf("in a linked work tree PutBack = %+v, %v, and it is there: %v", done, err, f.exists(".git.refrain"))
	}
}
