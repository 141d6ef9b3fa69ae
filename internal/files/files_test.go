package files

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func link(t testing.TB, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Skip("no links here:", err)
	}
}

func TestReadGivesAllOfAFile(t *testing.T) {
	dir := t.TempDir()
	for _, n := range []int{0, 1, piece - 1, piece, piece + 1, 3*piece + 7} {
		want := bytes.Repeat([]byte("x"), n)
		write(t, filepath.Join(dir, "a", "b"), string(want))
		got, err := Read(t.Context(), dir, filepath.Join("a", "b"), int64(n))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("Read of %d bytes = %d, %v", n, len(got), err)
		}
		got, err = ReadFile(t.Context(), filepath.Join(dir, "a", "b"), int64(n))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("ReadFile of %d bytes = %d, %v", n, len(got), err)
		}
	}
}

func TestAFileBeyondTheLimitIsRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "large"), "12345")
	for _, limit := range []int64{0, 4} {
		_, err := Read(t.Context(), dir, "large", limit)
		var large *TooLargeError
		if !errors.As(err, &large) || large.Limit != limit {
			t.Errorf("Read with limit %d = %v, want a TooLargeError", limit, err)
		}
	}
	for limit, want := range map[int64]string{1000: "1000 bytes", 4 << 10: "4 KB", 8 << 20: "8 MB"} {
		if got := (&TooLargeError{limit}).Error(); got != "it is larger than "+want {
			t.Errorf("a limit of %d says %q", limit, got)
		}
	}
}

func TestAFolderIsNoFile(t *testing.T) {
	dir := t.TempDir()
	_, err := Read(t.Context(), dir, ".", 9)
	var other *NotRegularError
	if !errors.As(err, &other) || other.Kind() != "a folder" {
		t.Errorf("Read of a folder = %v", err)
	}
	if _, err := Read(t.Context(), dir, "none", 9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of nothing = %v", err)
	}
	if _, err := Read(t.Context(), filepath.Join(dir, "none"), "x", 9); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read in no tree = %v", err)
	}
}

func TestLinksAreFollowedWithinTheTree(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "tree")
	write(t, filepath.Join(dir, "sub", "real"), "inside")
	write(t, filepath.Join(base, "secret"), "outside")
	link(t, filepath.Join("sub", "real"), filepath.Join(dir, "relative"))
	link(t, filepath.Join(dir, "sub", "real"), filepath.Join(dir, "absolute"))
	link(t, filepath.Join("..", "secret"), filepath.Join(dir, "out"))
	link(t, filepath.Join(base, "secret"), filepath.Join(dir, "far"))
	link(t, base, filepath.Join(dir, "folder"))
	link(t, "none", filepath.Join(dir, "gone"))
	link(t, "circle", filepath.Join(dir, "circle"))
	link(t, dir, filepath.Join(base, "linked"))

	for _, root := range []string{dir, filepath.Join(base, "linked")} {
		for _, name := range []string{"relative", "absolute", filepath.Join("folder", "tree", "sub", "real")} {
			got, err := Read(t.Context(), root, name, 99)
			if err != nil || string(got) != "inside" {
				t.Errorf("Read of %s in %s = %q, %v", name, root, got, err)
			}
		}
	}
	for _, name := range []string{"out", "far", filepath.Join("folder", "secret")} {
		_, err := Read(t.Context(), dir, name, 99)
		var outside *OutsideError
		if !errors.As(err, &outside) {
			t.Errorf("Read of %s = %v, want an OutsideError", name, err)
		}
	}
	for _, name := range []string{filepath.Join("..", "secret"), filepath.Join(base, "secret"), "circle"} {
		if got, err := Read(t.Context(), dir, name, 99); err == nil {
			t.Errorf("Read of %s = %q", name, got)
		}
	}
	if _, err := Read(t.Context(), dir, "gone", 99); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("Read of a link to nothing = %v", err)
	}
	if got, err := ReadFile(t.Context(), filepath.Join(dir, "far"), 99); err != nil || string(got) != "outside" {
		t.Errorf("ReadFile of a link = %q, %v", got, err)
	}
}

func TestReadEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), "a")
	asked := errors.New("asked")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(asked)
	if _, err := Read(ctx, dir, "a", 9); !errors.Is(err, asked) {
		t.Errorf("Read = %v, want the cause of the end", err)
	}
	if _, err := ReadFile(ctx, filepath.Join(dir, "a"), 9); !errors.Is(err, asked) {
		t.Errorf("ReadFile = %v, want the cause of the end", err)
	}
}
