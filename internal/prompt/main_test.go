package prompt

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// tree makes a work tree of files, each a name and its text.
func tree(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// templated is a builder with PROMPT.md of that work tree as its prompt.
func templated(dir string) *Builder {
	return &Builder{Source: Source{Path: "PROMPT.md", Dir: dir}, Template: true, Tree: dir}
}

// refusal is what Build says of a prompt that cannot be had.
func refusal(t *testing.T, b *Builder) *Error {
	t.Helper()
	p, err := b.Build(t.Context(), loop.State{}, 1, nil)
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("Build gives %q and the error %v, want an *Error", p.Text, err)
	}
	if e.Hint == "" {
		t.Errorf("%q has no hint", e)
	}
	return e
}

func wantIn(t *testing.T, text string, wanted ...string) {
	t.Helper()
	for _, want := range wanted {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in:\n%s", want, text)
		}
	}
}
