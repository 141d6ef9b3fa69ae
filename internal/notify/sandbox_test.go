package notify

import (
	"strings"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestMessagesNameTheSandbox(t *testing.T) {
	fenced := &loop.Sandbox{Mode: "landlock", Why: "no user\x1b[2J namespaces"}
	end := &loop.RunFinished{State: loop.Done, Reason: loop.ByPromise, Why: "so", Totals: loop.Totals{Iterations: 2, FencedOff: loop.FencedOff{HostsRefused: 2, SocketsRefused: 1}}}
	for name, begins := range map[string]loop.Payload{"a start": &loop.RunStarted{Name: "build-7", Sandbox: fenced}, "a resume": &loop.RunResumed{Sandbox: fenced}} {
		s := story{run: "build-7", waitingAfter: time.Minute}
		s.add(after(0, begins))
		m, _ := s.add(wait("limit", time.Minute, time.Hour))
		if want := "\nsandbox: landlock (no user namespaces)"; !strings.HasSuffix(m.Text, want) || m.Sandbox != "landlock (no user namespaces)" {
			t.Errorf("%s: text %q, sandbox %q", name, m.Text, m.Sandbox)
		}
		m, _ = s.add(after(time.Hour, end))
		if want := "\nsandbox: landlock (no user namespaces); refused: 2 hosts, 1 socket\nLook at it with: refrain show build-7"; !strings.HasSuffix(m.Text, want) {
			t.Errorf("%s: text %q, want %q at its end", name, m.Text, want)
		}
	}
	s := story{run: "build-7"}
	s.add(after(0, &loop.RunStarted{Name: "build-7"}))
	if m, _ := s.add(after(time.Hour, end)); m.Sandbox != "" || strings.Contains(m.Text, "sandbox") {
		t.Errorf("a run from before: %q", m.Text)
	}
}
