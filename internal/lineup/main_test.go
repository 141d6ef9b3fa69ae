package lineup

import (
	"os"
	"testing"

	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/rehearsal"
)

func TestMain(m *testing.M) {
	proc.Helper(map[string]func(args []string) int{"rehearsal": rehearsal.Main})
	os.Exit(m.Run())
}
