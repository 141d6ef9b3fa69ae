package proc

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	Helper(helpers)
	// The race detector otherwise makes every process wait a second at its end.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	ladder.leave = 50 * time.Millisecond // most of what our tests leave behind is deaf
	goleak.VerifyTestMain(m)
}

// helpers are the processes that the tests run. None of them outlives a
// minute, whatever a test does wrong.
var helpers = map[string]func(args []string) int{
	"exit": func(args []string) int {
		code, _ := strconv.Atoi(args[0])
		return code
	},
	"say": func(args []string) int { // stdout, then stderr
		fmt.Fprint(os.Stdout, args[0])
		fmt.Fprint(os.Stderr, args[1])
		return 0
	},
	"env": func([]string) int {
		fmt.Println(strings.Join(os.Environ(), "\n"))
		return 0
	},
	"pwd": func([]string) int {
		dir, _ := os.Getwd()
		fmt.Println(dir)
		return 0
	},
	"cat": func([]string) int {
		_, _ = io.Copy(os.Stdout, os.Stdin)
		return 0
	},
	"hang":     func([]string) int { return hang() },
	"stubborn": stubborn,
	"polite":   polite,
	"flood":    flood,
	"long":     long,
}

func hang() int {
	time.Sleep(time.Minute)
	return 1
}

// stubborn hears no signal but KILL.
func stubborn([]string) int {
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	fmt.Println("ready")
	return hang()
}

// polite names the signals it hears and leaves on the last of args.
func polite(args []string) int {
	heard := make(chan os.Signal, 8)
	signal.Notify(heard, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	names := map[os.Signal]string{syscall.SIGINT: "INT", syscall.SIGTERM: "TERM", syscall.SIGHUP: "HUP"}
	fmt.Println("ready")
	for {
		select {
		case s := <-heard:
			fmt.Println(names[s])
			if names[s] == args[0] {
				return 7
			}
		case <-time.After(time.Minute):
			return 1
		}
	}
}

// flood writes many lines to both streams at once.
func flood(args []string) int {
	size, _ := strconv.Atoi(args[0])
	var both sync.WaitGroup
	for _, f := range []*os.File{os.Stdout, os.Stderr} {
		both.Go(func() {
			chunk := bytes.Repeat([]byte("0123456789abcde\n"), 4096)
			for left := size; left > 0; left -= len(chunk) {
				_, _ = f.Write(chunk)
			}
		})
	}
	both.Wait()
	return 0
}

// long writes one line of the given size, without a newline.
func long(args []string) int {
	size, _ := strconv.Atoi(args[0])
	chunk := []byte(strings.Repeat("0123456789abcdef", 4096))
	for left := size; left > 0; left -= len(chunk) {
		_, _ = os.Stdout.Write(chunk[:min(left, len(chunk))])
	}
	return 0
}

// helperSpec is a Spec that runs one of the helpers.
func helperSpec(t *testing.T, name string, args ...string) Spec {
	t.Helper()
	argv, err := HelperCommand(name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return Spec{Argv: argv, Env: os.Environ()}
}

// setLadder changes the ladder for one test.
func setLadder(t *testing.T, term, kill, pipes time.Duration) {
	t.Helper()
	old := ladder
	t.Cleanup(func() { ladder = old })
	ladder.term, ladder.kill, ladder.pipes = term, kill, pipes
}
