package hook

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
)

// daemonise leaves a process behind that has a session of its own, hears no
// signal and holds the pipes. It writes down its number first.
const daemonise = `#!/bin/sh
(setsid sh -c 'trap "" TERM INT HUP; echo $$ >number; mv number "$0"; while [ -e "$0" ]; do sleep 0.05; done' pid &)
while [ ! -e pid ]; do sleep 0.01; done
`

func TestADaemonOfAHookIsEndedWithIt(t *testing.T) {
	for _, tt := range []struct {
		name   string
		end    string
		action Action
		why    string
	}{
		{"when it ends well", "exit 1", Skip, ""},
		{"when it hangs", "echo ready; sleep 60", Continue, "took longer than 1m0s and was ended: ready"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			keeper := proc.NewKeeper(proc.Mark{Run: "loop_" + rand.Text(), Runner: rand.Text()}, nil)
			t.Cleanup(keeper.Close)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			c := call(t)
			c.Exec = keeper.Run
			c.Log = writer(func([]byte) { cancel(proc.End(loop.AtDeadline)) }) // it is ready, and its minute over
			r := program(t, NextIteration, daemonise+tt.end+"\n").Run(ctx, NextIteration, c)
			if r.Action != tt.action || r.Why != tt.why {
				t.Errorf("result = %+v", r)
			}
			number, err := os.ReadFile(filepath.Join(c.Dir, "pid"))
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(number)))
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
				t.Errorf("the daemon lives: %v", err)
			}
		})
	}
}
