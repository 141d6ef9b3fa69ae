package glob

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFilesAreWhatTheWordsMatch(t *testing.T) {
	dir := newTree(t, map[string]string{"a/b/c.md": "", "a/c.md": "", "c.md": "", "a/b/d.txt": "", "b/c.md": ""})
	all := []string{"a/b/c.md", "a/b/d.txt", "a/c.md", "b/c.md", "c.md"}
	words := rapid.SampledFrom([]string{"**", "*", "a", "b", "c.md", "*.md", "?", "[ab]"})
	rapid.Check(t, func(rt *rapid.T) {
		pattern := rapid.SliceOfN(words, 1, 5).Draw(rt, "pattern")
		got, err := Files(os.DirFS(dir), strings.Join(pattern, "/"))
		if err != nil {
			rt.Fatal(err)
		}
		var want []string
		for _, name := range all {
			if matches(pattern, strings.Split(name, "/")) {
				want = append(want, name)
			}
		}
		if strings.Join(got, " ") != strings.Join(want, " ") {
			rt.Fatalf("Files(%q) = %q, want %q", pattern, got, want)
		}
	})
}

// matches is what a pattern means, in the simplest words.
func matches(pattern, name []string) bool {
	switch {
	case len(pattern) == 0 || len(name) == 0:
		return len(pattern) == len(name)
	case pattern[0] == "**":
		return len(pattern) == 1 || matches(pattern[1:], name) || matches(pattern, name[1:])
	}
	ok, _ := path.Match(pattern[0], name[0])
	return ok && matches(pattern[1:], name[1:])
}

// newTree is a folder with these files.
func newTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		at := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
