package git

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/refrain-loop/refrain/internal/glob"
)

func TestGuardSeesEveryChangeOfAProtectedFile(t *testing.T) {
	dir := t.TempDir()
	put := func(name, text string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".env", "a/.env.local", "tool.env", "kept/.env", "free"} {
		put(name, "one")
	}
	tree, err := Open(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	patterns, err := glob.Parse([]string{".env*", "tool.env"})
	if err != nil {
		t.Fatal(err)
	}
	guard := func() Guarded {
		t.Helper()
		g, err := tree.Protected(t.Context(), patterns)
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	if in, err := tree.ProtectedBelow(t.Context(), "a", patterns); err != nil || len(in) != 1 || in["a/.env.local"] == "" {
		t.Errorf("below a: %v, %v, want a/.env.local alone", in, err)
	}
	if in, err := tree.ProtectedBelow(t.Context(), "nowhere", patterns); err != nil || len(in) != 0 {
		t.Errorf("below a folder that is not there: %v, %v, want nothing", in, err)
	}
	before := guard()
	if got := guard().Against(before); got != nil {
		t.Errorf("nothing changed, and %v differ", got)
	}
	put(".env", "two")
	put("new/.env", "one")
	put("free", "two")
	if err := os.Remove(filepath.Join(dir, "a/.env.local")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(filepath.Join(dir, "tool.env"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got, want := guard().Against(before), []string{".env", "a/.env.local", "new/.env", "tool.env"}; !slices.Equal(got, want) {
		t.Errorf("changed = %v, want %v", got, want)
	}
}
