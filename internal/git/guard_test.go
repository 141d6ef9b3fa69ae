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
	f.Must(os.WriteFile(f.Path(".git/hooks/off"), []byte("#!/bin/sh\n"), 0o644))
	f.Write(".git/hooks/pre-commit.d/one", "one")
	f.Write(".git/hooks/pre-push.sample", "an example")
	f.Write(".git/info/exclude", "private\n")
	f.Write(".git/info/attributes", "*.bin -text\n")
	f.Git("config", "remote.origin.url", "https://example.org/x")
	f.Git("config", "core.autocrlf", "false")
	tree := f.open()
	was, err := tree.Guard().Files(t.Context())
	f.Must(err)
	return f, tree, was
}

// guardedText is all that is guarded, as one text.
func (f folder) guardedText(git string) string {
	f.T.Helper()
	p := gitPlace{top: f.Dir, dir: git, common: git}
	found, err := p.look(f.T.Context())
	f.Must(err)
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
		{"links where git writes", func(f folder) {
			for _, name := range []string{".git/index", ".git/logs/HEAD"} {
				f.Must(os.Remove(f.Path(name)))
				f.Must(os.Symlink(outside, f.Path(name)))
			}
			f.Must(os.Symlink("HEAD", f.Path(".git/same"))) // which leads nowhere else
		}, []string{"index (a link that leads out, removed)", "logs/HEAD (a link that leads out, removed)"}},
		{"another repository for the rest", func(f folder) { f.Write(".git/commondir", outside) }, []string{"commondir"}},
		{"settings", func(f folder) {
			f.Git("config", "core.hooksPath", "/evil")
			f.Git("config", "filter.x.clean", "evil")
			f.Git("config", "core.autocrlf", "true")
			f.Git("config", "gc.recentObjectsHook", "evil")
		}, []string{"core.autocrlf", "core.hookspath", "filter.x.clean", "gc.recentobjectshook"}},
		{"a setting is taken out", func(f folder) { f.Git("config", "--unset", "core.autocrlf") }, []string{"core.autocrlf"}},
		{"a setting is given twice", func(f folder) { f.Git("config", "--add", "core.autocrlf", "true") }, []string{"core.autocrlf"}},
		{"another file is included", func(f folder) { f.Git("config", "include.path", "/evil") }, []string{"include.path"}},
		{"settings that nobody can read", func(f folder) { f.Write(".git/config", "[core\n") }, []string{"config"}},
		{"settings are deleted", func(f folder) { f.Must(os.Remove(f.Path(".git/config"))) }, []string{"config"}},
		{"settings of the work tree", func(f folder) { f.Write(".git/config.worktree", "[core]\n\tbare = true\n") }, []string{"core.bare"}},
		{"a hook", func(f folder) { f.hook("pre-commit", "evil") }, []string{"hooks/pre-commit"}},
		{"a new hook", func(f folder) { f.hook("post-commit", "evil") }, []string{"hooks/post-commit"}},
		{"a hook is deleted", func(f folder) { f.Must(os.Remove(f.Path(".git/hooks/pre-commit"))) }, []string{"hooks/pre-commit"}},
		{"a hook is switched on", func(f folder) { f.Must(os.Chmod(f.Path(".git/hooks/off"), 0o755)) }, []string{"hooks/off"}},
		{"a file beside a hook", func(f folder) {
			f.Write(".git/hooks/pre-commit.d/one", "evil")
			f.Write(".git/hooks/pre-commit.d/two", "evil")
		}, []string{"hooks/pre-commit.d/one", "hooks/pre-commit.d/two"}},
		{"an example", func(f folder) { f.Write(".git/hooks/pre-push.sample", "evil") }, nil},
		{"a huge hook", func(f folder) { f.hook("post-commit", strings.Repeat("#", 2*SmallFile)) }, []string{"hooks/post-commit"}},
		{
			"no hooks", func(f folder) { f.Must(os.RemoveAll(f.Path(".git/hooks"))) },
			[]string{"hooks", "hooks/off", "hooks/pre-commit", "hooks/pre-commit.d", "hooks/pre-commit.d/one"},
		},
		{"more hooks than anybody has", func(f folder) {
			for i := range maxGitFiles + 2 {
				f.Must(os.WriteFile(f.Path(".git/hooks/x"+strings.Repeat("y", i%200)+strings.Repeat("z", i/200)), nil, 0o600))
			}
		}, []string{"hooks", "hooks/off", "hooks/pre-commit", "hooks/pre-commit.d", "hooks/pre-commit.d/one"}},
		{"what is ignored", func(f folder) { f.Write(".git/info/exclude", "private\n*_test.go\n") }, []string{"info/exclude"}},
		{"attributes", func(f folder) { f.Must(os.Remove(f.Path(".git/info/attributes"))) }, []string{"info/attributes"}},
		{"a folder becomes a link", func(f folder) {
			f.Must(os.MkdirAll(outside, 0o700))
			f.Must(os.RemoveAll(f.Path(".git/info")))
			f.Must(os.Symlink(outside, f.Path(".git/info")))
		}, []string{"info", "info/attributes", "info/exclude"}},
		{"a file becomes a link", func(f folder) {
			f.Must(os.Remove(f.Path(".git/info/exclude")))
			f.Must(os.Symlink(filepath.Join(outside, "x"), f.Path(".git/info/exclude")))
		}, []string{"info/exclude"}},
		{"a file becomes a folder", func(f folder) {
			f.Must(os.Remove(f.Path(".git/config")))
			f.Write(".git/config/x", "x")
		}, []string{"config"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, tree, was := noted(t)
			before := f.guardedText(f.Path(".git"))
			tt.act(f)
			done, err := tree.Guard().PutBack(t.Context(), was)
			f.Must(err)
			if !slices.Equal(done.What, tt.want) || done.Lost {
				t.Errorf("PutBack = %+v, want %q", done, tt.want)
			}
			if got := f.guardedText(f.Path(".git")); got != before {
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
		f.Git("config", "user.name", "Somebody")
		f.Git("config", "gc.auto", "0")
		f.Git("branch", "other")
		f.Git("config", "branch.other.merge", "refs/heads/other")
		f.Git("config", "submodule.lib.active", "true")
		f.Git("remote", "set-url", "origin", "https://example.org/y")
		f.Git("remote", "add", "fork", "https://example.org/z")
	}
	stays := func(f folder) {
		for key, want := range map[string]string{
			"user.name": "Somebody", "gc.auto": "0", "branch.other.merge": "refs/heads/other", "submodule.lib.active": "true", "remote.origin.url": "https://example.org/y",
			"remote.fork.url": "https://example.org/z", "remote.fork.fetch": "+refs/heads/*:refs/remotes/fork/*",
		} {
			if got := f.Output("config", "--get-all", key); got != want {
				f.T.Errorf("%s = %q, want %q", key, got, want)
			}
		}
	}
	f, tree, was := noted(t)
	work(f)
	text := f.Read(".git/config")
	done, err := tree.Guard().PutBack(t.Context(), was)
	f.Must(err)
	if len(done.What) > 0 || f.Read(".git/config") != text {
		t.Errorf("PutBack = %+v of what may change", done)
	}
	f.Git("config", "core.hooksPath", "/evil")
	f.Git("config", "remote.fork.uploadpack", "evil")
	done, err = tree.Guard().PutBack(t.Context(), was)
	f.Must(err)
	if want := []string{"core.hookspath", "remote.fork.uploadpack"}; !slices.Equal(done.What, want) {
		t.Errorf("PutBack = %+v, want %q", done, want)
	}
	stays(f)
	for _, key := range []string{"core.hooksPath", "remote.fork.uploadpack"} {
		f.GitFails("config", "--get", key)
	}
}

// Nothing is put into a repository that is not the one of the start.
func TestNothingIsPutIntoAnotherRepository(t *testing.T) {
	t.Parallel()
	for name, act := range map[string]func(folder){
		"deleted": func(f folder) { f.Must(os.RemoveAll(f.Path(".git"))) },
		"made anew": func(f folder) {
			f.Must(os.RemoveAll(f.Path(".git")))
			f.Git("init", "-q", "--template=")
		},
		"a copy": func(f folder) {
			f.Must(os.Rename(f.Path(".git"), f.Path("old")))
			f.Must(os.CopyFS(f.Path(".git"), os.DirFS(f.Path("old"))))
			f.hook("pre-commit", "evil")
		},
		"without a HEAD": func(f folder) { f.Must(os.Remove(f.Path(".git/HEAD"))) },
		"a file": func(f folder) {
			f.Must(os.RemoveAll(f.Path(".git")))
			f.Write(".git", "gitdir: elsewhere\n")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f, tree, was := noted(t)
			act(f)
			before := f.Snapshot()
			done, err := tree.Guard().PutBack(t.Context(), was)
			f.Must(err)
			if !done.Lost || len(done.What) > 0 {
				t.Errorf("PutBack = %+v, want that it is lost", done)
			}
			if got := f.Snapshot(); got != before {
				t.Errorf("it is now\n%s\nand was\n%s", got, before)
			}
		})
	}
}

// In a linked work tree the settings are elsewhere, and a file leads there.
func TestALinkedWorkTreeIsGuarded(t *testing.T) {
	t.Parallel()
	main := newRepository(t)
	f := folderAt(t, filepath.Join(t.TempDir(), "linked"))
	main.Git("worktree", "add", "-q", f.Dir, "-b", "linked")
	link := f.Read(".git")
	tree := f.open()
	was, err := tree.Guard().Files(t.Context())
	f.Must(err)
	other := newRepository(t)
	f.Write(".git", "gitdir: "+other.Path(".git")+"\n")
	main.hook("pre-commit", "evil")
	done, err := tree.Guard().PutBack(t.Context(), was)
	f.Must(err)
	if want := []string{".git", "hooks/pre-commit"}; !slices.Equal(done.What, want) && !slices.Equal(done.What, []string{".git", "hooks", "hooks/pre-commit"}) {
		t.Errorf("PutBack = %+v, want %q", done, want)
	}
	if got := f.Read(".git"); got != link {
		t.Errorf(".git = %q, and was %q", got, link)
	}
	if main.Exists(".git/hooks/pre-commit") {
		t.Error("the hook is there")
	}
	if entry := other.Exists(".git/hooks/pre-commit"); entry {
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
	f.Must(os.Chmod(f.Path(".git/config"), 0o600))
	f.Git("config", "core.fsmonitor", "evil")
	if _, err := tree.Guard().PutBack(t.Context(), was); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(f.Path(".git/config"))
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
	f.Must(err)
	if want := []string{"hooks/post-commit"}; !slices.Equal(done.What, want) || done.Lost {
		t.Errorf("PutBack = %+v, want %q", done, want)
	}
	f.hook("post-commit", "evil")
	now, other, err := tree.Guard().Rehome(t.Context(), was)
	f.Must(err)
	if !maps.Equal(now, today) || other {
		t.Errorf("Rehome = %v, other: %v, want what is noted today: %v", now, other, today)
	}

	// Another repository is another one, in whatever words.
	f.Must(os.Rename(f.Path(".git"), f.Path("old")))
	f.Must(os.CopyFS(f.Path(".git"), os.DirFS(f.Path("old"))))
	now, other, err = tree.Guard().Rehome(t.Context(), was)
	f.Must(err)
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
			f.Must(err)
			if len(done.What) > 0 || done.Lost {
				t.Errorf("PutBack = %+v, want that it tells nothing", done)
			}
		},
		"by the next run": func(f folder, tree *Tree, was Guarded) {
			now, err := tree.Guard().Files(t.Context())
			f.Must(err)
			if changed := now.Against(was); len(changed) > 0 {
				t.Errorf("GitFiles also notes %q", changed)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, tree, was := noted(t)
			for _, half := range halves {
				f.Write(".git/"+half, "half")
			}
			look(f, tree, was)
			for _, half := range halves {
				if f.Exists(".git/" + half) {
					t.Errorf("%s is still there", half)
				}
			}
		})
	}

	main := newRepository(t)
	f := folderAt(t, filepath.Join(t.TempDir(), "linked"))
	main.Git("worktree", "add", "-q", f.Dir, "-b", "linked")
	tree := f.open()
	was, err := tree.Guard().Files(t.Context())
	f.Must(err)
	f.Write(".git.refrain", "half")
	if done, err := tree.Guard().PutBack(t.Context(), was); err != nil || len(done.What) > 0 || f.Exists(".git.refrain") {
		t.Errorf("in a linked work tree PutBack = %+v, %v, and it is there: %v", done, err, f.Exists(".git.refrain"))
	}
}
