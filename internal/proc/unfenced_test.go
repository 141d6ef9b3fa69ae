package proc

import (
	"errors"
	"testing"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/loop"
)

func TestAFenceThatCanNotBeRaisedStartsNothing(t *testing.T) {
	k := NewKeeper(NewMark("loop_unfenced", t.TempDir()), nil).Within(&fence.Policy{Kind: "paper"})
	defer k.Close()
	for range 2 { // it is not given up for less
		s := helperSpec(t, "say", "started", "")
		s.Stdout.Line = func(line []byte, _ bool) { t.Errorf("it said %s", line) }
		s.Warn = func(w loop.Warning) { t.Errorf("warned %q, want an error alone", w.Text) }
		_, err := k.Run(t.Context(), s)
		var unfenced *FenceError
		if !errors.As(err, &unfenced) || unfenced.Kind != "paper" {
			t.Errorf("Run = %v, want a FenceError", err)
		}
	}
}

func TestWithoutAFenceNothingChanges(t *testing.T) {
	for _, none := range []*fence.Policy{nil, {}, {Kind: fence.None}} {
		k := NewKeeper(NewMark("loop_plain", t.TempDir()), nil).Within(none)
		if exit, err := k.Run(t.Context(), helperSpec(t, "exit", "0")); err != nil || !exit.Zero() {
			t.Errorf("within %+v: exit = %+v, %v", none, exit, err)
		}
		k.Close()
	}
}
