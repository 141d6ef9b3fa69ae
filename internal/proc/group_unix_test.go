//go:build unix

package proc

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func init() {
	helpers["kill-self"] = func(args []string) int {
		number, _ := strconv.Atoi(args[0])
		_ = syscall.Kill(os.Getpid(), syscall.Signal(number))
		return hang()
	}
	helpers["group"] = func([]string) int {
		group, _ := syscall.Getpgid(0)
		fmt.Println(group == os.Getpid())
		return 0
	}
	helpers["leave"] = leave
	helpers["late"] = func([]string) int { // speaks when its parent is gone
		_, _ = io.Copy(io.Discard, os.NewFile(3, "life"))
		fmt.Println("late words")
		return 0
	}
}

// leave starts the helper args[1] in the same group or a new session, prints
// its pid and ends.
func leave(args []string) int {
	argv, err := HelperCommand(args[1])
	if err != nil {
		return 1
	}
	life, _, err := os.Pipe() // the other end is ours, and closes with us
	if err != nil {
		return 1
	}
	p, err := os.StartProcess(argv[0], argv, &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr, life},
		Sys:   &syscall.SysProcAttr{Setsid: args[0] == "session"},
	})
	if err != nil {
		return 1
	}
	fmt.Printf("%d\nlast words", p.Pid)
	return 0
}

func TestASignalIsNamed(t *testing.T) {
	for number, want := range map[syscall.Signal]string{
		syscall.SIGKILL: "KILL", syscall.SIGTERM: "TERM", syscall.SIGINT: "INT", syscall.SIGHUP: "HUP",
	} {
		exit, _, _ := run(t, t.Context(), helperSpec(t, "kill-self", strconv.Itoa(int(number))))
		if exit.Code != nil || exit.Signal != want || exit.Cause != loop.Signaled {
			t.Errorf("killed by %v: exit = %+v, want signal %s", number, exit, want)
		}
	}
}

func TestTheProcessLeadsItsGroup(t *testing.T) {
	_, stdout, _ := run(t, t.Context(), helperSpec(t, "group"))
	if !slices.Equal(stdout, []string{"true"}) {
		t.Errorf("leads its group: %q", stdout)
	}
}

func TestTheLadderIsClimbed(t *testing.T) {
	const soon, never = 20 * time.Millisecond, time.Hour
	tests := []struct {
		name       string
		first      string
		term, kill time.Duration
		leavesOn   string
		want       []string
		code       int
		signal     string
		helper     string
	}{
		{name: "TERM is the first when none is named", term: never, kill: never, helper: "polite", leavesOn: "TERM", want: []string{"ready", "TERM"}, code: 7},
		{name: "a first signal that helps", first: "HUP", term: never, kill: never, helper: "polite", leavesOn: "HUP", want: []string{"ready", "HUP"}, code: 7},
		{name: "TERM after a first signal that does not", first: "INT", term: soon, kill: never, helper: "polite", leavesOn: "TERM", want: []string{"ready", "INT", "TERM"}, code: 7},
		{name: "KILL for who hears nothing", first: "INT", term: soon, kill: 2 * soon, helper: "stubborn", want: []string{"ready"}, signal: "KILL"},
		{name: "TERM is sent once, then KILL", term: soon, kill: 2 * soon, helper: "stubborn", want: []string{"ready"}, signal: "KILL"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			setLadder(t, tt.term, tt.kill, never)
			ctx, cancel := context.WithCancelCause(t.Context())
			defer cancel(nil)
			s := helperSpec(t, tt.helper, tt.leavesOn)
			s.First = tt.first
			s.Stdout.Line = func(line []byte, _ bool) {
				if string(line) == "ready" {
					cancel(End(loop.OnSkip))
				}
			}
			exit, stdout, _ := run(t, ctx, s)
			if !slices.Equal(stdout, tt.want) {
				t.Errorf("it heard %q, want %q", stdout, tt.want)
			}
			if exit.Cause != loop.OnSkip || exit.Signal != tt.signal || tt.signal == "" && *exit.Code != tt.code {
				t.Errorf("exit = %+v, want code %d, signal %q", exit, tt.code, tt.signal)
			}
		})
	}
}

func TestWhoIsLeftInTheGroupIsKilled(t *testing.T) {
	// It holds the streams: only its death lets Run return within the hour.
	setLadder(t, time.Hour, time.Hour, time.Hour)
	exit, stdout, _ := run(t, t.Context(), helperSpec(t, "leave", "group", "stubborn"))
	if !exit.Zero() || !strings.HasPrefix(stdout[1], "last words") {
		t.Errorf("exit = %+v, stdout = %q", exit, stdout)
	}
}

func TestAHeldPipeIsGivenUp(t *testing.T) {
	setLadder(t, time.Hour, time.Hour, 20*time.Millisecond)
	var raw bytes.Buffer
	s := helperSpec(t, "leave", "session", "hang")
	s.Stdin = bytes.NewReader(make([]byte, 1<<20)) // which the survivor holds too
	s.Stdout.Raw = &raw
	exit, stdout, _ := run(t, t.Context(), s)
	pid, err := strconv.Atoi(stdout[0])
	if err != nil {
		t.Fatalf("stdout = %q", stdout)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Errorf("the survivor was not there: %v", err)
	}
	if !exit.Zero() || !strings.HasSuffix(raw.String(), "\nlast words") {
		t.Errorf("exit = %+v, stdout = %q", exit, raw.String())
	}
}

func TestWhatAHeldPipeStillBringsIsRead(t *testing.T) {
	setLadder(t, time.Hour, time.Hour, time.Hour)
	_, stdout, _ := run(t, t.Context(), helperSpec(t, "leave", "session", "late"))
	if last := stdout[len(stdout)-1]; !strings.HasSuffix(last, "late words") {
		t.Errorf("stdout = %q", stdout)
	}
}
