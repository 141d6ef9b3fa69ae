package git

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// atHomeWith gives the user settings of git: a file in a home of their own.
func atHomeWith(t *testing.T, config string) (home string) {
	t.Helper()
	home = t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	global := os.Getenv("GIT_CONFIG_GLOBAL")
	if err := os.Unsetenv("GIT_CONFIG_GLOBAL"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Setenv("GIT_CONFIG_GLOBAL", global) })
	writeAt(t, filepath.Join(home, ".gitconfig"), config)
	return home
}

func writeAt(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
}

// asNoted is a tree whose git reads the user's settings as they are now.
func (f folder) asNoted() (*Tree, string, Guarded) {
	f.T.Helper()
	tree := f.open()
	was, err := tree.Guard().UserSettings(f.T.Context())
	f.Must(err)
	at := filepath.Join(f.T.TempDir(), "gitconfig")
	f.Must(tree.Guard().UseSettings(f.T.Context(), at, was))
	return tree, at, was
}

func (f folder) setting(tree *Tree, key string) string {
	f.T.Helper()
	said, err := tree.git.line(f.T.Context(), Command{}, "config", "--get", key)
	f.Must(err)
	return said
}

func TestTheUsersSettingsAreThoseOfTheStart(t *testing.T) {
	f := newRepository(t)
	f.Git("config", "x.here", "of the repository")
	home := atHomeWith(t, `[X]
	Plain = a b
	here = of the user
	empty =
	alone
	quoted = "a\"b\\c # d ; e\tf\n  g "
	many = 1
	many = 2
[x "Sub \"section\" \\ Ü.y"]
	name = in a section
[url "https://example.org/"]
	insteadOf = e:
[include]
	path = more
[includeIf "gitdir:`+filepath.ToSlash(f.Dir)+`/"]
	path = here
[includeIf "gitdir:/elsewhere/"]
	path = there
`)
	writeAt(t, filepath.Join(home, "more"), "[x]\n\tmore = included\n")
	writeAt(t, filepath.Join(home, "here"), "[x]\n\tifhere = included\n")
	writeAt(t, filepath.Join(home, "there"), "[x]\n\tifthere = included\n")
	writeAt(t, filepath.Join(home, ".config", "git", "config"), "[x]\n\txdg = read\n\tplain = weaker\n")
	was, err := f.open().git.everySetting(t.Context())
	f.Must(err)

	tree, at, noted := f.asNoted()
	writeAt(t, filepath.Join(home, ".gitconfig"), "[x]\n\tplain = evil\n\tnew = evil\n")
	writeAt(t, filepath.Join(home, "more"), "[x]\n\tmore = evil\n")
	writeAt(t, filepath.Join(home, ".config", "git", "config"), "[x]\n\txdg = evil\n")
	now, err := tree.git.everySetting(t.Context())
	f.Must(err)
	mine := func(all []scopedSetting) (list []string) {
		for _, s := range all {
			if strings.HasPrefix(s.key, "x.") || strings.HasPrefix(s.key, "url.") {
				list = append(list, s.key+" "+s.value)
			}
		}
		return list
	}
	if got, want := mine(now), mine(was); !slices.Equal(got, want) || len(want) < 12 {
		t.Errorf("git reads\n%q, want as at the start\n%q", got, want)
	}
	if got := f.setting(tree, "x.here"); got != "of the repository" {
		t.Errorf("x.here = %q, want what the repository says", got)
	}

	strange, err := StrangeSettings(t.Context(), noted)
	f.Must(err)
	want := []string{filepath.Join(home, ".config", "git", "config"), filepath.Join(home, ".gitconfig"), filepath.Join(home, "more")}
	if !slices.Equal(strange, want) {
		t.Errorf("StrangeSettings = %q, want %q", strange, want)
	}

	// The file itself is no way around it, nor is something else in its place.
	writeAt(t, at, "[x]\n\tplain = evil\n")
	if got := f.setting(tree, "x.plain"); got != "a b" {
		t.Errorf("x.plain = %q after somebody wrote to the copy", got)
	}
	f.Must(os.Remove(at))
	f.Must(os.MkdirAll(filepath.Join(at, "folder"), 0o700))
	f.Must(os.Symlink(filepath.Join(home, "more"), at+".tmp"))
	if got := f.setting(tree, "x.plain"); got != "a b" {
		t.Errorf("x.plain = %q after somebody put a folder there", got)
	}
	if text, err := os.ReadFile(filepath.Join(home, "more")); err != nil || string(text) != "[x]\n\tmore = evil\n" {
		t.Errorf("a link in our way was written through: %q, %v", text, err)
	}
}

func TestOneWhoHasNoSettingsGetsNone(t *testing.T) {
	f := newRepository(t)
	home := atHomeWith(t, "")
	f.Must(os.Remove(filepath.Join(home, ".gitconfig")))
	tree, _, was := f.asNoted()
	if strange, err := StrangeSettings(t.Context(), was); err != nil || len(strange) > 0 {
		t.Errorf("StrangeSettings = %q, %v before anything happened", strange, err)
	}
	writeAt(t, filepath.Join(home, ".gitconfig"), "[user]\n\tname = Evil\n")
	if got := f.setting(tree, "user.name"); got != "" {
		t.Errorf("user.name = %q", got)
	}
	strange, err := StrangeSettings(t.Context(), was)
	f.Must(err)
	if want := []string{filepath.Join(home, ".gitconfig")}; !slices.Equal(strange, want) {
		t.Errorf("StrangeSettings = %q, want %q", strange, want)
	}
	plain := newFolder(t).open()
	if notes, err := plain.Guard().UserSettings(t.Context()); notes != nil || err != nil {
		t.Errorf("without git UserSettings = %v, %v", notes, err)
	}
}

// A git that does not read the copy reads what it would without us, the
// settings of the system too.
func TestAnOldGitReadsAllSettings(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the old git is a shell script")
	}
	f := newRepository(t)
	home := atHomeWith(t, "[x]\n\ty = user\n")
	system := filepath.Join(home, "system")
	writeAt(t, system, "[x]\n\tz = system\n")
	t.Setenv("GIT_CONFIG_SYSTEM", system)
	t.Setenv("GIT_CONFIG_NOSYSTEM", "0")
	git, err := exec.LookPath("git")
	f.Must(err)
	writeAt(t, filepath.Join(home, "bin", "git"), "#!/bin/sh\nunset GIT_CONFIG_GLOBAL\nexec '"+git+"' \"$@\"\n")
	t.Setenv("PATH", filepath.Join(home, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))

	tree := f.open()
	was, err := tree.Guard().UserSettings(t.Context())
	f.Must(err)
	if err := tree.Guard().UseSettings(t.Context(), filepath.Join(t.TempDir(), "gitconfig"), was); err == nil || !strings.Contains(err.Error(), "older than 2.32") {
		t.Errorf("UseSettings = %v, want that git is too old", err)
	}
	for key, want := range map[string]string{"x.y": "user", "x.z": "system"} {
		if got := f.setting(tree, key); got != want {
			t.Errorf("%s = %q, want %q", key, got, want)
		}
	}
}

func TestTreesMadeFromOneShareItsSettings(t *testing.T) {
	f := newRepository(t)
	home := atHomeWith(t, "[x]\n\ty = start\n")
	tree := f.open()
	later := tree.Through(tree.git.exec)
	was, err := tree.Guard().UserSettings(t.Context())
	f.Must(err)
	f.Must(tree.Guard().UseSettings(t.Context(), filepath.Join(t.TempDir(), "gitconfig"), was))
	writeAt(t, filepath.Join(home, ".gitconfig"), "[x]\n\ty = evil\n")
	if got := f.setting(later, "x.y"); got != "start" {
		t.Errorf("x.y = %q, want what it was at the start", got)
	}
}

func TestWhatACommitRunsIsNoted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no bits to execute, and links are not for everybody")
	}
	f := newRepository(t)
	home := atHomeWith(t, "[gpg]\n\tprogram = ~/bin/sign\n[filter \"x\"]\n\tclean = sh \"$HOME/none\" ~/filter.sh %f\n[core]\n\teditor = ~/editor\n")
	writeAt(t, filepath.Join(home, "bin", "sign"), "sign")
	writeAt(t, filepath.Join(home, "filter.sh"), "filter")
	writeAt(t, filepath.Join(home, "editor"), "editor")
	outside := filepath.Join(t.TempDir(), "outside")
	writeAt(t, outside, "linked")
	f.hook("pre-commit", "true")
	f.Write(".git/hooks/pre-push.sample", "an example")
	f.Must(os.Symlink(outside, f.Path(".git/hooks/commit-msg")))
	f.Write("hooks/_/pre-commit", "called")
	f.Write("hooks/_/h/deep", "called by that")
	f.Write("hooks/pre-commit", "the user's")
	f.Write("hooks/more/notes", "no hook")
	for _, tt := range []struct {
		name, hooks string
		act         func()
		want        []string
	}{
		{"nothing", "", func() {}, nil},
		{"what no commit runs", "", func() { writeAt(t, filepath.Join(home, "editor"), "evil") }, nil},
		{"a program by its path", "", func() { writeAt(t, filepath.Join(home, "bin", "sign"), "evil") }, []string{filepath.Join(home, "bin/sign")}},
		{"a file that a command names", "", func() { writeAt(t, filepath.Join(home, "filter.sh"), "evil") }, []string{filepath.Join(home, "filter.sh")}},
		{"a file that a command names is gone", "", func() { f.Must(os.Remove(filepath.Join(home, "filter.sh"))) }, []string{filepath.Join(home, "filter.sh")}},
		{"where a hook leads", "", func() { writeAt(t, outside, "evil") }, []string{".git/hooks/commit-msg"}},
		{"an example", "", func() { f.Write(".git/hooks/pre-push.sample", "evil") }, nil},
		{"a hook in the tree", "hooks/_", func() { f.Write("hooks/_/pre-commit", "evil") }, []string{"hooks/_/pre-commit"}},
		{"what a hook calls", "hooks/_", func() { f.Write("hooks/_/h/deep", "evil") }, []string{"hooks/_/h/deep"}},
		{"the user's hook beside those", "hooks/_", func() { f.Write("hooks/pre-commit", "evil") }, []string{"hooks/pre-commit"}},
		{"a hook is switched on", "hooks/_", func() { f.Must(os.Chmod(f.Path("hooks/pre-commit"), 0o700)) }, []string{"hooks/pre-commit"}},
		{"a new hook", "hooks/_", func() { f.Write("hooks/_/post-commit", "evil") }, []string{"hooks/_/post-commit"}},
		{"other files beside them", "hooks/_", func() { f.Write("hooks/more/notes", "other"); f.Write("a.txt", "other") }, nil},
		{"the folder is gone", "hooks/_", func() { f.Must(os.RemoveAll(f.Path("hooks"))) }, []string{"hooks/_/h/deep", "hooks/_/post-commit", "hooks/_/pre-commit", "hooks/pre-commit"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.hooks != "" {
				f.Git("config", "core.hooksPath", tt.hooks)
			}
			tree := f.open()
			was, err := tree.Guard().CommitRuns(t.Context())
			f.Must(err)
			tt.act()
			now, err := tree.Guard().CommitRuns(t.Context())
			f.Must(err)
			if got := now.Against(was); !slices.Equal(got, tt.want) {
				t.Errorf("changed: %q, want %q", got, tt.want)
			}
		})
	}
}
