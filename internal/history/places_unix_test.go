//go:build unix

package history

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Whoever was in the folder for temporary files before us could change what is
// proven there.
func TestCleanCheckoutsAreInAFolderOfOurOwn(t *testing.T) {
	temp, tree := t.TempDir(), t.TempDir()
	t.Setenv("TMPDIR", temp)
	records := filepath.Join(tree, "state", "run-1")
	own := func(end string) string { return filepath.Join(temp, fmt.Sprintf("refrain-%d%s", os.Getuid(), end)) }
	in := func() string { return filepath.Dir(filepath.Dir(ProofDir(tree, records))) }

	if got := ProofDir(t.TempDir(), records); got != filepath.Join(records, "proof") {
		t.Errorf("records out of the work tree: %s", got)
	}
	if got := in(); got != own("") {
		t.Errorf("records in the work tree: %s", got)
	}
	if info, err := os.Lstat(own("")); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("stat = %v, %v", info, err)
	}
	if err := os.Remove(own("")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(tree, own("")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(own("-2"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(own("-2"), 0o777); err != nil {
		t.Fatal(err)
	}
	if got := in(); got != own("-3") {
		t.Errorf("two are not ours: %s", got)
	}
	for _, dir := range ownTemporary() {
		_ = os.Mkdir(dir, 0o755)
		_ = os.Chmod(dir, 0o755)
	}
	if got := ProofDir(tree, records); got != filepath.Join(records, "proof") {
		t.Errorf("none is ours: %s", got)
	}
}
