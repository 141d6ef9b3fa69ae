package story

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/refrain-loop/refrain/internal/text"
)

// Words is what our stories can say beyond testscript's own.
var Words = map[string]func(*testscript.TestScript, bool, []string){
	"programs": programs,
	"tells":    tells,
	"exits":    exits,
	"refuses":  refuses,
	"await":    await,
	"signal":   sendSignal,
	"ended":    ended,
	"gone":     gone,
}

// exits STATUS COMMAND ARGS… runs a command that must end with that status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND ARGS…")
	}
	got := 0
	var exit *exec.ExitError
	switch err := ts.Exec(args[1], args[2:]...); {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if want := status(ts, args[0]); got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func status(ts *testscript.TestScript, arg string) int {
	n, err := strconv.Atoi(arg)
	ts.Check(err)
	return n
}

// refuses STATUS COMMAND ARGS… runs a command that must end with that status
// after it has said what is wrong in one line, what to do in the next, and
// nothing else.
func refuses(ts *testscript.TestScript, neg bool, args []string) {
	exits(ts, neg, args)
	if out := ts.ReadFile("stdout"); out != "" {
		ts.Fatalf("a refusal belongs on stderr, but stdout has:\n%s", out)
	}
	if told := ts.ReadFile("stderr"); !refusal().MatchString(told) {
		ts.Fatalf("a refusal is one line and a hint, not:\n%s", told)
	}
}

var refusal = text.NewPattern(`^refrain: .+\nhint: .+\n$`)

var (
	clock = text.NewPattern(`(?m)^\[\d\d:\d\d:\d\d\] `)
	leave = text.NewPattern(`(?m)^Safe to leave: .*\n(  .*\n)*`)
	took  = text.NewPattern(`\b(\d+m)?[\d.]+s\b`)
)

// tells FILE compares what the last command printed, without the clock, with
// every duration as 0s and without whether it is safe to leave, to a file.
func tells(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: tells FILE")
	}
	got := leave().ReplaceAllString(clock().ReplaceAllString(ts.ReadFile("stdout"), ""), "")
	got = took().ReplaceAllString(got, "0s")
	if want := ts.ReadFile(args[0]); got != want {
		ts.Fatalf("it told:\n%s\nwant:\n%s", got, want)
	}
}

// await FILE REGEXP waits until the file has a match.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE REGEXP")
	}
	want, err := regexp.Compile(args[1])
	ts.Check(err)
	var held []byte
	until(ts, func() bool {
		held, err = os.ReadFile(ts.MkAbs(args[0]))
		return err == nil && want.Match(held)
	}, func() { ts.Fatalf("%s never matched %s; it holds:\n%s", args[0], args[1], held) })
}

// until looks again and again. It gives up after a time that only a hanging
// test reaches. Where the program is broken on purpose it may well hang, and a story
// that has waited in vain does not wait for long again.
func until(ts *testscript.TestScript, seen func() bool, never func()) {
	patience := 5 * time.Minute
	if ToTheEnd() {
		patience = 30 * time.Second
		if _, inVain := waitedInVain.Load(ts); inVain {
			patience = time.Second
		}
	}
	for deadline := time.Now().Add(patience); !seen(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			waitedInVain.Store(ts, true)
			never()
		}
	}
}

var waitedInVain sync.Map // the stories that have

// signalled is where a script keeps the command that it sent a signal to, for
// testscript forgets a command that has been waited for.
type signalled struct{}

// signal NAME sends INT, TERM or HUP to the one command in the background.
func sendSignal(ts *testscript.TestScript, neg bool, args []string) {
	signals := map[string]os.Signal{"INT": os.Interrupt, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}
	if neg || len(args) != 1 || signals[args[0]] == nil {
		ts.Fatalf("usage: signal INT|TERM|HUP")
	}
	running := ts.BackgroundCmds()
	if len(running) != 1 {
		ts.Fatalf("%d commands are in the background, want one", len(running))
	}
	*ts.Value(signalled{}).(**exec.Cmd) = running[0]
	ts.Check(running[0].Process.Signal(signals[args[0]]))
}

// ended STATUS says how the command ended that got a signal. It comes after
// "wait".
func ended(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: ended STATUS")
	}
	cmd := *ts.Value(signalled{}).(**exec.Cmd)
	if cmd == nil || cmd.ProcessState == nil {
		ts.Fatalf("nothing that got a signal has been waited for")
	}
	if got, want := cmd.ProcessState.ExitCode(), status(ts, args[0]); got != want {
		ts.Fatalf("it ended with status %d, want %d", got, want)
	}
}

// gone FILE waits until no process lives whose id is a line of the file.
func gone(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: gone FILE")
	}
	for _, line := range strings.Fields(ts.ReadFile(args[0])) {
		pid, err := strconv.Atoi(line)
		ts.Check(err)
		until(ts, func() bool { return !alive(pid) }, func() { ts.Fatalf("process %d lives on", pid) })
	}
}

// alive tells whether a process could still do something. One that is dead and
// not yet reaped, which is up to its parent, could not.
func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil || p.Signal(syscall.Signal(0)) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)) // only on Linux
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

// programs NAME… leaves only these on the PATH, so that what is installed on
// this machine does not matter. They are in $PROGRAMS, which no work tree is around.
func programs(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: programs NAME…")
	}
	bin, err := os.MkdirTemp(filepath.Dir(ts.Getenv("WORK")), "programs-")
	ts.Check(err)
	for _, name := range args {
		path := ""
		for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
			if _, err := os.Stat(filepath.Join(dir, name)); err == nil && path == "" {
				path = filepath.Join(dir, name)
			}
		}
		if path == "" {
			ts.Fatalf("there is no %s", name)
		}
		ts.Check(os.Symlink(path, filepath.Join(bin, name)))
	}
	ts.Setenv("PATH", bin)
	ts.Setenv("PROGRAMS", bin)
}
