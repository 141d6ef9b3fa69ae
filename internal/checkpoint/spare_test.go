package checkpoint

import (
	"errors"
	"flag"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/git"
)

func TestWhatIsIgnoredIsNeverDeletedByARestore(t *testing.T) {
	t.Parallel()
	const precious = "not to be lost"
	tests := []struct {
		name  string
		files []string // ignored when the checkpoint is made
		set   func(folder)
		act   func(folder)
	}{
		{"the rules are emptied", []string{"x.log", "build/deep/x"}, nil, func(f folder) {
			f.Write(".gitignore", "")
		}},
		{"the rules are deleted, and everything is committed", []string{"x.log", "build/deep/x"}, nil, func(f folder) {
			f.Must(os.Remove(f.Path(".gitignore")))
			f.Commit("no rules")
		}},
		{"a branch without rules is checked out", []string{"x.log", "build/deep/x"}, func(f folder) {
			f.Git("branch", "bare")
			f.Git("switch", "-q", "bare")
			f.Git("rm", "-q", ".gitignore")
			f.Git("commit", "-q", "-m", "no rules")
			f.Git("switch", "-q", "-")
		}, func(f folder) {
			f.Git("switch", "-q", "bare")
		}},
		{"the rules of a folder are deleted with it", []string{"deep/a.secret", "deep/er/b.secret"}, func(f folder) {
			f.Write("deep/.gitignore", "*.secret\n")
			f.Write("deep/x", "")
		}, func(f folder) {
			f.Must(os.Remove(f.Path("deep/.gitignore")))
			f.Must(os.Remove(f.Path("deep/x")))
		}},
		{"a rule is turned round", []string{"x.log"}, nil, func(f folder) {
			f.Write(".gitignore", "*.log\n!x.log\n")
		}},
		{"it is added all the same", []string{"x.log"}, nil, func(f folder) {
			f.Git("add", "-f", "x.log")
		}},
		{"the rules of the repository alone are emptied", []string{"secret", "secrets/x"}, func(f folder) {
			f.Write(".git/info/exclude", "secret\nsecrets/\n")
		}, func(f folder) {
			f.Write(".git/info/exclude", "")
		}},
		{"a folder that ignores itself has lost its rules", []string{"venv/bin/python", "venv/cfg"}, func(f folder) {
			f.Write("venv/.gitignore", "*\n")
		}, func(f folder) {
			f.Must(os.Remove(f.Path("venv/.gitignore")))
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			f := newRepository(t)
			if tt.set != nil {
				tt.set(f)
			}
			for _, name := range tt.files {
				f.Write(name, precious)
			}
			s := f.keep(f.open())
			before := f.checkpoint(s)
			tt.act(f)
			f.Write("new.txt", "the agent's")
			_, changes, err := s.Restore(t.Context(), before)
			f.Must(err)
			for _, name := range tt.files {
				if got := f.Read(name); got != precious {
					t.Errorf("%s holds %q after the restore", name, got)
				}
				if info, err := os.Lstat(f.Path(name)); err == nil && runtime.GOOS != "windows" && info.Mode() != 0o600 {
					t.Errorf("%s is left with %v", name, info.Mode())
				}
				if slices.Contains(says(changes), "deleted "+name) {
					t.Errorf("%s is said to be deleted", name)
				}
			}
			if f.Exists("new.txt") || !slices.Contains(says(changes), "deleted new.txt") {
				t.Errorf("what the agent made is still there; changes = %q", says(changes))
			}
			if f.Read("a.txt") != "one" || f.Read(".gitignore") != "*.log\nbuild/\n" {
				t.Error("the files are not what they were")
			}
		})
	}
}

func TestWhatIsIgnoredAndInTheWayIsKeptThenReplaced(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("x.log/tracked", "1")
	f.Git("add", "-f", "x.log")
	f.Write("y.log", "1")
	f.Git("add", "-f", "y.log")
	s := f.keep(f.open())
	before := f.checkpoint(s)
	f.Git("rm", "-qr", "--cached", "x.log", "y.log")
	f.Must(os.RemoveAll(f.Path("x.log")))
	f.Must(os.Remove(f.Path("y.log")))
	f.Write(".gitignore", "")
	f.Write("x.log", "2")
	f.Write("y.log/deep", "2")
	kept, _, err := s.Restore(t.Context(), before)
	f.Must(err)
	if got := f.Read("x.log/tracked") + f.Read("y.log"); got != "11" {
		t.Errorf("restored %q", got)
	}
	if got := f.holds(s, kept, "x.log") + f.holds(s, kept, "y.log/deep"); got != "22" {
		t.Errorf("the checkpoint of what was there holds %q", got)
	}
}

func TestAStoreBelowTheRootFollowsTheRulesOfTheWhole(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.Write("sub/a", "1")
	f.Write("sub/x.log", "ignored")
	s := f.keep(folderAt(t, f.Path("sub")).open())
	before := f.checkpoint(s)
	f.Write(".gitignore", "")
	f.Write("sub/new", "2")
	_, _, err := s.Restore(t.Context(), before)
	f.Must(err)
	if f.Read("sub/x.log") != "ignored" || f.Exists("sub/new") {
		t.Error("the ignored file is gone, or the new one is not")
	}
}

// Whatever becomes of the rules, what they ignored stays, and the rest is as it
// was.
func TestARestoreIsExactButForWhatWasIgnored(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs modes, links and any name")
	}
	f := newRepository(t)
	f.Must(os.Remove(f.Path(".gitignore"))) // its permissions are those of a test
	f.Must(os.Mkdir(f.Path(".git/info"), 0o700))
	s := f.keep(f.open())
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		f.Must(checks.Value.Set("15"))
		defer func() { f.Must(checks.Value.Set(checks.DefValue)) }()
	}
	names := []string{"a", "b", "c.log", "d d", "new\nline"}
	rules := []string{"", "a\n", "*.log\n", "b/\n", "/d d\n", "*\n!a\n!.gitignore\n", "b/**\n", "*\n"}
	const exclude = ".git/info/exclude"
	rapid.Check(t, func(rt *rapid.T) {
		name := rapid.Custom(func(rt *rapid.T) string {
			return strings.Join(rapid.SliceOfN(rapid.SampledFrom(names), 1, 3).Draw(rt, "parts"), "/")
		})
		draw := func() {
			for range rapid.IntRange(0, 5).Draw(rt, "acts") {
				f.put(rt, name.Draw(rt, "path"))
			}
			f.put(rt, "e/"+name.Draw(rt, "path"))
			for _, file := range []string{".gitignore", exclude, "e/.gitignore"} {
				if rapid.Bool().Draw(rt, "new rules") {
					f.Must(os.WriteFile(f.Path(file), []byte(rapid.SampledFrom(rules).Draw(rt, "rules")), 0o666))
				}
			}
		}
		f.Write(exclude, "")
		draw()
		before, was, excluded := f.checkpoint(s), f.files(), f.Read(exclude)
		ignored := f.untracked("--ignored")
		draw()
		left, ignoredNow := f.files(), f.untracked("--ignored")
		_, _, err := s.Restore(t.Context(), before)
		var inTheWay *InTheWayError
		if errors.As(err, &inTheWay) {
			rt.Skip("which another test is about")
		}
		f.Must(err)
		now := f.files()
		for name, holds := range was {
			if slices.Contains(ignored, name) {
				holds = left[name]
			}
			if now[name] != holds {
				rt.Fatalf("%q is %s, want %s", name, now[name], holds)
			}
		}
		f.Write(exclude, excluded)
		for _, name := range f.untracked() {
			// What e ignored by itself may be known to no rule any more.
			_, known := was[name]
			if !known && !slices.Contains(ignoredNow, name) && !strings.HasPrefix(name, "e/") {
				rt.Fatalf("%q was not there and never ignored, but is left", name)
			}
		}
	})
}

// untracked lists the files that git does not track.
func (f folder) untracked(more ...string) []string {
	f.T.Helper()
	return git.SplitNUL([]byte(f.Output(append([]string{"ls-files", "--others", "--exclude-standard", "-z"}, more...)...)))
}

// files is every file of the tree with all there is to know about it.
func (f folder) files() map[string]string {
	f.T.Helper()
	all := map[string]string{}
	for line := range strings.Lines(f.Snapshot()) {
		quoted, err := strconv.QuotedPrefix(line)
		f.Must(err)
		at, err := strconv.Unquote(quoted)
		f.Must(err)
		all[strings.TrimPrefix(at, f.Dir+"/")] = line[len(quoted):]
	}
	return all
}
