package refrain_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/refrain-loop/refrain"
)

// forgetful makes the test program one that does not call Helper.
const forgetful = "TEST_WITHOUT_HELPER"

func TestMain(m *testing.M) {
	if os.Getenv(forgetful) != "" {
		_, err := refrain.Run(context.Background(), refrain.Options{Command: []string{"true"}})
		fmt.Print(errors.Is(err, refrain.ErrNoHelper), " ", err)
		return
	}
	refrain.Helper()
	home, err := os.MkdirTemp("", "refrain-test-")
	if err != nil {
		panic(err)
	}
	cleanHome(home)
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		os.RemoveAll(home)
		os.Exit(code)
	}))
}

// cleanHome leaves nothing of the user's own world.
func cleanHome(home string) {
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "REFRAIN_") || strings.HasPrefix(name, "XDG_") || strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	os.Setenv("GORACE", "atexit_sleep_ms=0") // each keeper would end a second later
	os.Setenv("HOME", home)
	os.Setenv("XDG_CONFIG_HOME", filepath.Join(home, "config"))
	os.Setenv("XDG_CACHE_HOME", filepath.Join(home, "cache"))
	os.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
}
