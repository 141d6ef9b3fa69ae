//go:build !linux && !darwin

package proc

import (
	"context"
	"fmt"
	"os"

	"github.com/refrain-loop/refrain/internal/fence"
)

// TryFence fails: there is no fence here yet.
func TryFence(_ context.Context, kind fence.Kind) error {
	_, err := fence.NewConfiner(fence.Policy{Kind: kind})
	return &FenceError{Kind: kind, Err: err}
}

func tryFence([]string) int {
	fmt.Fprintln(os.Stderr, "refrain: there is no fence on this system")
	return 2
}
