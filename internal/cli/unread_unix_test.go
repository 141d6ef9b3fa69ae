//go:build unix

package cli

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// Output that nobody reads keeps no run from its end: neither its time nor a
// signal waits for the reader. Finding 39.
func TestARunWhoseOutputNobodyReadsEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		args []string
		end  func(*testing.T, *world, *os.Process)
		want int
	}{
		{"by its time", []string{"--max-time", "2s"}, func(*testing.T, *world, *os.Process) {}, 2},
		{"by TERM", nil, func(t *testing.T, w *world, p *os.Process) {
			w.awaitStandstill()
			if err := p.Signal(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
		}, 143},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			unread, stdout, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			defer unread.Close()
			cmd := w.command(w.program, append(append([]string{"run", "-o", "json", "-p", "go", "-n", "3"}, tt.args...), "--", "sh", "-c",
				"yes 'a line that nobody will ever read, and many more of its kind behind it: '$(seq 1 2000 | tr '\\n' ' ')")...)
			cmd.Stdout = stdout
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			stdout.Close()
			late := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
			defer late.Stop()
			tt.end(t, w, cmd.Process)
			err = cmd.Wait()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != tt.want {
				t.Errorf("it ended with %v, want %d", err, tt.want)
			}
		})
	}
}

// awaitStandstill waits until the runner takes no more from its agent.
func (w *world) awaitStandstill() {
	w.Helper()
	deadline := time.Now().Add(time.Minute)
	for last, same := int64(0), 0; same < 10; {
		if time.Now().After(deadline) {
			w.Fatal("the runner goes on and on")
		}
		time.Sleep(50 * time.Millisecond)
		var size int64
		files, _ := filepath.Glob(filepath.Join(w.store().Dir, "runs", "*", "iterations", "*", "stdout"))
		for _, file := range files {
			if info, err := os.Stat(file); err == nil {
				size += info.Size()
			}
		}
		if same++; size != last || size == 0 {
			same = 0
		}
		last = size
	}
}
