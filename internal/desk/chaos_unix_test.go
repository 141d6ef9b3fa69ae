//go:build unix

package desk

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
)

// Workers are killed, frozen and cut off at random moments. Whatever happens, each
// iteration counts once, the branch has the work of each, and nobody is left.
//
//	DESK_SEED=N    the same again, as far as the machine lets it be
//	DESK_ROUNDS=N  how many runs
func TestAtAnyMoment(t *testing.T) {
	t.Parallel()
	number := func(name string, usual uint64) uint64 {
		if n, err := strconv.ParseUint(os.Getenv(name), 10, 64); err == nil {
			return n
		}
		return usual
	}
	seed := number("DESK_SEED", uint64(time.Now().UnixNano()))
	t.Logf("DESK_SEED=%d", seed)
	for round := range number("DESK_ROUNDS", 2) {
		t.Run(fmt.Sprint(round), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, agent("sleep 0.1"))
			c := chaos{w, rand.New(rand.NewPCG(seed, round)), w.spec()}
			c.spec.Quantum.Iterations = 0
			c.run()
		})
	}
}

type chaos struct {
	*world
	random *rand.Rand
	spec   fleet.Spec
}

func (c chaos) run() {
	const faults = 6
	workers := []string{"a", "b"}
	leg := 1
	var frozen []*child
	for ; leg <= faults; leg++ {
		worker := workers[c.random.IntN(len(workers))] + strconv.Itoa(len(frozen))
		one := c.child(worker, c.spec, leg, func(j *job) {
			j.Pulse = c.at("no pulse")
			j.State = c.at("state-" + worker) // who is frozen may hold a lock of its machine
		})
		ended := make(chan struct{})
		var out fleet.Standing
		go func() {
			defer close(ended)
			out, _ = one.waitQuietly()
		}()
		select {
		case <-ended:
		case <-time.After(time.Duration(200+c.random.IntN(3000)) * time.Millisecond):
			switch c.random.IntN(4) {
			case 0: // its legs go on as another's, and it thaws at the end
				_ = one.cmd.Process.Signal(syscall.SIGSTOP)
				frozen = append(frozen, one)
				continue
			case 1:
				away := c.at("away" + strconv.Itoa(leg))
				_ = os.Rename(c.at("hub.git"), away)
				time.Sleep(time.Duration(c.random.IntN(1500)) * time.Millisecond)
				_ = os.Rename(away, c.at("hub.git"))
			}
			_ = one.cmd.Process.Kill()
			<-ended
		}
		if out.Over() {
			break
		}
	}
	d := c.desk("last")
	for range 10 {
		leg++
		out, err := d.Run(c.t.Context(), fleet.Turn{Spec: c.spec, Leg: leg}, fleet.Hooks{})
		if err != nil {
			c.t.Fatal(err)
		}
		if out.Over() {
			break
		}
	}
	for _, one := range frozen {
		_ = one.cmd.Process.Signal(syscall.SIGCONT)
	}
	for _, one := range frozen {
		c.await("who was frozen has come to an end", func() bool { return one.cmd.Process.Signal(syscall.Signal(0)) != nil })
	}
	c.whole(c.spec)
	c.nobodyLeft(c.spec)
}
