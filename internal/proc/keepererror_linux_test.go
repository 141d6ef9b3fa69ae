package proc

import (
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestAProcessThatEndsItsKeeperIsLostWithIt(t *testing.T) {
	setLadder(t, time.Hour, time.Hour, time.Hour)
	ladder.round = time.Hour // its warden sees to it
	const daemon = `(setsid env -i sh -c 'while [ -e "$0" ]; do sleep 0.05; done' "$1" >/dev/null 2>&1 &); `
	for how, script := range map[string]string{
		"was killed":  daemon + `kill -KILL $PPID; while [ -e "$1" ]; do sleep 0.05; done`,
		"was stopped": daemon + `kill -STOP $PPID; exit 0`,
	} {
		t.Run(how, func(t *testing.T) {
			scene := newScene(t)
			k := scene.keeper()
			var warned []loop.Warning
			exit, err := k.Run(t.Context(), Spec{
				Argv: []string{"sh", "-c", script, "agent", scene.file}, Env: os.Environ(),
				Warn: func(w loop.Warning) { warned = append(warned, w) },
			})
			var lost *KeeperError
			var start *StartError
			if !errors.As(err, &lost) || errors.As(err, &start) || lost.How != how || !strings.Contains(err.Error(), "keeper") {
				t.Errorf("Run = %+v, %v, want a KeeperError that says it %s", exit, err, how)
			}
			if len(warned) != 1 || warned[0].Key != "" || !strings.Contains(warned[0].Text, how) {
				t.Errorf("warned %+v; want it once, and to be sure of the rest", warned)
			}
			if left := scene.everyone(); len(left) > 0 {
				t.Errorf("%d left:\n%s", len(left), strings.Join(left, "\n"))
			}
			if exit, err := k.Run(t.Context(), helperSpec(t, "exit", "0")); err != nil || !exit.Zero() {
				t.Errorf("the next one: exit = %+v, %v", exit, err)
			}
		})
	}
}

func TestAWardenThatIsStoppedHoldsNobodyUp(t *testing.T) {
	setLadder(t, time.Hour, time.Hour, time.Hour)
	ladder.patience, ladder.round = 100*time.Millisecond, 20*time.Millisecond
	scene := newScene(t)
	var warned loop.Warning
	_, err := scene.keeper().Run(t.Context(), Spec{
		Argv: []string{"sh", "-c", `kill -STOP $(awk '{print $4}' /proc/$PPID/stat) $PPID; while [ -e "$1" ]; do sleep 0.05; done`, "agent", scene.file},
		Env:  os.Environ(), Warn: func(w loop.Warning) { warned = w },
	})
	var lost *KeeperError
	if !errors.As(err, &lost) || (warned.Key == Unkept) != (ByKernel() != nil) {
		t.Errorf("Run = %v, warned %+v, want it lost, and nobody sure of the rest but the kernel", err, warned)
	}
	scene.expectNone()
}
