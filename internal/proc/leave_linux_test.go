package proc

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// tidier starts something in a session of its own that takes away a lock when it
// is asked to leave, and ends while that works. With stop as $2 it is stopped by then.
const tidier = `
setsid sh -c 'trap "rm $0; exit" TERM; echo >"$0"; [ "$1" = stop ] && kill -STOP $$; while [ -e "$0" ]; do sleep 0.01; done' "$1" "$2" >/dev/null 2>&1 &
until [ -e "$1" ]; do sleep 0.01; done
[ "$2" = stop ] && until grep -q 'State:.T' /proc/$!/status; do sleep 0.01; done
exit 0
`

func TestWhatIsLeftIsAskedToLeave(t *testing.T) {
	for _, how := range []string{"go on", "stop"} {
		t.Run(how, func(t *testing.T) {
			// Who leaves when asked is not waited for any longer.
			setLeave(t, time.Hour)
			scene := newScene(t)
			lock := filepath.Join(scene.tree, "lock")
			exit, err := scene.keeper().Run(t.Context(), Spec{Argv: []string{"sh", "-c", tidier, "tidier", lock, how}, Env: os.Environ()})
			if err != nil || !exit.Zero() {
				t.Fatalf("exit = %+v, %v", exit, err)
			}
			if _, err := os.Stat(lock); !os.IsNotExist(err) {
				t.Errorf("stat of its lock = %v: it was not asked to leave before it was ended", err)
			}
		})
	}
}

func TestWhoDoesNotLeaveIsEnded(t *testing.T) {
	setLeave(t, 100*time.Millisecond)
	scene := newScene(t)
	began := time.Now()
	if exit, err := scene.keeper().Run(t.Context(), scene.spec("exit")); err != nil || !sameExit(exit, exited(3)) {
		t.Errorf("exit = %+v, %v, want 3", exit, err)
	}
	if took := time.Since(began); took < 100*time.Millisecond {
		t.Errorf("it took %v: nobody was given the time to leave", took)
	}
	if left := scene.survivors(); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}

// setLeave changes for one test how long those may take who are asked to leave.
func setLeave(t *testing.T, leave time.Duration) {
	t.Helper()
	old := ladder.leave
	t.Cleanup(func() { ladder.leave = old })
	ladder.leave = leave
}
