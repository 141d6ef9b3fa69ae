package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// chaosIterations is how many iterations a run in chaos takes to be done. One
// that is lost or killed at its end takes a few more.
const chaosIterations = 20

// A runner is killed at random moments and resumed at once, again and again.
func TestChaosKill(t *testing.T) {
	t.Parallel()
	dice := newDice(t)
	for kills := rounds(t, 15); kills > 0 && !t.Failed(); {
		c := newChaos(t, dice)
		kills -= c.play(kills, func() bool { return true })
		c.check()
		c.checkNothingLost()
	}
}

// The same, and the journal loses some of its end between two runners. What was
// not on the disk yet may be lost: then it is as if that had not happened, and it
// happens again. What was can only have been cut off.
func TestChaosCut(t *testing.T) {
	t.Parallel()
	dice := newDice(t)
	for kills := rounds(t, 5); kills > 0 && !t.Failed(); {
		c := newChaos(t, dice)
		short := false
		kills -= c.play(kills, func() bool {
			short = c.cut()
			return !short
		})
		if short {
			c.checkShort()
		} else {
			c.check()
		}
	}
}

// The agent is killed, not the runner: the run goes on without help.
func TestChaosAgentKill(t *testing.T) {
	t.Parallel()
	dice := newDice(t)
	for kills := rounds(t, 5); kills > 0 && !t.Failed(); {
		c := newChaos(t, dice)
		killed := c.killAgents(kills)
		kills -= killed
		c.check()
		c.checkNothingLost()
		c.checkKilled(killed)
	}
}

// rounds is how often something is to be killed: CHAOS_ROUNDS times,
// or few times.
func rounds(t *testing.T, few int) int {
	text := os.Getenv("CHAOS_ROUNDS")
	if text == "" {
		return few
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("CHAOS_ROUNDS: %v", err)
	}
	return n
}

// chaos is a world in which things are killed at random moments.
type chaos struct {
	*world
	dice *rand.Rand
	seen *os.File // what the runners showed, life after life
	past []byte   // what the journal was last known to hold
}

func newChaos(t *testing.T, dice *rand.Rand) *chaos {
	t.Helper()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("needs /proc to find what a killed runner leaves behind")
	}
	c := &chaos{world: newWorld(t), dice: dice}
	t.Cleanup(c.endSurvivors)
	c.must("git", "init", "-q", "-b", "main")
	var err error
	if c.seen, err = os.Create(filepath.Join(c.tree, "..", "seen")); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.seen.Close() })
	return c
}

// newDice makes dice that roll the same way again when CHAOS_SEED is what
// the log says.
func newDice(t *testing.T) *rand.Rand {
	seed := rand.Uint64()
	if text := os.Getenv("CHAOS_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatalf("CHAOS_SEED: %v", err)
		}
	}
	t.Logf("CHAOS_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// play takes a run to its end, and on the way kills its runner most times, if
// it gets that far. After each kill something may happen before the resume, and
// tells whether there is to be one.
func (c *chaos) play(most int, after func() bool) (kills int) {
	for {
		r := c.start()
		if kills == most {
			r.await()
			return kills
		}
		if r.ended(c.soon()) {
			return kills
		}
		c.remember()
		shown := c.shown()
		if !r.kill() {
			return kills
		}
		kills++
		c.remember()
		c.checkStatus(shown)
		if !after() {
			return kills
		}
	}
}

// start starts a runner: the first, or one that goes on.
func (c *chaos) start() *runner {
	c.Helper()
	if _, ok := c.run(); ok {
		return c.launch("resume", "-o", "json")
	}
	script := c.write("script.toml", rehearsal(chaosIterations,
		`{ text = "iteration {iteration}, attempt {attempt}" }`,
		`{ write = "{iteration}.txt", content = "{iteration}\n" }`,
		`{ sleep = "3ms" }`,
		// A git that was killed leaves its locks, and one that still works for
		// a killed runner may be in the way. Neither is what this is about.
		`{ run = "find .git -name '*.lock' -delete; git add -A; git commit -q -m 'iteration {iteration}'" }`,
		`{ text = "wrote {iteration}.txt" }`,
	))
	return c.launch("run", "-o", "json", "-p", "go on", "--until", "DONE", "-n", strconv.Itoa(2*chaosIterations),
		"-a", "rehearsal", "--set", "agents.rehearsal.script="+script,
		"--gate", `ls && echo "ok 1 - list" && echo 1..1`,
		"--set", "loop.backoff=0s", "--set", "stop.failures=0", "--set", "stop.no_progress=0", "--set", "stop.repeats=0")
}

// moment is when something is killed: when the journal here has the nth of what,
// and then a little later.
type moment struct {
	what string
	nth  int
	then time.Duration
}

// marks are what moments are counted in: any line, or one after which a runner
// has something to do that a kill must not spoil.
var (
	marks    = []string{"\n", "\n", "run.resumed", "iteration.started", "agent.started", "agent.exited", "checkpoint.made", "gate.started", "iteration.finished"}
	endMarks = []string{"agent.exited", "claim.heard", "iteration.finished", "run.rule", "run.finished"}
)

// soon is a moment in the next iterations, or at times while a runner has only
// begun. An iteration takes half a dozen lines and a few dozen milliseconds.
func (c *chaos) soon() moment {
	if c.dice.IntN(8) == 0 {
		return moment{then: c.little()}
	}
	if c.count("iteration.finished") >= chaosIterations-1 {
		return c.next(endMarks[c.dice.IntN(len(endMarks))], 1)
	}
	what := marks[c.dice.IntN(len(marks))]
	if what == "\n" {
		return c.next(what, 20)
	}
	return c.next(what, 3)
}

// next is a moment after one of the next few of what. Every other moment comes
// at once after it.
func (c *chaos) next(what string, few int) moment {
	m := moment{what: what, nth: c.count(what) + 1 + c.dice.IntN(few)}
	if c.dice.IntN(2) == 0 {
		m.then = c.little()
	}
	return m
}

func (c *chaos) little() time.Duration {
	return time.Duration(c.dice.Int64N(int64(30 * time.Millisecond)))
}

// count counts in the journals here.
func (c *chaos) count(what string) int {
	n := 0
	for _, path := range c.journals() {
		if b, err := os.ReadFile(path); err == nil {
			n += bytes.Count(b, []byte(what))
		}
	}
	return n
}

// journals finds the journals here: a runner that died before its first event
// leaves an empty one, and the next run is another.
func (c *chaos) journals() []string {
	list, err := filepath.Glob(filepath.Join(c.store().Dir, "runs", "*", "journal.jsonl"))
	if err != nil {
		c.Fatal(err)
	}
	return list
}

// cut cuts the journal at a random byte, and tells whether that is before what its
// head or run.json says was on the disk; mostly it is not. What makes it a run, its first
// line, is left. What was made of the rest goes with it.
func (c *chaos) cut() (short bool) {
	c.Helper()
	entry, ok := c.run()
	if !ok {
		return false
	}
	head := bytes.Count(c.read(entry.Dir, "journal.head"), []byte("\n"))
	from := 0
	for range max(c.headSays(entry.Dir, head), c.metaSays(entry.Dir)) {
		from += bytes.IndexByte(c.past[from:], '\n') + 1
	}
	safe := from
	if c.dice.IntN(3) == 0 {
		from = bytes.IndexByte(c.past, '\n') + 1
	}
	lost := c.dice.IntN(len(c.past) - from + 1)
	if err := os.Truncate(filepath.Join(entry.Dir, "journal.jsonl"), int64(len(c.past)-lost)); err != nil {
		c.Fatal(err)
	}
	if err := os.Remove(filepath.Join(entry.Dir, "state.json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
		c.Fatal(err)
	}
	short = len(c.past)-lost < safe
	c.past = nil
	c.remember()
	return short
}

// headSays is how many events there were at the nth line of the head.
func (c *chaos) headSays(dir string, n int) int {
	c.Helper()
	if n == 0 {
		return 1
	}
	number, _, _ := bytes.Cut(bytes.Split(c.read(dir, "journal.head"), []byte("\n"))[n-1], []byte(" "))
	events, err := strconv.Atoi(string(number))
	if err != nil {
		c.Fatal(err)
	}
	return events
}

// metaSays is how many events there were when run.json was last written: a runner
// may have been killed before it could write to the head, too.
func (c *chaos) metaSays(dir string) int {
	c.Helper()
	var meta struct{ Head struct{ Events int } }
	if err := json.Unmarshal(c.read(dir, "run.json"), &meta); err != nil {
		c.Fatal(err)
	}
	return meta.Head.Events
}

// killAgents lets one runner live, and kills its agents.
func (c *chaos) killAgents(most int) (kills int) {
	r := c.start()
	for kills < most && !r.ended(c.next("agent.started", 3)) {
		if pid := c.agent(); pid > 0 && c.end(pid) {
			kills++
		}
	}
	r.await()
	return kills
}

// agent is the process of the agent that works now, 0 when there is none.
func (c *chaos) agent() (pid int) {
	c.remember()
	for _, e := range c.events(c.past) {
		switch p := e.Payload.(type) {
		case *loop.AgentStarted:
			pid = p.PID
		case *loop.AgentExited:
			pid = 0
		}
	}
	return pid
}

// end kills a process that was started in this world, and tells whether there
// was one. Whatever was started here has our home in its environment; who was
// given the number of a process that is gone has not.
func (c *chaos) end(pid int) bool {
	env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	home := "HOME=" + filepath.Join(filepath.Dir(c.tree), "home") + "\x00"
	if err != nil || !bytes.Contains(env, []byte(home)) {
		return false
	}
	p, err := os.FindProcess(pid)
	return err == nil && p.Kill() == nil
}

// endSurvivors ends what killed runners have left behind, and waits for it.
func (c *chaos) endSurvivors() {
	for {
		entries, err := os.ReadDir("/proc")
		if err != nil {
			c.Error(err)
			return
		}
		alive := false
		for _, e := range entries {
			if pid, err := strconv.Atoi(e.Name()); err == nil && c.end(pid) {
				alive = true
			}
		}
		if !alive {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// runner is a runner at work.
type runner struct {
	chaos  *chaos
	cmd    *exec.Cmd
	stderr bytes.Buffer
	err    error
	gone   chan struct{} // closed when it has ended, and err is set
}

func (c *chaos) launch(args ...string) *runner {
	c.Helper()
	r := &runner{chaos: c, cmd: c.command(c.program, args...), gone: make(chan struct{})}
	r.cmd.Stdout, r.cmd.Stderr = c.seen, &r.stderr
	if err := r.cmd.Start(); err != nil {
		c.Fatal(err)
	}
	go func() {
		defer close(r.gone)
		r.err = r.cmd.Wait()
	}()
	return r
}

// ended waits for a moment, and tells whether the run came to its end before.
func (r *runner) ended(m moment) bool {
	r.chaos.Helper()
	wait := 100 * time.Microsecond
	for come := false; !come; {
		if come = r.chaos.count(m.what) >= m.nth; come {
			wait = m.then
		}
		select {
		case <-r.gone:
			r.await()
			return true
		case <-time.After(wait):
		}
	}
	return false
}

// await waits until the runner has ended, which must be because the run is done.
func (r *runner) await() {
	r.chaos.Helper()
	<-r.gone
	if r.err != nil {
		r.chaos.Fatalf("%q: %v\n%s\nthe journal:\n%s", r.cmd.Args, r.err, &r.stderr, r.chaos.tail())
	}
}

// tail is the end of the journal, for whoever has to find out what went wrong.
func (c *chaos) tail() string {
	c.Helper()
	c.remember()
	lines := strings.SplitAfter(string(c.past), "\n")
	return strings.Join(lines[max(0, len(lines)-40):], "")
}

// kill tells whether it came before the runner's own end.
func (r *runner) kill() bool {
	r.chaos.Helper()
	_ = r.cmd.Process.Kill()
	<-r.gone
	var exit *exec.ExitError
	if errors.As(r.err, &exit) && !exit.Exited() {
		return true
	}
	r.await()
	return false
}
