package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// treeWith makes a work tree with this refrain.toml.
func treeWith(t *testing.T, toml string) Sources {
	t.Helper()
	tree := t.TempDir()
	write(t, filepath.Join(tree, FileName), toml)
	return Sources{Tree: tree}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func load(t *testing.T, s Sources) *Resolved {
	t.Helper()
	r, err := Load(s)
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return r
}

// problems is what Load has to say about the sources.
func problems(t *testing.T, s Sources) []Problem {
	t.Helper()
	_, err := Load(s)
	if err == nil {
		return nil
	}
	var all *Errors
	if !errors.As(err, &all) {
		t.Fatalf("Load gave %T, want *Errors", err)
	}
	return all.Problems
}

func set(t *testing.T, args ...string) []Flag {
	t.Helper()
	var flags []Flag
	for _, arg := range args {
		f, err := ParseSet(arg)
		if err != nil {
			t.Fatal(err)
		}
		flags = append(flags, f)
	}
	return flags
}
