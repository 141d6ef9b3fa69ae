package proc

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func exited(code int) loop.Exit { return loop.Exit{Code: &code, Cause: loop.Exited} }

// run runs the spec and gives the lines of its streams.
func run(t *testing.T, ctx context.Context, s Spec) (exit loop.Exit, stdout, stderr []string) {
	t.Helper()
	s.Stdout.Line = collect(&stdout, s.Stdout.Line)
	s.Stderr.Line = collect(&stderr, s.Stderr.Line)
	exit, err := Run(ctx, s)
	if err != nil {
		t.Fatalf("Run(%q): %v", s.Argv, err)
	}
	return exit, stdout, stderr
}

func collect(into *[]string, next func([]byte, bool)) func([]byte, bool) {
	return func(line []byte, more bool) {
		*into = append(*into, string(line))
		if next != nil {
			next(line, more)
		}
	}
}

func TestAnExitCodeIsTold(t *testing.T) {
	for _, code := range []int{0, 1, 2, 127} {
		got, _, _ := run(t, t.Context(), helperSpec(t, "exit", strconv.Itoa(code)))
		if diff := cmp.Diff(exited(code), got); diff != "" {
			t.Errorf("exit %d (-want +got):\n%s", code, diff)
		}
	}
}

func TestWhatIsPrintedComesAsLines(t *testing.T) {
	tests := []struct {
		name, printed string
		want          []string
	}{
		{"nothing", "", nil},
		{"one line", "a\n", []string{"a"}},
		{"a last line without newline", "a\nb", []string{"a", "b"}},
		{"empty lines", "\n\na\n", []string{"", "", "a"}},
		{"a carriage return is kept", "a\r\n", []string{"a\r"}},
		{"invalid UTF-8 is kept", "\xff\xfe\n", []string{"\xff\xfe"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var raw bytes.Buffer
			s := helperSpec(t, "say", tt.printed, "E"+tt.printed)
			s.Stdout.Raw = &raw
			_, stdout, stderr := run(t, t.Context(), s)
			if !slices.Equal(stdout, tt.want) {
				t.Errorf("stdout of %q = %q, want %q", tt.printed, stdout, tt.want)
			}
			if raw.String() != tt.printed {
				t.Errorf("raw stdout of %q = %q", tt.printed, raw.String())
			}
			if got := strings.Join(stderr, "\n"); got != "E"+strings.TrimSuffix(tt.printed, "\n") {
				t.Errorf("stderr = %q", stderr)
			}
		})
	}
}

func TestStdinIsTheInputThenEmpty(t *testing.T) {
	big := strings.Repeat("a line of a prompt\n", 60_000) + "\x00 and a NUL"
	tests := []struct {
		name  string
		input io.Reader
		want  string
	}{
		{"none", nil, ""},
		{"a big one", strings.NewReader(big), big},
	}
	for _, tt := range tests {
		var raw bytes.Buffer
		s := helperSpec(t, "cat")
		s.Stdin, s.Stdout.Raw = tt.input, &raw
		run(t, t.Context(), s)
		if raw.String() != tt.want {
			t.Errorf("%s: got %d bytes back, want %d", tt.name, raw.Len(), len(tt.want))
		}
	}
}

func TestAPromptThatNobodyReadsHoldsNothingUp(t *testing.T) {
	s := helperSpec(t, "exit", "3")
	s.Stdin = bytes.NewReader(make([]byte, 1<<20))
	got, _, _ := run(t, t.Context(), s)
	if diff := cmp.Diff(exited(3), got); diff != "" {
		t.Error(diff)
	}
}

func TestTheEnvironmentIsComplete(t *testing.T) {
	s := helperSpec(t, "env")
	for _, env := range [][]string{{"A=1", "GORACE=atexit_sleep_ms=0"}, nil} {
		s.Env = env
		_, stdout, _ := run(t, t.Context(), s)
		if got := strings.TrimSpace(strings.Join(stdout, ",")); got != strings.Join(env, ",") {
			t.Errorf("environment = %q, want %q", got, env)
		}
	}
}

func TestTheFolderIsTheOneGiven(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := helperSpec(t, "pwd")
	s.Dir = dir
	if _, stdout, _ := run(t, t.Context(), s); !slices.Equal(stdout, []string{dir}) {
		t.Errorf("pwd = %q, want %q", stdout, dir)
	}
}

func TestStartedIsCalledBeforeAnyLine(t *testing.T) {
	var order []string
	before := time.Now()
	s := helperSpec(t, "say", "line", "")
	s.Started = func(pid int, at time.Time) {
		if pid <= 0 || at.Before(before) || at.After(time.Now()) {
			t.Errorf("started with pid %d at %v", pid, at)
		}
		order = append(order, "started")
	}
	s.Stdout.Line = func(line []byte, _ bool) { order = append(order, string(line)) }
	run(t, t.Context(), s)
	if want := []string{"started", "line"}; !slices.Equal(order, want) {
		t.Errorf("order = %q, want %q", order, want)
	}
}

func TestBothStreamsAreDrainedAtOnce(t *testing.T) {
	const size = 2 << 20
	var stdout, stderr bytes.Buffer
	s := helperSpec(t, "flood", strconv.Itoa(size))
	s.Stdout.Raw, s.Stderr.Raw = &stdout, &stderr
	_, outLines, errLines := run(t, t.Context(), s)
	if stdout.Len() != size || stderr.Len() != size {
		t.Errorf("got %d and %d bytes, want %d each", stdout.Len(), stderr.Len(), size)
	}
	if len(outLines) != size/16 || len(errLines) != size/16 {
		t.Errorf("got %d and %d lines, want %d each", len(outLines), len(errLines), size/16)
	}
}

func TestALineWithoutEndComesInPieces(t *testing.T) {
	size := 100 << 20
	if testing.Short() {
		size = 10 << 20
	}
	raw, pieced, total, lasts := sha256.New(), sha256.New(), 0, 0
	s := helperSpec(t, "long", strconv.Itoa(size))
	s.Stdout.Raw = raw
	s.Stdout.Line = func(line []byte, more bool) {
		if len(line) > MaxLine {
			t.Errorf("a piece of %d bytes, want at most %d", len(line), MaxLine)
		}
		pieced.Write(line)
		total += len(line)
		if !more {
			lasts++
		}
	}
	if _, err := Run(t.Context(), s); err != nil {
		t.Fatal(err)
	}
	if total != size || lasts != 1 {
		t.Errorf("got %d bytes and %d last pieces, want %d and 1", total, lasts, size)
	}
	if !bytes.Equal(raw.Sum(nil), pieced.Sum(nil)) {
		t.Error("the pieces are not the line")
	}
}

type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestARawWriterThatFailsDoesNotStopTheLines(t *testing.T) {
	s := helperSpec(t, "flood", strconv.Itoa(1<<20))
	s.Stdout.Raw = fullDisk{}
	_, stdout, _ := run(t, t.Context(), s)
	if len(stdout) != 1<<16 {
		t.Errorf("got %d lines, want %d", len(stdout), 1<<16)
	}
}

func TestNoDescriptorIsLeftOpen(t *testing.T) {
	if _, err := os.Stat("/proc/self/fd"); err != nil {
		t.Skip("needs /proc to count")
	}
	count := func() int {
		list, err := os.ReadDir("/proc/self/fd")
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	once := func() {
		s := helperSpec(t, "say", "a", "b")
		s.Stdin = strings.NewReader("unread")
		run(t, t.Context(), s)
		s.Argv = []string{filepath.Join(t.TempDir(), "missing")}
		if _, err := Run(t.Context(), s); err == nil {
			t.Error("a missing program was started")
		}
	}
	once() // the first use of a pipe opens the poller
	before := count()
	for range 5 {
		once()
	}
	if after := count(); after != before {
		t.Errorf("%d descriptors open, %d before", after, before)
	}
}
