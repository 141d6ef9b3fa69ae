package awake

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// standIn puts a script in the place of a program. It gives the folder in which
// the script works and notes how it was called.
func standIn(t *testing.T, name, body string) (record string) {
	t.Helper()
	bin, record := t.TempDir(), t.TempDir()
	script := fmt.Sprintf("#!/bin/sh\ncd %q\necho \"$*\" >args\necho $$ >pid\n%s\n", record, body)
	if err := os.WriteFile(filepath.Join(bin, name), []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return record
}

// inhibits starts the command after its options and ends after it, as the real
// one does.
const inhibits = `until [ "${1#--}" = "$1" ]; do shift; done; "$@"; echo $? >ended`

func read(t *testing.T, path ...string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// gone sees that the script was reaped.
func gone(t *testing.T, record string) {
	t.Helper()
	pid, err := strconv.Atoi(read(t, record, "pid"))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("kill(%d) = %v: it is left behind", pid, err)
	}
}

func TestHeldUntilReleased(t *testing.T) {
	record := standIn(t, "systemd-inhibit", inhibits)
	v := Hold("run build-7")
	defer v.Release()
	<-v.Tried()
	if held, why := v.Held(); !held {
		t.Errorf("not held: %s", why)
	}
	want := "--what=idle:sleep --who=refrain --why=run build-7 --mode=block cat"
	if got := read(t, record, "args"); got != want {
		t.Errorf("called with %q, want %q", got, want)
	}
	v.Release()
	if got := read(t, record, "ended"); got != "0" {
		t.Errorf("cat exited with %s, want 0", got)
	}
	gone(t, record)
	v.Release() // again: nothing happens
	if held, why := v.Held(); held || why != "it was released" {
		t.Errorf("after the release: held = %v, %q", held, why)
	}
}

func TestNotHeldSaysWhy(t *testing.T) {
	tests := map[string]struct{ body, want string }{
		"no bus":             {"echo 'Failed to connect to bus: No such file or directory' >&2; exit 1", "systemd-inhibit says: Failed to connect to bus: No such file or directory"},
		"only the last line": {"printf 'a warning\\n\\nAccess denied\\n\\n' >&2; exit 1", "systemd-inhibit says: Access denied"},
		"fails in silence":   {"exit 3", "systemd-inhibit: exit status 3"},
		"ends in silence":    {"exit 0", "systemd-inhibit has ended"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			record := standIn(t, "systemd-inhibit", tt.body)
			v := Hold("a test")
			defer v.Release()
			<-v.Tried()
			if held, why := v.Held(); held || why != tt.want {
				t.Errorf("held = %v, %q, want %q", held, why, tt.want)
			}
			gone(t, record)
		})
	}
}

func TestAMissingProgramIsSaid(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	v := Hold("a test")
	defer v.Release()
	<-v.Tried()
	if held, why := v.Held(); held || why != "systemd-inhibit is not installed" {
		t.Errorf("held = %v, %q", held, why)
	}
}

func TestWhoNeverAnswersIsGivenUp(t *testing.T) {
	set(t, &answerIn, 50*time.Millisecond)
	set(t, &endIn, time.Millisecond)
	standIn(t, "systemd-inhibit", "exec sleep 60")
	v := Hold("a test")
	defer v.Release()
	<-v.Tried()
	if held, why := v.Held(); held || why != "systemd-inhibit did not answer within 50ms" {
		t.Errorf("held = %v, %q", held, why)
	}
}

func TestAReleaseDoesNotWaitForAnAnswer(t *testing.T) {
	set(t, &answerIn, time.Hour)
	set(t, &endIn, time.Millisecond)
	standIn(t, "systemd-inhibit", "exec sleep 60")
	v := Hold("a test")
	v.Release()
	if held, why := v.Held(); held || why != "it was released" {
		t.Errorf("held = %v, %q", held, why)
	}
}

func TestALostHoldIsSaid(t *testing.T) {
	record := standIn(t, "systemd-inhibit", `head -n 1; head -n 1 go; echo 'Lost the bus' >&2`)
	if err := syscall.Mkfifo(filepath.Join(record, "go"), 0o600); err != nil {
		t.Fatal(err)
	}
	v := Hold("a test")
	defer v.Release()
	<-v.Tried()
	if held, why := v.Held(); !held {
		t.Fatalf("not held: %s", why)
	}
	if err := os.WriteFile(filepath.Join(record, "go"), []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
	v.all.Wait()
	if held, why := v.Held(); held || why != "systemd-inhibit says: Lost the bus" {
		t.Errorf("held = %v, %q", held, why)
	}
}

// The write end of a pipe goes to the parent and to all that it starts, so its
// other end tells when the last of them is gone.
func TestNothingOutlivesAParentThatIsKilled(t *testing.T) {
	record := standIn(t, "systemd-inhibit", inhibits)
	all, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer all.Close()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	parent := exec.Command(self)
	parent.Env = append(os.Environ(), parentName+"=1")
	parent.ExtraFiles = []*os.File{write}
	said, err := parent.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	write.Close()
	if line, err := bufio.NewReader(said).ReadString('\n'); err != nil || line != "true \n" {
		t.Errorf("the parent says %q, %v", line, err)
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	_ = all.SetReadDeadline(time.Now().Add(time.Minute))
	if _, err := io.ReadAll(all); err != nil {
		t.Errorf("something outlives its parent: %v", err)
	}
	if got := read(t, record, "ended"); got != "0" {
		t.Errorf("cat exited with %s, want 0", got)
	}
}

func TestCaffeinateWatchesUs(t *testing.T) {
	record := standIn(t, "caffeinate", "echo >up; exec sleep 60")
	up := filepath.Join(record, "up")
	if err := syscall.Mkfifo(up, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, release := context.WithCancel(t.Context())
	defer release()
	held, ended := make(chan struct{}), make(chan error, 1)
	go func() { ended <- programs["darwin"]("a test").run(ctx, func() { close(held) }) }()
	<-held
	read(t, up) // the script has begun
	release()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if got, want := read(t, record, "args"), "-i -w "+strconv.Itoa(os.Getpid()); got != want {
		t.Errorf("called with %q, want %q", got, want)
	}
	gone(t, record)
}

func set(t *testing.T, d *time.Duration, to time.Duration) {
	t.Helper()
	old := *d
	t.Cleanup(func() { *d = old })
	*d = to
}
