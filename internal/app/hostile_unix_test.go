//go:build unix

package app

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestPipesAreNotWaitedFor(t *testing.T) {
	dir := t.TempDir()
	path := story.Pipe(t, filepath.Join(dir, "pipe"))
	_, logged := openLog(dir, files.Anywhere(path))
	for act, err := range map[string]error{
		"openLog": logged,
	} {
		var other *files.NotRegularError
		if !errors.As(err, &other) {
			t.Errorf("%s = %v, want a NotRegularError", act, err)
		}
	}
}
