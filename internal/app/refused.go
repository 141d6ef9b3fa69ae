package app

import (
	"fmt"
	"slices"
	"sync"

	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/proxy"
	"github.com/refrain-loop/refrain/internal/sandbox"
)

// mostTold is how many refusals of one run are told: who makes names up is not told of
// without end.
const mostTold = 200

// news is what the sandbox has to tell. Whoever hears it may take its time, and who
// brings it must not: the keeper's own voice is among them. So it is passed on by
// others, and by flush.
type news struct {
	telling sync.Mutex // held while somebody is told, so that they hear it in order
	ends    sync.WaitGroup

	mu      sync.Mutex
	tell    func(loop.Payload) // nil: nobody is there to hear it yet
	waiting []loop.Payload
	told    []*loop.SandboxRefused
}

// add tells of a refusal, once for each thing.
func (n *news) add(r *loop.SandboxRefused) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if len(n.told) > mostTold || slices.ContainsFunc(n.told, r.Same) {
		return
	}
	n.told = append(n.told, r)
	if len(n.told) > mostTold {
		n.put(&loop.Warning{Text: fmt.Sprintf("the sandbox has refused more than %d things; the others are not told", mostTold), Hint: "what it has refused shows \"refrain show --refused\""})
		return
	}
	n.put(r)
}

// warn tells what is wrong with the sandbox itself.
func (n *news) warn(text string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.put(&loop.Warning{Text: text})
}

func (n *news) put(p loop.Payload) {
	n.waiting = append(n.waiting, p)
	n.ends.Go(n.flush) // close waits for it
}

// hear has somebody be told all of it, from the beginning.
func (n *news) hear(tell func(loop.Payload)) {
	n.mu.Lock()
	n.tell = tell
	n.mu.Unlock()
	n.flush()
}

// flush comes back when all that was brought has been told.
func (n *news) flush() {
	n.telling.Lock()
	defer n.telling.Unlock()
	n.mu.Lock()
	tell, list := n.tell, n.waiting
	if tell != nil {
		n.waiting = nil
	}
	n.mu.Unlock()
	if tell == nil {
		return
	}
	for _, p := range list {
		tell(p)
	}
}

// close comes back when nobody tells anything any more. Nothing is brought then.
func (n *news) close() { n.ends.Wait() }

// wantedBy is what people call who works in a role.
var wantedBy = map[proc.Role]string{proc.Agent: "agent", proc.Judge: "gate", proc.Committer: "commit", proc.Reviewer: "reviewer"}

// hostRefused is a host that a proxy did not reach.
func hostRefused(r proxy.Refusal, by proc.Role) *loop.SandboxRefused {
	p := &loop.SandboxRefused{What: loop.RefusedHost, Name: r.Host, By: wantedBy[by]}
	if r.Allow != "" {
		p.Key, p.Value = "sandbox.hosts", r.Allow
	}
	return p
}

// connectRefused is what a fence did not connect to. An address that somebody wanted to
// reach past the proxy can not be allowed, but on loopback.
func connectRefused(r fence.Refusal, by proc.Role, place sandbox.Place) *loop.SandboxRefused {
	if r.Socket != "" {
		return &loop.SandboxRefused{What: loop.RefusedSocket, Name: r.Socket, Key: "sandbox.allow", Value: place.OpeningOf(r.Socket), By: wantedBy[by]}
	}
	p := &loop.SandboxRefused{What: loop.RefusedHost, Name: r.Address, By: wantedBy[by]}
	if port, ok := onLoopback(r.Address); ok {
		p.Key, p.Value = "sandbox.hosts", fmt.Sprintf("localhost:%d", port)
	}
	return p
}
