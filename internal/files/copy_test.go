package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestACopyIsAsTheFileWas(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	at := time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, err := range []error{os.WriteFile(from, []byte("text"), 0o600), os.Chmod(from, 0o640), os.Chtimes(from, at, at), Copy(from, to, SyncFile)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(to)
	info, statErr := os.Stat(to)
	was, wasErr := os.Stat(from)
	if err := errors.Join(err, statErr, wasErr); err != nil {
		t.Fatal(err)
	}
	if string(text) != "text" || info.Mode() != was.Mode() || !info.ModTime().Equal(at) {
		t.Errorf("the copy is %q, %v, %v", text, info.Mode(), info.ModTime())
	}
	if err := Copy(from, to, NoSync); !errors.Is(err, fs.ErrExist) {
		t.Errorf("over another file: %v", err)
	}
	if err := Copy(dir, filepath.Join(dir, "more"), NoSync); !errors.As(err, new(*NotRegularError)) {
		t.Errorf("of a folder: %v", err)
	}
}
