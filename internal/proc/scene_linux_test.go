package proc

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/loop"
)

// agent stands in for a coding agent at its worst. $1 marks all it starts: a
// file, without which none of it goes on for long. It ends as $2 says. With
// marked as $3 there is nobody among it whom only a keeper is sure to find.
const agent = `
trap "" TERM INT HUP
# a daemon that hears no signal and holds the pipe
(setsid sh -c 'trap "" TERM INT HUP; while [ -e "$0" ]; do sleep 0.05; done' "$1" &)
# one that is stopped
setsid sh -c 'kill -STOP $$; while [ -e "$0" ]; do sleep 0.05; done' "$1" &
if [ "$3" != marked ]; then # what only a keeper finds for certain
# a daemon that has closed everything and forgotten who started it
(setsid env -i sh -c 'exec <&- >&- 2>&-; while [ -e "$0" ]; do sleep 0.05; done' "$1" &)
# one that is never there: it has a child and is gone, some thousand times
hop='[ -e "$1" ] && [ "$2" -gt 0 ] && sh -c "$0" "$0" "$1" $(($2 - 1)) &'
setsid sh -c "$hop" "$hop" "$1" 5000 &
fi
echo ready
case $2 in
exit) exit 3 ;;
die) kill -KILL $$ ;;
esac
while [ -e "$1" ]; do sleep 0.05; done
`

func init() { helpers["runner"] = runner }

// runner is a run: it has a keeper run the agent that args describe, within a fence
// of some kind.
func runner(args []string) int {
	k := NewKeeper(Mark{Run: args[0], Runner: args[1]}, nil).Within(fenceFor(fence.Kind(args[2]), args[3]))
	defer k.Close()
	exit, err := k.Run(context.Background(), Spec{
		Argv: append([]string{"sh", "-c", agent, "agent"}, args[3:]...), Env: os.Environ(),
		Stdout: Sink{Line: func(line []byte, _ bool) { fmt.Printf("%s\n", line) }},
	})
	fmt.Println(exit, err)
	return 0
}

// scene is a run with one agent.
type scene struct {
	t    testing.TB
	mark Mark
	tree string
	file string // marks all that the agent starts
}

func newScene(t testing.TB) scene {
	t.Helper()
	tree := t.TempDir()
	s := scene{t, NewMark("loop_"+rand.Text(), tree), tree, filepath.Join(tree, "alive")}
	if err := os.WriteFile(s.file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s scene) keeper(spare ...string) *Keeper { return s.keeperWithin(fence.None, spare...) }

func (s scene) keeperWithin(kind fence.Kind, spare ...string) *Keeper {
	k := NewKeeper(s.mark, spare).Within(fenceFor(kind, s.file))
	s.t.Cleanup(k.Close)
	return k
}

// fenceFor lets the agent work where its file is.
func fenceFor(kind fence.Kind, file string) *fence.Policy {
	return &fence.Policy{Kind: kind, Write: []string{filepath.Dir(file)}}
}

// needFence skips where no fence of a kind can be raised.
func needFence(t testing.TB, kind fence.Kind) {
	t.Helper()
	switch kind {
	case fence.Landlock:
		needLandlock(t)
	case fence.Namespaces:
		if err := canPart(); err != nil {
			t.Skip(err)
		}
	}
}

// eachFence runs a test in every kind of fence that can be raised here.
func eachFence(t *testing.T, test func(t *testing.T, kind fence.Kind)) {
	t.Helper()
	for _, kind := range []fence.Kind{fence.None, fence.Landlock, fence.Namespaces} {
		t.Run(string(kind), func(t *testing.T) {
			needFence(t, kind)
			test(t, kind)
		})
	}
}

func (s scene) spec(how ...string) Spec {
	return Spec{Argv: append([]string{"sh", "-c", agent, "agent", s.file}, how...), Env: os.Environ()}
}

// survivors lists all that carries a mark of the scene, but for its keeper.
func (s scene) survivors() []string {
	s.t.Helper()
	return slices.DeleteFunc(s.everyone(), func(one string) bool { return strings.Contains(one, helperWord) })
}

func (s scene) everyone() []string {
	s.t.Helper()
	pids, err := readPids()
	if err != nil {
		s.t.Fatal(err)
	}
	var list []string
	for _, pid := range pids {
		env, argv := environOf(pid), argvOf(pid)
		if slices.Contains(env, runnerName+"="+s.mark.Runner) || slices.Contains(argv, s.file) || slices.Contains(argv, s.mark.Runner) {
			list = append(list, fmt.Sprintf("%d %q", pid, argv))
		}
	}
	return list
}

// expectNone looks until nobody is left, the keeper included, or fails after a
// second.
func (s scene) expectNone() {
	s.t.Helper()
	var left []string
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); {
		if left = s.everyone(); len(left) == 0 {
			return
		}
		if err := rest(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
	}
	s.t.Errorf("%d left:\n%s", len(left), strings.Join(left, "\n"))
}

// signalKeeper sends a signal to the process that keeps the others.
func signalKeeper(k *Keeper, s syscall.Signal) error { return syscall.Kill(k.line.keeper.pid, s) }

func sameExit(a, b loop.Exit) bool {
	if (a.Code == nil) != (b.Code == nil) || a.Code != nil && *a.Code != *b.Code {
		return false
	}
	return a.Signal == b.Signal && a.Cause == b.Cause
}
