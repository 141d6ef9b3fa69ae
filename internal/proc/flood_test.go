package proc

import (
	"bytes"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func init() {
	helpers["close-early"] = func([]string) int { // says its last word at once, and works on
		os.Stdout.WriteString("done talking")
		os.Stdout.Close()
		os.Stderr.Close()
		time.Sleep(30 * time.Millisecond)
		return 5
	}
}

func TestAnAgentThatClosesItsStreamsIsWaitedFor(t *testing.T) {
	exit, stdout, _ := run(t, t.Context(), helperSpec(t, "close-early"))
	if exit.Code == nil || *exit.Code != 5 || len(stdout) != 1 {
		t.Errorf("exit = %+v, stdout = %q", exit, stdout)
	}
}

func TestAFileForStdoutIsFollowed(t *testing.T) {
	const size = 20 << 20 // more than is cut out of the file at once
	var raw bytes.Buffer
	s := helperSpec(t, "flood", strconv.Itoa(size))
	s.StdoutFile, s.Stdout.Raw = true, &raw
	exit, stdout, _ := run(t, t.Context(), s)
	if !exit.Zero() || raw.Len() != size || len(stdout) != size/16 {
		t.Errorf("exit = %+v, %d bytes, %d lines, want %d and %d", exit, raw.Len(), len(stdout), size, size/16)
	}
}

func TestAFileForStdoutIsReadLive(t *testing.T) {
	s := helperSpec(t, "polite", "TERM")
	s.StdoutFile = true
	var heard atomic.Bool
	s.Stdout.Line = func([]byte, bool) { heard.Store(true) }
	s.Busy = func() bool { return !heard.Load() }
	s.Idle = 50 * time.Millisecond
	exit, stdout, _ := run(t, t.Context(), s)
	if exit.Cause != loop.WhenIdle || len(stdout) != 2 {
		t.Errorf("exit = %+v, stdout = %q, want ready and TERM", exit, stdout)
	}
}

func TestAFloodIsReadInLittleMemory(t *testing.T) {
	size := 200 << 20
	if testing.Short() {
		size = 20 << 20
	}
	for _, how := range []string{"flood", "long"} {
		runtime.GC()
		var before, now runtime.MemStats
		runtime.ReadMemStats(&before)
		got, last, peak := 0, 0, uint64(0)
		s := helperSpec(t, how, strconv.Itoa(size))
		s.Stdout.Line = func(line []byte, _ bool) {
			if got += len(line); got-last > 16<<20 {
				last = got
				runtime.ReadMemStats(&now)
				peak = max(peak, now.HeapInuse)
			}
		}
		if _, err := Run(t.Context(), s); err != nil {
			t.Fatal(err)
		}
		if peak > before.HeapInuse+32<<20 {
			t.Errorf("%s: %d MB of heap in use, %d before", how, peak>>20, before.HeapInuse>>20)
		}
	}
}

func BenchmarkRun(b *testing.B) {
	b.Run("os/exec", func(b *testing.B) {
		for b.Loop() {
			if err := exec.Command("true").Run(); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("direct", func(b *testing.B) {
		for b.Loop() {
			if _, err := Run(b.Context(), Spec{Argv: []string{"true"}, Env: os.Environ()}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("keeper", func(b *testing.B) {
		k := NewKeeper(Mark{Run: "loop_bench", Runner: strconv.Itoa(os.Getpid())}, nil)
		defer k.Close()
		for b.Loop() {
			if _, err := k.Run(b.Context(), Spec{Argv: []string{"true"}, Env: os.Environ()}); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkFlood(b *testing.B) {
	const size = 1 << 30
	argv, err := HelperCommand("long", strconv.Itoa(size))
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		got := 0
		_, err := Run(b.Context(), Spec{Argv: argv, Env: os.Environ(), Stdout: Sink{Line: func(line []byte, _ bool) { got += len(line) }}})
		if err != nil || got != size {
			b.Fatalf("%d bytes, %v", got, err)
		}
	}
}
