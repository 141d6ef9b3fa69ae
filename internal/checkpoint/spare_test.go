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
			f.write(".gitignore", "")
		}},
		{"the rules are deleted, and everything is committed", []string{"x.log", "build/deep/x"}, nil, func(f folder) {
			f.must(os.Remove(f.path(".gitignore")))
			f.commit("no rules")
		}},
		{"a branch without rules is checked out", []string{"x.log", "build/deep/x"}, func(f folder) {
			f.git("branch", "bare")
			f.git("switch", "-q", "bare")
			f.git("rm", "-q", ".gitignore")
			f.git("commit", "-q", "-m", "no rules")
			f.git("switch", "-q", "-")
		}, func(f folder) {
			f.git("switch", "-q", "bare")
		}},
		{"the rules of a folder are deleted with it", []string{"deep/a.secret", "deep/er/b.secret"}, func(f folder) {
			f.write("deep/.gitignore", "*.secret\n")
			f.write("deep/x", "")
		}, func(f folder) {
			f.must(os.Remove(f.path("deep/.gitignore")))
			f.must(os.Remove(f.path("deep/x")))
		}},
		{"a rule is turned round", []string{"x.log"}, nil, func(f folder) {
			f.write(".gitignore", "*.log\n!x.log\n")
		}},
		{"it is added all the same", []string{"x.log"}, nil, func(f folder) {
			f.git("add", "-f", "x.log")
		}},
		{"the rules of the repository alone are emptied", []string{"secret", "secrets/x"}, func(f folder) {
			f.write(".git/info/exclude", "secret\nsecrets/\n")
		}, func(f folder) {
			f.write(".git/info/exclude", "")
		}},
		{"a folder that ignores itself has lost its rules", []string{"venv/bin/python", "venv/cfg"}, func(f folder) {
			f.write("venv/.gitignore", "*\n")
		}, func(f folder) {
			f.must(os.Remove(f.path("venv/.gitignore")))
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
				f.write(name, precious)
			}
			s := f.keep(f.open())
			before := f.checkpoint(s)
			tt.act(f)
			f.write("new.txt", "the agent's")
			_, changes, err := s.Restore(t.Context(), before)
			f.must(err)
			for _, name := range tt.files {
				if got := f.read(name); got != precious {
					t.Errorf("%s holds %q after the restore", name, got)
				}
				if info, err := os.Lstat(f.path(name)); err == nil && runtime.GOOS != "windows" && info.Mode() != 0o600 {
					t.Errorf("%s is left with %v", name, info.Mode())
				}
				if slices.Contains(says(changes), "deleted "+name) {
					t.Errorf("%s is said to be deleted", name)
				}
			}
			if f.exists("new.txt") || !slices.Contains(says(changes), "deleted new.txt") {
				t.Errorf("what the agent made is still there; changes = %q", says(changes))
			}
			if f.read("a.txt") != "one" || f.read(".gitignore") != "*.log\nbuild/\n" {
				t.Error("the files are not what they were")
			}
		})
	}
}

func TestWhatIsIgnoredAndInTheWayIsKeptThenReplaced(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.write("x.log/tracked", "1")
	f.git("add", "-f", "x.log")
	f.write("y.log", "1")
	f.git("add", "-f", "y.log")
	s := f.keep(f.open())
	before := f.checkpoint(s)
	f.git("rm", "-qr", "--cached", "x.log", "y.log")
	f.must(os.RemoveAll(f.path("x.log")))
	f.must(os.Remove(f.path("y.log")))
	f.write(".gitignore", "")
	f.write("x.log", "2")
	f.write("y.log/deep", "2")
	kept, _, err := s.Restore(t.Context(), before)
	f.must(err)
	if got := f.read("x.log/tracked") + f.read("y.log"); got != "11" {
		t.Errorf("restored %q", got)
	}
	if got := f.holds(s, kept, "x.log") + f.holds(s, kept, "y.log/deep"); got != "22" {
		t.Errorf("the checkpoint of what was there holds %q", got)
	}
}

func TestAStoreBelowTheRootFollowsTheRulesOfTheWhole(t *testing.T) {
	t.Parallel()
	f := newRepository(t)
	f.write("sub/a", "1")
	f.write("sub/x.log", "ignored")
	s := f.keep(folder{t, f.path("sub")}.open())
	before := f.checkpoint(s)
	f.write(".gitignore", "")
	f.write("sub/new", "2")
	_, _, err := s.Restore(t.Context(), before)
	f.must(err)
	if f.read("sub/x.log") != "ignored" || f.exists("sub/new") {
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
	f.must(os.Remove(f.path(".gitignore"))) // its permissions are those of a test
	f.must(os.Mkdir(f.path(".git/info"), 0o700))
	s := f.keep(f.open())
	if checks := flag.Lookup("rapid.checks"); checks.Value.String() == checks.DefValue {
		f.must(checks.Value.Set("15"))
		defer func() { f.must(checks.Value.Set(checks.DefValue)) }()
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
					f.must(os.WriteFile(f.path(file), []byte(rapid.SampledFrom(rules).Draw(rt, "rules")), 0o666))
				}
			}
		}
		f.write(exclude, "")
		draw()
		before, was, excluded := f.checkpoint(s), f.files(), f.read(exclude)
		ignored := f.untracked("--ignored")
		draw()
		left, ignoredNow := f.files(), f.untracked("--ignored")
		_, _, err := s.Restore(t.Context(), before)
		var inTheWay *InTheWayError
		if errors.As(err, &inTheWay) {
			rt.Skip("which another test is about")
		}
		f.must(err)
		now := f.files()
		for name, holds := range was {
			if slices.Contains(ignored, name) {
				holds = left[name]
			}
			if now[name] != holds {
				rt.Fatalf("%q is %s, want %s", name, now[name], holds)
			}
		}
		f.write(exclude, excluded)
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
	f.t.Helper()
	return git.SplitNUL([]byte(f.output(append([]string{"ls-files", "--others", "--exclude-standard", "-z"}, more...)...)))
}

// files is every file of the tree with all there is to know about it.
func (f folder) files() map[string]string {
	f.t.Helper()
	all := map[string]string{}
	for line := range strings.Lines(f.snapshot()) {
		quoted, err := strconv.QuotedPrefix(line)
		f.must(err)
		at, err := strconv.Unquote(quoted)
		f.must(err)
		all[strings.TrimPrefix(at, f.dir+"/")] = line[len(quoted):]
	}
	return all
}
