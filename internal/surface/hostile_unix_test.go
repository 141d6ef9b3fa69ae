//go:build unix

package surface

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/request"
)

// A pipe in the place of a file is not waited for.
func TestPipesAreNotWaitedFor(t *testing.T) {
	dir := tree(t, "", map[string]string{"PROMPT.md": "x"})
	for _, name := range []string{".refrain/hooks/started", ".refrain/prompts/x.md"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	done := make(chan []string, 1)
	go func() { done <- of(t, dir, request.Request{}) }()
	select {
	case got := <-done:
		if len(got) != 0 {
			t.Errorf("Of = %q, want nothing: neither can be run", got)
		}
	case <-time.After(time.Minute):
		t.Fatal("it waits for a pipe")
	}
}
