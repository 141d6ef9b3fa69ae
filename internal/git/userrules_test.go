package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// others are the files that git does not track and does not ignore.
func (f folder) others(tree *Tree) []string {
	f.T.Helper()
	out, err := tree.git.Run(f.T.Context(), "ls-files", "--others", "--exclude-standard", "-z")
	f.Must(err)
	return SplitNUL(out)
}

func TestWhatAUserIgnoresIsThatOfTheStart(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "rules")
	for _, tt := range []struct {
		name, config, local string
		ignore              func(f folder, home string) string // the file
		want                []string
	}{
		{"in its usual place", "", "", func(_ folder, home string) string { return filepath.Join(home, ".config", "git", "ignore") }, []string{"new"}},
		{"where the user says", "[core]\n\texcludesFile = ~/rules\n", "", func(_ folder, home string) string { return filepath.Join(home, "rules") }, []string{"new"}},
		{"where the repository says", "[core]\n\texcludesFile = ~/rules\n", outside, func(folder, string) string { return outside }, []string{"new"}},
		{"in the tree", "", "rules", func(f folder, _ string) string { return f.Path("rules") }, []string{"new", "rules"}},
		{"nowhere", "[core]\n\texcludesFile =\n", "", func(_ folder, home string) string { return filepath.Join(home, ".config", "git", "ignore") }, []string{"new", "private"}},
		{"in no file", "[core]\n\texcludesFile = /dev/null\n", "", func(_ folder, home string) string { return filepath.Join(home, ".config", "git", "ignore") }, []string{"new", "private"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := newRepository(t)
			home := atHomeWith(t, tt.config)
			if tt.local != "" {
				f.Git("config", "core.excludesFile", tt.local)
			}
			rules := tt.ignore(f, home)
			writeAt(t, rules, "private\n")
			f.Write("private", "x")
			f.Write("new", "x")
			if got := f.others(f.open()); !slices.Equal(got, tt.want) {
				t.Fatalf("before the run git sees %q, want %q", got, tt.want)
			}
			tree, at, was := f.asNoted()
			if strange, err := StrangeSettings(t.Context(), was); err != nil || len(strange) > 0 {
				t.Errorf("StrangeSettings = %q, %v before anything happened", strange, err)
			}
			for range 2 {
				writeAt(t, rules, "*\n")
				if got := f.others(tree); !slices.Equal(got, tt.want) {
					t.Errorf("git sees %q, want %q", got, tt.want)
				}
				writeAt(t, filepath.Join(filepath.Dir(at), "gitignore"), "*\n") // no way around it
			}
			strange, err := StrangeSettings(t.Context(), was)
			f.Must(err)
			if told := slices.Contains(strange, rules); told == slices.Contains(tt.want, "private") {
				t.Errorf("StrangeSettings = %q, want %s there if git reads it", strange, rules)
			}
		})
	}
}

func TestAttributesOfAUserAreThoseOfTheStart(t *testing.T) {
	f := newRepository(t)
	home := atHomeWith(t, "")
	attributes := filepath.Join(home, ".config", "git", "attributes")
	writeAt(t, attributes, "*.txt mine=start\n")
	tree, _, was := f.asNoted()
	writeAt(t, attributes, "*.txt mine=evil filter=evil\n")
	out, err := tree.git.Run(t.Context(), "check-attr", "mine", "filter", "--", "a.txt")
	f.Must(err)
	if got, want := string(out), "a.txt: mine: start\na.txt: filter: unspecified\n"; got != want {
		t.Errorf("git says %q, want %q", got, want)
	}
	strange, err := StrangeSettings(t.Context(), was)
	f.Must(err)
	if !slices.Equal(strange, []string{attributes}) {
		t.Errorf("StrangeSettings = %q, want %q", strange, attributes)
	}
}

// Notes of an earlier version have no rules: git reads those that there are.
func TestNotesWithoutRulesChangeNone(t *testing.T) {
	f := newRepository(t)
	home := atHomeWith(t, "")
	writeAt(t, filepath.Join(home, ".config", "git", "ignore"), "private\n")
	f.Write("private", "x")
	tree := f.open()
	f.Must(tree.Guard().UseSettings(t.Context(), filepath.Join(t.TempDir(), "gitconfig"), Guarded{flatSettings: ""}))
	if got := f.others(tree); len(got) > 0 {
		t.Errorf("git sees %q", got)
	}
}

// What holds the right text is not written again: where the disk does not tell of
// writes, that would be before every git.
func TestACopyThatHoldsItsTextIsNotWrittenAgain(t *testing.T) {
	f := newRepository(t)
	atHomeWith(t, "[x]\n\ty = start\n")
	_, at, was := f.asNoted()
	before, err := os.Stat(at)
	f.Must(err)
	next := f.open() // has not seen the file
	f.Must(next.Guard().UseSettings(t.Context(), at, was))
	if after, err := os.Stat(at); err != nil || !os.SameFile(before, after) {
		t.Errorf("it was written anew (%v)", err)
	}
	writeAt(t, at, strings.Repeat("#", int(before.Size())))
	if got := f.setting(next, "x.y"); got != "start" {
		t.Errorf("x.y = %q", got)
	}
}
