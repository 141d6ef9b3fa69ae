package proc

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"github.com/refrain-loop/refrain/internal/fence"
)

func TestTheSelfTestPassesInAFence(t *testing.T) {
	needLandlock(t)
	if err := TryFence(t.Context(), fence.Landlock); err != nil {
		t.Error(err)
	}
}

func TestTheSelfTestSeesThatThereIsNoFence(t *testing.T) {
	err := TryFence(t.Context(), fence.None)
	var wrong *fence.Error
	if !errors.As(err, &wrong) {
		t.Fatalf("TryFence = %v, want an error of the fence", err)
	}
	for _, hole := range (&trial{}).holes() {
		if strings.HasPrefix(hole.words, "the runner") && fence.Look().Landlock < 6 {
			continue // where no fence could keep signals inside, nobody asks for it
		}
		if !strings.Contains(err.Error(), hole.words) {
			t.Errorf("it does not say %q: %v", hole.words, err)
		}
	}
	if strings.Contains(err.Error(), "no work") {
		t.Errorf("work was possible, and it says: %v", err)
	}
}

func TestAFenceOfNoKnownKindFailsTheSelfTest(t *testing.T) {
	err := TryFence(t.Context(), "paper")
	var unfenced *FenceError
	if !errors.As(err, &unfenced) {
		t.Errorf("TryFence = %v, want a FenceError", err)
	}
}

// needLandlock skips where no fence of it can be raised.
func needLandlock(t testing.TB) {
	t.Helper()
	facts := fence.Look()
	if facts.Landlock < 2 || !facts.Filter {
		t.Skipf("Landlock is of version %d on this kernel (%s)", facts.Landlock, facts.Kernel)
	}
	if c, err := fence.NewConfiner(fence.Policy{Kind: fence.Landlock}); err == nil {
		defer c.Close()
		if err := c.On(func() {}); errors.Is(err, syscall.EBUSY) {
			t.Skip(err) // we are in one
		}
	}
}
