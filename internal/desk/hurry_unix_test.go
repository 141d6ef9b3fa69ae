//go:build unix

package desk

import (
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// limited is an agent whose provider turns it away for two hours.
func limited() string {
	return `#!/bin/sh
echo $REFRAIN_ITERATION >>"$DESK_TEST_WORLD/starts"
echo '{"type":"system","subtype":"init","session_id":"s"}'
echo '{"type":"result","subtype":"success","is_error":true,"session_id":"s","result":"Claude AI usage limit reached|'$(($(date +%s) + 7200))'"}'
exit 1
`
}

// A person who does not want to wait for a limit is heard by the leg that comes next.
func TestHurry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, limited())
	s := w.paid("limited")
	s.Quantum = fleet.Quantum{Patience: time.Minute}
	d := w.desk("a")
	for leg, tt := range []struct {
		hurry  bool
		starts string
	}{{false, "1"}, {false, "1"}, {true, "1 1"}, {false, "1 1"}} {
		out, err := d.Run(t.Context(), fleet.Turn{Spec: s, Leg: leg + 1, Hurry: tt.hurry}, fleet.Hooks{})
		if err != nil || out.Rule != loop.RuleLimit || out.Until.IsZero() || w.starts() != tt.starts {
			t.Errorf("leg %d: %+v, %v; agents were started in the iterations %s, want %s", leg+1, out, err, w.starts(), tt.starts)
		}
	}
}
