package git

import (
	"strings"
	"testing"
)

func TestAPatternMatches(t *testing.T) {
	tests := []struct {
		pattern, name string
		want          bool
	}{
		{"PROGRESS.md", "PROGRESS.md", true},
		{"PROGRESS.md", "docs/PROGRESS.md", true},
		{"PROGRESS.md", "PROGRESS.md.bak", false},
		{"PROGRESS.md", "progress.md", false},
		{"*.log", "a/b.log", true},
		{"notes", "a/notes/b", true},
		{"notes/", "a/notes/b", true},
		{"/notes", "notes/b", true},
		{"/notes", "a/notes", false},
		{"docs/*.md", "docs/a.md", true},
		{"docs/*.md", "docs/a/b.md", false},
		{"docs/*.md", "x/docs/a.md", false},
		{"docs/**/*.md", "docs/a.md", true},
		{"docs/**/*.md", "docs/a/b/c.md", true},
		{"docs/**", "docs/a/b", true},
		{"docs/**", "docs", false},
		{"**/tmp/*", "a/b/tmp/c", true},
		{"**/tmp/*", "a/b/tmp", false},
		{"**/**/x", "x", true},
		{"a?c", "abc", true},
		{"[ab].txt", "b.txt", true},
	}
	for _, tt := range tests {
		list, err := parseIgnore([]string{tt.pattern})
		if err != nil {
			t.Errorf("%q: %v", tt.pattern, err)
			continue
		}
		if got := list.Match(tt.name); got != tt.want {
			t.Errorf("%q matches %q: %v, want %v", tt.pattern, tt.name, got, tt.want)
		}
	}
}

func TestABadPatternIsAnError(t *testing.T) {
	for _, p := range []string{"", "/", "[a", "docs/[", "!keep.md"} {
		if _, err := parseIgnore([]string{"ok", p}); err == nil || !strings.Contains(err.Error(), `"`+p+`"`) {
			t.Errorf("parseIgnore(%q) = %v, want an error that names it", p, err)
		}
	}
}

func FuzzIgnore(f *testing.F) {
	f.Add("docs/**/*.md", "docs/a/b.md")
	f.Add("**/**", "")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		list, err := parseIgnore([]string{pattern})
		if err != nil || name == "" || len(pattern)+len(name) > 200 {
			return
		}
		if list.Match(name) && !list.Match(name+"/below") {
			t.Errorf("%q matches %q, but not what is below it", pattern, name)
		}
	})
}
