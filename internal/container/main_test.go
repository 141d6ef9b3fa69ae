package container

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/story"
)

func TestMain(m *testing.M) {
	proc.Helper(nil)
	if Known(filepath.Base(os.Args[0])) {
		story.Docker()
	}
	os.Exit(m.Run())
}
