//go:build unix

package fleettest

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/loop"
)

// How chaos is, where nobody says otherwise.
const (
	chaosRuns    = 24
	chaosWorkers = 3
	chaosRepos   = 4
	fewFaults    = 200
	agentTakes   = 120 // tenths of a second at most: longer than the lease

	// mostTogether is for how long two agents may be at work on the same run: an agent
	// that thaws takes a moment to be ended.
	mostTogether = 2 * time.Second
)

// Runs come to their ends while their workers, their agents, the wires and the server have faults
// at random moments; and in the end nothing is lost, done twice or left behind.
func TestChaos(t *testing.T) {
	if os.Getenv("FLEET_SLOW") != "chaos" {
		t.Skip("make chaos-fleet runs it")
	}
	most := setting(t, "FAULTS", fewFaults)
	seed := uint64(setting(t, "SEED", int(rand.Uint32())))
	t.Logf("FAULTS=%d SEED=%d", most, seed)
	dice := rand.New(rand.NewPCG(seed, 0))
	c := &chaos{yard: newYard(t), dice: dice}
	c.patience = 15 * time.Minute
	c.count(0)
	for i := range chaosRepos {
		c.create(repoOf(i))
	}
	for i := range chaosWorkers {
		c.newWorker(fmt.Sprintf("w%d", i+1), chaosRuns/2)
	}
	for i := range chaosRuns {
		until := most * (i + 1) / chaosRuns // so that some end all the time
		words, more := kindOf(i).words, kindOf(i).more
		c.submit(repoOf(i), runOf(i), fmt.Sprintf("take %d until %d faults%s", 5+dice.IntN(agentTakes), until, words), more...)
	}
	c.play(most)
	c.await()
	var sum seen
	for name, r := range c.rows() {
		i := number(t, name[len("run-"):])
		s := c.check(r, repoOf(i), kindOf(i).ends...)
		sum.iterations += s.iterations
		sum.lost += s.lost
		sum.legs += s.legs
		sum.together += s.together
	}
	t.Logf("%d runs, %d iterations in %d legs, %d attempts lost and made again; two agents at work on a run at the same time: %v",
		chaosRuns, sum.iterations, sum.legs, sum.lost, sum.together)
	if sum.together > mostTogether {
		t.Errorf("two agents were at work on a run for %v, want %v at most", sum.together, mostTogether)
	}
	for _, w := range c.workers {
		w.leave()
		w.idle(10 * time.Second)
	}
}

// kind is what becomes of a run: one that is over stays over, however it ended.
type kind struct {
	words string // for the agent
	more  []string
	ends  []loop.Status // none: done
}

func kindOf(run int) kind {
	switch run / chaosRepos % 4 { // each repository has each of them
	case 1:
		return kind{words: ", leave it"}
	case 2: // an agent that is killed has failed, too
		return kind{words: ", give up", more: []string{"--set", "stop.failures=3"}, ends: []loop.Status{loop.Aborted}}
	case 3:
		return kind{words: ", leave it", more: []string{"-n", "6"}, ends: []loop.Status{loop.Done, loop.Exhausted}}
	}
	return kind{}
}

func repoOf(run int) string { return fmt.Sprintf("app-%d", run%chaosRepos) }
func runOf(run int) string  { return fmt.Sprintf("run-%d", run) }

// setting is a number from the environment.
func setting(t testing.TB, name string, usual int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return usual
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return n
}

// chaos is a fleet in which things go wrong.
type chaos struct {
	*yard
	dice  *rand.Rand
	made  int
	wrong []trouble // that is not mended yet
}

// play has faults happen, one after the other, each of them to somebody who has none.
func (c *chaos) play(most int) {
	begin := time.Now()
	for c.made < most {
		time.Sleep(time.Duration(200+c.dice.IntN(1200)) * time.Millisecond)
		c.mend(time.Now())
		c.revive()
		what := c.any()
		if what == "" {
			continue
		}
		c.count(c.made + 1)
		c.Logf("%.1fs: fault %d: %s", time.Since(begin).Seconds(), c.made, what)
	}
	c.mend(time.Now().Add(time.Hour))
}

// any has a fault happen, and says what; nothing, where it could not.
func (c *chaos) any() string {
	if c.dice.IntN(20) == 0 {
		if c.troubled(nil) {
			return ""
		}
		what, mend := serverGoes(c.server, c.dice)
		c.wrong = append(c.wrong, trouble{nil, time.Now().Add(some(c.dice, 0, lease)), mend})
		return what
	}
	w := c.workers[c.dice.IntN(len(c.workers))]
	f := faults[c.dice.IntN(len(faults))]
	if c.troubled(w) {
		return ""
	}
	mend := f.do(w, c.dice)
	if mend == nil {
		return ""
	}
	c.wrong = append(c.wrong, trouble{w, time.Now().Add(some(c.dice, f.least, f.most)), mend})
	return w.name + ": " + f.what
}

// revive starts workers that have ended by themselves, which none has a reason to.
func (c *chaos) revive() {
	for _, w := range c.workers {
		if !c.troubled(w) && w.ended() {
			c.Errorf("%s has ended by itself, with status %d", w.name, w.left())
			w.start()
		}
	}
}

func (c *chaos) troubled(w *worker) bool {
	return slices.ContainsFunc(c.wrong, func(one trouble) bool { return one.of == w })
}

// mend mends what has lasted until now.
func (c *chaos) mend(now time.Time) {
	var left []trouble
	for _, one := range c.wrong {
		if now.Before(one.until) {
			left = append(left, one)
			continue
		}
		one.mend()
	}
	c.wrong = left
}

// count says how many faults there were, for the agents to know when they are done.
func (c *chaos) count(n int) {
	c.Helper()
	c.made = n
	path := filepath.Join(c.notes, "faults")
	if err := os.WriteFile(path+".new", []byte(strconv.Itoa(n)+"\n"), 0o600); err != nil {
		c.Fatal(err)
	}
	if err := os.Rename(path+".new", path); err != nil {
		c.Fatal(err)
	}
}

// await waits until every run is over. One that the fleet has given up is a fault; a
// person has it go on, so that the rest can be looked at.
func (c *chaos) await() {
	c.Helper()
	c.until("every run is over", func() bool {
		rows := c.rows()
		for name, r := range rows {
			if r.State == fleet.Failed {
				c.Errorf("%s was given up: %s", name, r.Wrong)
				c.order("resume", name)
			}
			if !over(r) {
				return false
			}
		}
		return len(rows) == chaosRuns
	})
}
