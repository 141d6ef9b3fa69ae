package story

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// NewTree makes a work tree with this refrain.toml, in a world without settings
// of the user's.
func NewTree(t *testing.T, settings string) string {
	t.Helper()
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "REFRAIN_") {
			t.Setenv(name, "") // so that it comes back after the test
			_ = os.Unsetenv(name)
		}
	}
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	tree := t.TempDir()
	t.Setenv("REFRAIN_TRUST_FOLDERS", fmt.Sprintf("[%q]", tree)) // the test wrote it itself
	WriteFile(t, filepath.Join(tree, "refrain.toml"), settings)
	return tree
}

// WriteFile writes a file that a test needs.
func WriteFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
