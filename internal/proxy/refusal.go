package proxy

import (
	"fmt"
	"slices"
)

// Refusal is a host that was asked for and is not reached.
type Refusal struct {
	Host  string // HOST:PORT, as it was asked for
	Why   string // goes on after the host
	Allow string // what to list to allow it; empty: nothing should
}

func (r *Refusal) Error() string {
	text := r.Host + " " + r.Why
	if r.Allow != "" {
		text += fmt.Sprintf("; to allow it: sandbox.hosts = [%q]", r.Allow)
	}
	return text
}

// notListed refuses a place that no entry covers.
func notListed(p place) *Refusal {
	return &Refusal{Host: p.String(), Why: "is not one of the hosts that the sandbox may reach", Allow: allow(p)}
}

// elsewhere refuses a listed name for where it leads.
func elsewhere(p, to place) *Refusal {
	return &Refusal{Host: p.String(), Why: fmt.Sprintf("is at %s, which is not an address of the world", to.addr), Allow: allow(to)}
}

// allow is the entry of a list that allows a place. Nobody is shown the way to an
// address beside the machine: there clouds keep the keys of their machines.
func allow(p place) string {
	if p.addr.IsUnspecified() || p.addr.IsMulticast() || p.addr.IsLinkLocalUnicast() {
		return ""
	}
	if slices.Contains(webPorts, p.port) && !p.local() {
		return p.host()
	}
	return p.String()
}
