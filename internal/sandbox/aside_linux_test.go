package sandbox

import (
	"os"
	"path/filepath"
	"testing"
)

// What is taken away may be the user's, so it is kept even where the folder for it is
// on another disk.
func TestWhatIsPutAsideIsKeptOnAnotherDiskToo(t *testing.T) {
	elsewhere, err := os.MkdirTemp("/dev/shm", "refrain-test-")
	if err != nil {
		t.Skip("there is no other disk here: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(elsewhere) })
	home := t.TempDir()
	for _, name := range []string{"settings.json", "plugins/mine/hook.sh"} {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("mine"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r := restorer{aside: filepath.Join(elsewhere, "taken")}
	for path, file := range map[string]string{"settings.json": "", "plugins": "mine/hook.sh"} {
		kept, err := r.putAside(filepath.Join(home, path))
		if err != nil {
			t.Errorf("put %s aside: %v", path, err)
			continue
		}
		if _, err := os.Lstat(filepath.Join(home, path)); err == nil {
			t.Errorf("%s is still there", path)
		}
		if b, err := os.ReadFile(filepath.Join(kept, file)); err != nil || string(b) != "mine" {
			t.Errorf("of %s is kept: %q, %v", path, b, err)
		}
	}
}
