package proc

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAnUnknownHelperExitsWithAMessage(t *testing.T) {
	exit, _, stderr := run(t, t.Context(), helperSpec(t, "nobody"))
	if diff := cmp.Diff(exited(2), exit); diff != "" {
		t.Error(diff)
	}
	if got := strings.Join(stderr, "\n"); !strings.Contains(got, `no helper named "nobody"`) {
		t.Errorf("stderr = %q", got)
	}
}

func TestAHelperWithoutANameExitsWithAMessage(t *testing.T) {
	s := helperSpec(t, "exit")
	s.Argv = s.Argv[:2]
	exit, _, stderr := run(t, t.Context(), s)
	if exit.Zero() || !slices.ContainsFunc(stderr, func(l string) bool { return strings.Contains(l, "needs a name") }) {
		t.Errorf("exit = %+v, stderr = %q", exit, stderr)
	}
}

func TestWithoutHelperThereIsNoCommand(t *testing.T) {
	called.Store(false)
	defer called.Store(true)
	_, err := HelperCommand("rehearsal")
	var no *NoHelperError
	if !errors.As(err, &no) || !strings.Contains(err.Error(), "Helper") {
		t.Errorf("HelperCommand = %v, want a NoHelperError that names Helper", err)
	}
}
