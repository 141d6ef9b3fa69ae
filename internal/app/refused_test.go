package app

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/proxy"
	"github.com/refrain-loop/refrain/internal/sandbox"
)

func TestNewsIsToldOnceInOrderAndNotWithoutEnd(t *testing.T) {
	var n news
	var got, want []string
	tell := func(p loop.Payload) {
		switch p := p.(type) {
		case *loop.SandboxRefused:
			got = append(got, p.Name)
		case *loop.Warning:
			got = append(got, "warning")
		}
	}
	for i := range mostTold + 50 {
		if i == 10 {
			n.hear(tell) // the first ones have waited for it
		}
		name := fmt.Sprint(i)
		n.add(&loop.SandboxRefused{What: loop.RefusedHost, Name: name, By: "agent"})
		n.add(&loop.SandboxRefused{What: loop.RefusedHost, Name: name, By: "gate"})
		if i < mostTold {
			want = append(want, name)
		}
	}
	n.close()
	want = append(want, "warning")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
}

// Who ends a process must not hear of its refusals later.
func TestFlushComesBackWhenAllIsTold(t *testing.T) {
	for range 100 {
		var n news
		told := false
		n.hear(func(loop.Payload) { told = true })
		n.add(&loop.SandboxRefused{Name: "x"})
		n.flush()
		if !told {
			t.Fatal("it was not told yet")
		}
		n.close()
	}
}

// The keeper's own voice brings news: it must not wait for who hears it.
func TestWhoBringsNewsDoesNotWait(t *testing.T) {
	var n news
	free := make(chan struct{})
	n.hear(func(loop.Payload) { <-free })
	n.add(&loop.SandboxRefused{Name: "x"})
	n.add(&loop.SandboxRefused{Name: "y"})
	close(free)
	n.close()
}

func TestWhatIsRefusedSaysHowToAllowIt(t *testing.T) {
	place := sandbox.Place{Home: "/home/x", Getenv: func(string) string { return "" }}
	for _, tt := range []struct {
		got, want *loop.SandboxRefused
	}{
		{
			hostRefused(proxy.Refusal{Host: "example.com:443", Why: "is not listed", Allow: "example.com"}, proc.Reviewer),
			&loop.SandboxRefused{What: "host", Name: "example.com:443", Key: "sandbox.hosts", Value: "example.com", By: "reviewer"},
		},
		{
			hostRefused(proxy.Refusal{Host: "169.254.169.254:80"}, proc.Judge),
			&loop.SandboxRefused{What: "host", Name: "169.254.169.254:80", By: "gate"},
		},
		{
			connectRefused(fence.Refusal{Socket: "/home/x/.docker/run/docker.sock"}, proc.Agent, place),
			&loop.SandboxRefused{What: "socket", Name: "/home/x/.docker/run/docker.sock", Key: "sandbox.allow", Value: "docker", By: "agent"},
		},
		{
			connectRefused(fence.Refusal{Socket: "/srv/db.sock"}, proc.Agent, place),
			&loop.SandboxRefused{What: "socket", Name: "/srv/db.sock", Key: "sandbox.allow", By: "agent"},
		},
		{
			connectRefused(fence.Refusal{Address: "[::1]:5432"}, proc.Committer, place),
			&loop.SandboxRefused{What: "host", Name: "[::1]:5432", Key: "sandbox.hosts", Value: "localhost:5432", By: "commit"},
		},
		{ // past the proxy, which no setting allows
			connectRefused(fence.Refusal{Address: "192.0.2.1:443"}, proc.Agent, place),
			&loop.SandboxRefused{What: "host", Name: "192.0.2.1:443", By: "agent"},
		},
	} {
		if diff := cmp.Diff(tt.want, tt.got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
	if slices.ContainsFunc(roles, func(r proc.Role) bool { return wantedBy[r] == "" }) {
		t.Errorf("some of %v have no word: %v", roles, wantedBy)
	}
}
