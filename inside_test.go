//go:build unix

package refrain_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain"
)

func TestACommandInAnObserverIsRefusedAndDoesNotHang(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	dir, control := t.TempDir(), refrain.NewControl()
	var pause, note, attached, subscribed error
	r := run(t, refrain.Options{
		Dir: dir, Command: script("true"), Control: control,
		Observers: []refrain.Observer{refrain.ObserverFunc(func(e refrain.Event) {
			if _, ok := e.Payload.(*refrain.AgentStarted); !ok {
				return
			}
			pause, note = control.Pause(ctx), control.Note(ctx, "hello")
			for _, subscribed = range control.Subscribe(ctx, e.Seq) {
			}
			record, err := refrain.Open(dir, "")
			if err != nil {
				t.Error(err)
				return
			}
			attached = record.Control().StopNow(ctx)
		})},
	})
	if r.State != refrain.Done {
		t.Errorf("result = %+v, want that nothing came of the wishes", r)
	}
	for what, err := range map[string]error{"pause": pause, "note": note, "subscribe": subscribed, "stop_now": attached} {
		var refused *refrain.RefusedError
		if !errors.As(err, &refused) || refused.Command != what || !strings.Contains(refused.Why, "an observer") || refused.State != refrain.Running {
			t.Errorf("%s in an observer = %v, want it refused", what, err)
		}
	}
}

func TestAnObserverMaySteerAnotherRun(t *testing.T) {
	t.Parallel()
	other, ended := steady(t, refrain.Options{Dir: t.TempDir()})
	var stopped error
	run(t, refrain.Options{
		Dir: t.TempDir(), Command: script("true"),
		Observers: []refrain.Observer{refrain.ObserverFunc(func(e refrain.Event) {
			if _, ok := e.Payload.(*refrain.AgentStarted); ok {
				stopped = other.StopNow(t.Context())
			}
		})},
	})
	if stopped != nil {
		t.Error(stopped)
	}
	<-ended
}
