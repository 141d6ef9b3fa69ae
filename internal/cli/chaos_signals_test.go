//go:build unix

package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Runner, keeper, agent and git get signals at random moments, and the run is
// resumed after each: with gates, hooks at every point, commits and proofs at
// work. Whatever happens, no agent that has come to its end works twice, and
// nothing is left behind.
func TestChaosSignals(t *testing.T) {
	t.Parallel()
	dice := newDice(t)
	for left := rounds(t, 12); left > 0 && !t.Failed(); {
		s := newStorm(t, dice)
		left -= s.play(left)
		s.check()
	}
}

// stormIterations is how many iterations a run in a storm takes to be done.
const stormIterations = 8

// storm is a chaos of signals.
type storm struct {
	*chaos
	temp string // the temporary folder of everything in it
	last *runner
}

func newStorm(t *testing.T, dice *rand.Rand) *storm {
	t.Helper()
	s := &storm{chaos: newChaos(t, dice)}
	s.temp = filepath.Join(filepath.Dir(s.tree), "temp")
	if err := os.Mkdir(s.temp, 0o700); err != nil {
		t.Fatal(err)
	}
	s.env = append(s.env, "TMPDIR="+s.temp)
	s.settle()
	return s
}

// settle makes the project: what a person had committed, and its settings.
func (s *storm) settle() {
	s.Helper()
	s.put("refrain.toml", `
[hooks.run]
started = "true"
next_iteration = "true"
post_iteration = "git status --porcelain >/dev/null"
failed = "true"
finished = "true"
[[gate]]
name = "test"
run = "n=$(ls *.txt 2>/dev/null | wc -l); i=0; while [ $i -lt $n ]; do i=$((i + 1)); echo \"ok $i - file $i\"; done; echo 1..$n"
`)
	s.put(".gitignore", ".refrain/\n")
	s.put("0.txt", "0\n")
	s.must("git", "add", "-A")
	s.must("git", "commit", "-q", "-m", "start")
}

func (s *storm) put(name, text string) {
	s.Helper()
	if err := os.WriteFile(filepath.Join(s.tree, name), []byte(text), 0o600); err != nil {
		s.Fatal(err)
	}
}

// start starts a runner: the first, or one that goes on. Some iterations commit
// by themselves, in some that is still under way when the agent ends, and the
// rest leave it to the runner.
func (s *storm) start() *runner {
	s.Helper()
	if _, ok := s.run(); ok {
		return s.launch("resume", "-o", "json")
	}
	script := s.write("script.toml", rehearsal(stormIterations,
		`{ run = "echo {iteration} >>../starts" }`,
		`{ write = "{iteration}.txt", content = "{iteration}\n" }`,
		`{ sleep = "3ms" }`,
		`{ run = "case {iteration} in *[15]) git add -A; git commit -q -m 'agent {iteration}' || true;; *[26]) git add -A; (git commit -q -m 'agent {iteration}' >/dev/null 2>&1 &);; esac" }`,
		`{ text = "wrote {iteration}.txt" }`,
	))
	return s.launch("run", "-o", "json", "-p", "go on", "--until", "DONE", "-n", strconv.Itoa(4*stormIterations), "--commit",
		"-a", "rehearsal", "--set", "agents.rehearsal.script="+script, "--set", "loop.backoff=0s",
		"--set", "stop.failures=0", "--set", "stop.no_progress=0", "--set", "stop.repeats=0", "--set", "stop.red_gates=0")
}

// blow is one signal, and who gets it.
type blow struct {
	whom    string
	signals []syscall.Signal
}

var (
	targets = []string{"runner", "runner", "runner", "keeper", "agent", "git"}
	volleys = [][]syscall.Signal{{syscall.SIGTERM}, {syscall.SIGHUP}, {syscall.SIGINT}, {syscall.SIGINT, syscall.SIGINT}, {syscall.SIGKILL}, {syscall.SIGKILL}}
)

func (b blow) String() string { return fmt.Sprintf("%v to the %s", b.signals, b.whom) }

// play takes a run to its end under most signals, if it gets that far.
func (s *storm) play(most int) (blows int) {
	s.Helper()
	for {
		r := s.start()
		for blows < most && !r.over(s.moment()) {
			b := blow{targets[s.dice.IntN(len(targets))], volleys[s.dice.IntN(len(volleys))]}
			if s.strike(r, b) {
				blows++
				fmt.Fprintf(s.seen, "--- %s\n", b)
			}
		}
		<-r.gone
		s.last = r
		s.remember()
		if s.finished() {
			return blows
		}
		var exit *exec.ExitError
		if r.err != nil && (!errors.As(r.err, &exit) || exit.Exited() && !slices.Contains([]int{1, 129, 130, 143}, exit.ExitCode())) {
			s.Fatalf("%q: %v\n%s", r.cmd.Args, r.err, &r.stderr)
		}
	}
}

// moment is in the next iteration or two.
func (s *storm) moment() moment {
	what := []string{
		"\n", "run.resumed", "run.baseline", "iteration.started", "agent.started", "agent.exited", "checkpoint.made",
		"gate.started", "gate.finished", "hook.finished", "commit.made", "iteration.finished", "claim.heard", "run.rule", "agent.result",
	}[s.dice.IntN(15)]
	if s.dice.IntN(8) == 0 {
		return moment{then: s.little() * 10}
	}
	m := s.next(what, 2)
	m.then *= time.Duration(1 + s.dice.IntN(4))
	return m
}

// over waits for a moment, and tells whether the runner ended before.
func (r *runner) over(m moment) bool {
	wait := 200 * time.Microsecond
	for come := false; !come; {
		if come = r.chaos.count(m.what) >= m.nth; come {
			wait = m.then
		}
		select {
		case <-r.gone:
			return true
		case <-time.After(wait):
		}
	}
	return false
}

// strike sends the signals, and tells whether there was anybody to send them to.
func (s *storm) strike(r *runner, b blow) bool {
	var pids []int
	switch b.whom {
	case "runner":
		for _, sig := range b.signals {
			_ = r.cmd.Process.Signal(sig) // it may have ended, and nobody else has its number here
		}
		return true
	case "agent":
		if pid := s.agent(); pid > 0 && s.ours(pid) {
			pids = []int{pid}
		}
	default:
		pids = s.called(b.whom)
	}
	if len(pids) == 0 {
		return false
	}
	pid := pids[s.dice.IntN(len(pids))]
	for _, sig := range b.signals {
		if s.ours(pid) { // and has not ended, and given its number to somebody else
			_ = syscall.Kill(pid, sig)
		}
	}
	return true
}

// called lists the processes of this world that are keepers, or git.
func (s *storm) called(what string) (pids []int) {
	for _, pid := range s.everyone() {
		argv, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		if err != nil {
			continue
		}
		words := strings.Split(string(argv), "\x00")
		if what == "keeper" && len(words) > 2 && words[2] == "keeper" || what == "git" && filepath.Base(words[0]) == "git" {
			pids = append(pids, pid)
		}
	}
	return pids
}

// everyone lists the processes that were started in this world.
func (s *storm) everyone() (pids []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		s.Fatal(err)
	}
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil && s.ours(pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

func (s *storm) ours(pid int) bool {
	env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	return err == nil && bytes.Contains(env, []byte("HOME="+filepath.Join(filepath.Dir(s.tree), "home")+"\x00"))
}

// finished tells whether the run is done.
func (s *storm) finished() bool {
	events := s.events(s.past)
	if len(events) == 0 {
		return false
	}
	end, ok := events[len(events)-1].Payload.(*loop.RunFinished)
	return ok && end.State == loop.Done
}

// check checks what must be true when the run is done.
func (s *storm) check() {
	s.Helper()
	events := s.events(s.past)
	defer func() {
		if s.Failed() {
			s.Logf("the journal:\n%s", outline(events))
			s.Logf("what was shown:\n%s", s.read(s.seen.Name()))
		}
	}()
	s.checkPaidOnce(events)
	s.checkFinishedOnce(events)
	s.checkCheckpoints(events)
	s.checkCommitted(events)
	s.checkNothingLeft()
}

// checkPaidOnce checks that no agent was started for an iteration after one had
// come to its end well: by its exit, or by the last line of its transcript.
func (s *storm) checkPaidOnce(events []loop.Event) {
	s.Helper()
	well := map[int]string{}
	for _, e := range events {
		switch p := e.Payload.(type) {
		case *loop.AgentStarted:
			if how, ok := well[e.Iter]; ok {
				s.Errorf("seq %d: attempt %d/%d is started, and %s", e.Seq, e.Iter, e.Attempt, how)
			}
		case *loop.AgentExited:
			if p.Exit.Zero() {
				well[e.Iter] = fmt.Sprintf("%d/%d had exited with 0", e.Iter, e.Attempt)
			}
		case *loop.IterationFinished:
			transcript, err := os.ReadFile(filepath.Join(s.attempt(e), "stdout"))
			if err == nil && bytes.Contains(transcript, []byte(`{"type":"agent.result","ok":true`)) && bytes.HasSuffix(transcript, []byte("}\n")) && p.Outcome.Result != loop.OK && p.Outcome.Result != loop.Failed {
				s.Errorf("seq %d: attempt %d/%d has a whole transcript, and came to %s", e.Seq, e.Iter, e.Attempt, p.Outcome.Result)
			}
		}
	}
}

// checkFinishedOnce checks that attempts come one after another, and that every
// iteration counts once.
func (s *storm) checkFinishedOnce(events []loop.Event) {
	s.Helper()
	counted, last := map[int]int{}, int64(0)
	var open *loop.Event
	for i, e := range events {
		if e.Seq <= last {
			s.Errorf("seq %d comes after %d", e.Seq, last)
		}
		last = e.Seq
		switch p := e.Payload.(type) {
		case *loop.IterationStarted:
			if open != nil {
				s.Errorf("seq %d: attempt %d/%d is started, and %d/%d is not finished", e.Seq, e.Iter, e.Attempt, open.Iter, open.Attempt)
			}
			open = &events[i]
		case *loop.IterationFinished:
			if open == nil || open.Iter != e.Iter || open.Attempt != e.Attempt {
				s.Errorf("seq %d: attempt %d/%d is finished, and was not begun", e.Seq, e.Iter, e.Attempt)
			}
			if open = nil; p.Outcome.Result == loop.OK || p.Outcome.Result == loop.Failed {
				counted[e.Iter]++
			}
			if p.State.Totals.Iterations != len(counted) {
				s.Errorf("seq %d: the state counts %d iterations, want %d", e.Seq, p.State.Totals.Iterations, len(counted))
			}
		}
	}
	for i := 1; i <= len(counted); i++ {
		if counted[i] != 1 {
			s.Errorf("iteration %d counts %d times", i, counted[i])
		}
	}
	if len(counted) < stormIterations {
		s.Errorf("%d iterations count, want at least %d", len(counted), stormIterations)
	}
}

// checkCommitted checks that the file of each iteration is committed, no commit
// was made twice, and the index knows them.
func (s *storm) checkCommitted(events []loop.Event) {
	s.Helper()
	tracked := strings.Fields(string(s.must("git", "ls-tree", "-r", "--name-only", "HEAD")))
	for _, e := range events {
		if p, ok := e.Payload.(*loop.IterationFinished); ok && p.Outcome.Result == loop.OK {
			if name := fmt.Sprintf("%d.txt", e.Iter); !slices.Contains(tracked, name) {
				s.Errorf("%s is not committed", name)
			}
		}
	}
	if status := s.must("git", "status", "--porcelain"); len(status) > 0 {
		s.Errorf("git status:\n%s", status)
	}
	said, made := map[string]int{}, 0
	for line := range strings.Lines(string(s.must("git", "log", "--format=%(trailers:key=Refrain-Iteration,valueonly)"))) {
		if n := strings.TrimSpace(line); n != "" {
			if said[n]++; said[n] > 1 {
				s.Errorf("iteration %s is committed %d times", n, said[n])
			}
			made++
		}
	}
	if p := events[len(events)-1].Payload.(*loop.RunFinished); p.Totals.Commits < made {
		s.Errorf("the run counts %d commits, and %d are its own", p.Totals.Commits, made)
	}
	s.must("git", "fsck", "--no-dangling")
}

// checkNothingLeft checks that there is no process, no lock and no folder left.
func (s *storm) checkNothingLeft() {
	s.Helper()
	var left []int
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(5 * time.Millisecond) {
		if left = s.everyone(); len(left) == 0 {
			break
		}
	}
	for _, pid := range left {
		argv, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
		s.Errorf("process %d is left: %q", pid, argv)
	}
	sockets := filepath.Join(s.temp, fmt.Sprintf("refrain-%d", os.Getuid())) // of all runs of a user; it stays, and is empty
	folders := []string{filepath.Join(s.tree, ".git")}
	if s.last.cmd.ProcessState.Exited() && s.runBy() == s.last.cmd.Process.Pid { // else the next runner here would see to it
		folders = append(folders, s.temp)
	}
	for _, dir := range folders {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			if strings.HasSuffix(path, ".lock") || dir == s.temp && path != dir && path != sockets && !numberTaken(path) {
				s.Errorf("left: %s", path)
			}
			return nil
		})
		if err != nil {
			s.Error(err)
		}
	}
}

// runBy is the process that ran the run last. One that only wrote down the end which
// a dead runner had decided on is none.
func (s *storm) runBy() (pid int) {
	for _, e := range s.events(s.past) {
		switch p := e.Payload.(type) {
		case *loop.RunStarted:
			pid = p.PID
		case *loop.RunResumed:
			pid = p.PID
		}
	}
	return pid
}

// numberTaken tells whether the number in the name of a socket is that of another process
// by now. Then it is swept when it is a minute old.
func numberTaken(path string) bool {
	_, number, _ := strings.Cut(strings.TrimSuffix(filepath.Base(path), ".sock"), "-")
	pid, err := strconv.Atoi(number)
	return err == nil && syscall.Kill(pid, 0) == nil
}
