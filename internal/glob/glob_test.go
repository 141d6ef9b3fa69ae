package glob

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPatternsMatch(t *testing.T) {
	tests := []struct {
		name     string
		patterns []string
		yes, no  []string
	}{
		{"none match nothing", nil, nil, []string{"a", "a/b", "a/"}},
		{"a name without a slash is meant at any depth", []string{".env"}, []string{".env", "a/b/.env"}, []string{".envrc", "a.env"}},
		{"what is in a folder of that name is meant too", []string{"tests"}, []string{"tests/a/b.go", "x/tests/a"}, []string{"mytests/a"}},
		{"a slash in front anchors", []string{"/go.mod"}, []string{"go.mod"}, []string{"tools/go.mod"}},
		{"a slash in the middle anchors", []string{"docs/a.md"}, []string{"docs/a.md"}, []string{"x/docs/a.md"}},
		{"a slash at the end is for folders", []string{"tests/"}, []string{"tests/a", "x/tests/a", "tests/"}, []string{"tests", "x/tests"}},
		{"both slashes", []string{"/tests/"}, []string{"tests/a"}, []string{"x/tests/a", "tests"}},
		{"a star stays in its folder", []string{"docs/*.md"}, []string{"docs/a.md", "docs/.md"}, []string{"docs/a/b.md"}},
		{"a star after a name", []string{".env*"}, []string{".env", ".env.local", "a/.envrc/b"}, []string{"x.env"}},
		{"two stars in front", []string{"**/testdata"}, []string{"testdata", "a/b/testdata/c"}, []string{"a/mytestdata"}},
		{"two stars between", []string{"a/**/b"}, []string{"a/b", "a/x/b", "a/x/y/b"}, []string{"ab", "a/xb", "x/a/b"}},
		{"two stars at the end are what is below", []string{"a/**"}, []string{"a/b", "a/b/c", "a/b/"}, []string{"a", "a/", "b"}},
		{"two stars alone are everything", []string{"**"}, []string{"a", "a/b"}, nil},
		{"two stars in a name are one", []string{"/a**b"}, []string{"ab", "axb"}, []string{"a/b"}},
		{"a question mark is one sign but a slash", []string{"a?c/d"}, []string{"abc/d"}, []string{"ac/d", "a/c/d"}},
		{"a set", []string{"[a-c-]x"}, []string{"ax", "cx", "-x"}, []string{"dx", "x"}},
		{"a set turned round", []string{"[!a-c]x", "[^d]y"}, []string{"dx", "ay"}, []string{"ax", "dy"}},
		{"a bracket in a set", []string{"[]a]x", "[[]y"}, []string{"]x", "ax", "[y"}, []string{"bx"}},
		{"a set never matches a slash", []string{"a[+-9]b"}, []string{"a0b"}, []string{"a/b"}},
		{"a class", []string{"[[:upper:]_]*"}, []string{"README", "_x"}, []string{"readme"}},
		{"a backslash takes the meaning away", []string{`\!a`, `b\*`, `\#c`}, []string{"!a", "b*", "#c"}, []string{"a", "bc"}},
		{"a hash is a name", []string{"#a"}, []string{"#a"}, nil},
		{"the last pattern decides", []string{"*.md", "!README.md"}, []string{"a.md"}, []string{"README.md", "x/README.md"}},
		{"and may be taken back", []string{"*.md", "!README.md", "/README.md"}, []string{"README.md"}, []string{"x/README.md"}},
		{"a folder that is meant keeps all that it holds", []string{"tests/", "!tests/a"}, []string{"tests/a"}, nil},
		{"unless only its content is", []string{"tests/*", "!tests/a"}, []string{"tests/b"}, []string{"tests/a"}},
		{"names are bytes", []string{"caf\xe9", "ü?", "[é]x"}, []string{"caf\xe9", "üa", "\xc3x"}, []string{"café", "üé", "ex"}},
		{"a newline is a sign like others", []string{"a*b", "c?"}, []string{"a\nb", "c\n"}, []string{"a\nc"}},
	}
	for _, tt := range tests {
		list, err := Parse(tt.patterns)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		for _, path := range tt.yes {
			if !list.Match(path) {
				t.Errorf("%s: %q does not match %q", tt.name, tt.patterns, path)
			}
		}
		for _, path := range tt.no {
			if list.Match(path) {
				t.Errorf("%s: %q matches %q", tt.name, tt.patterns, path)
			}
		}
	}
}

func TestAPatternThatNeverMatchesIsAnError(t *testing.T) {
	for _, p := range []string{
		"", "/", "!", "!/", "//a", "a//b", "a//", "./a", "../a", "a/./b", ".", `a\`, "[a", "[", "[]", "[a/b", `[\`, "[[:word:]]", "[[::]]", "[/]", "a[z-",
	} {
		if _, err := Parse([]string{"ok", p}); err == nil || !strings.Contains(err.Error(), "pattern ") {
			t.Errorf("Parse(%q) = %v, want an error that names it", p, err)
		}
	}
}

// repository is one whose own patterns say what git takes ours for.
type repository struct {
	t   *testing.T
	dir string
}

func newRepository(t *testing.T) repository {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.Command("git", "init", "-q", "--template=", dir).CombinedOutput(); err != nil {
		t.Fatalf("git init: %v\n%s", err, out)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".git", "info"), 0o700); err != nil {
		t.Fatal(err)
	}
	return repository{t, dir}
}

// ignored asks git which of the paths its own patterns match.
func (r repository) ignored(patterns, paths []string) []string {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, ".git", "info", "exclude"), []byte(strings.Join(patterns, "\n")+"\n"), 0o600); err != nil {
		r.t.Fatal(err)
	}
	cmd := exec.Command("git", "check-ignore", "--no-index", "-z", "--stdin")
	cmd.Dir = r.dir
	cmd.Stdin = strings.NewReader(strings.Join(paths, "\x00"))
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() == 1 {
		return nil
	}
	if err != nil {
		r.t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
}

func (r repository) compareWithGit(t interface{ Errorf(string, ...any) }, patterns, paths []string) {
	list, err := Parse(patterns)
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	want := r.ignored(patterns, paths)
	for _, path := range paths {
		if got := list.Match(path); got != slices.Contains(want, path) {
			t.Errorf("%q matches %q: %v, and git says otherwise", patterns, path, got)
		}
	}
}

func TestPatternsMatchAsGitDoes(t *testing.T) {
	r := newRepository(t)
	names := rapid.SampledFrom([]string{"a", "b", "ab", "ba", "aab", "-", "]", "é", "\xe9", "*"})
	path := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(names, 1, 4).Draw(t, "path"), "/")
	})
	// Two stars that are not between slashes are left out: contrary to what git
	// documents, it takes those in "a**/b" for folders.
	part := rapid.OneOf(names, rapid.SampledFrom([]string{
		"*", "**", "?", "a*", "*b", "a?", "?*", "*a*", "[ab]", "[!a]", "[^b]*", "[a-]", "[]-]", `\*`, "[[:alpha:]]", "[[:alpha:]-b]", "[b-a]", "[a/b]", "\xc3?", "a[--b]b",
	}))
	pattern := rapid.Custom(func(t *rapid.T) string {
		return rapid.SampledFrom([]string{"", "", "!"}).Draw(t, "sign") +
			rapid.SampledFrom([]string{"", "", "/"}).Draw(t, "front") +
			strings.Join(rapid.SliceOfN(part, 1, 3).Draw(t, "parts"), "/") +
			rapid.SampledFrom([]string{"", "", "/"}).Draw(t, "end")
	})
	rapid.Check(t, func(rt *rapid.T) {
		r.compareWithGit(rt, rapid.SliceOfN(pattern, 1, 4).Draw(rt, "patterns"), rapid.SliceOfN(path, 50, 50).Draw(rt, "paths"))
	})
}

func TestClassesAreThoseOfGit(t *testing.T) {
	r := newRepository(t)
	var paths []string
	for c := 1; c < 256; c++ {
		if c != '/' {
			paths = append(paths, string([]byte{'a', byte(c)}))
		}
	}
	for name := range classes {
		r.compareWithGit(t, []string{"a[[:" + name + ":]]"}, paths)
		r.compareWithGit(t, []string{"a[^[:" + name + ":]]"}, paths)
	}
}

func FuzzPatterns(f *testing.F) {
	f.Add("docs/**/*.md", "!docs/a", "docs/a/b.md")
	f.Add("[!a-\\]]?*", "/x/", "x/\xff")
	f.Fuzz(func(t *testing.T, first, second, path string) {
		list, err := Parse([]string{first, second})
		if err != nil {
			return
		}
		if list.Match(path+"/") && !list.Match(path+"/below") {
			t.Errorf("%q match the folder %q, but not what is below it", []string{first, second}, path)
		}
		if strings.HasPrefix(second, "!") {
			return
		}
		if one, err := Parse([]string{second}); err == nil && one.Match(path) && !list.Match(path) {
			t.Errorf("%q matches %q alone, but not after %q", second, path, first)
		}
	})
}
