//go:build unix

package rehearsal

import (
	"bufio"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestADaemonOutlivesTheAgentInItsOwnSession(t *testing.T) {
	t.Parallel()
	cmd := newStage(t).command(t, "[[iteration]]\nsteps = [{ daemon = \"echo $$; exec sleep 60\" }]")
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	pid, ended := "", false
	for pid == "" || !ended {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("stdout ended while the daemon should hold it: %v", err)
		}
		if strings.HasPrefix(line, "{") {
			ended = ended || strings.Contains(line, `"agent.result"`)
			continue
		}
		pid = strings.TrimSpace(line)
		defer endProcess(t, pid) // fails when it is gone already
	}
	if state, err := cmd.Process.Wait(); err != nil || !state.Success() {
		t.Errorf("the agent: %v, %v, want exit 0", state, err)
	}
	n, err := strconv.Atoi(pid)
	if err != nil {
		t.Fatal(err)
	}
	if sid, err := unix.Getsid(n); err != nil || sid != n {
		t.Errorf("the daemon %d is in session %d, %v, want its own", n, sid, err)
	}
}
