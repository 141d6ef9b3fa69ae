package fence

import (
	"fmt"
	"strings"
)

// Kind is how a fence is made.
type Kind string

// The kinds of fences.
const (
	None       Kind = "none"
	Landlock   Kind = "landlock"
	Namespaces Kind = "namespaces"
	Seatbelt   Kind = "seatbelt" // that of macOS
)

// Policy is what a process may reach. Paths are absolute and clean; those that are
// not there are left out. It travels from the runner to its keeper, so it holds
// values alone.
type Policy struct {
	Kind    Kind
	Write   []string // may be changed, with all below
	Keep    []string // below Write, and only read (namespaces; landlock can not)
	Hide    []string // not there (namespaces), not readable (landlock)
	Show    []string // below Hide, or Covered (namespaces), and readable all the same
	Private []string // caches: copy-on-write with Upper (namespaces), writable (landlock)
	Upper   string   // where the changes to Private are kept; one fence at a time can use it
	Temp    string   // writable; namespaces: also what /tmp and /var/tmp are
	TempOwn bool     // Temp is only itself: what is in /tmp is to be seen
	Sockets []string // sockets, or folders of them, that may be connected to outside of Write

	// Proxy is the UNIX socket of the only way to the network, which is reached on
	// ProxyPort of loopback inside. Empty: the network is that of the host. With
	// landlock there is only one loopback, where who makes the policy listens: no more is
	// done with the socket than to know that there is one.
	Proxy     string
	ProxyPort int
	// Forward is what is reached without asking the proxy: places on loopback of the
	// host, localhost:PORT or an address of it, that are to be had inside too.
	Forward []string
}

// Raised tells whether there is anything to raise.
func (p *Policy) Raised() bool { return p != nil && p.Kind != "" && p.Kind != None }

// Word is what whoever starts a keeper has to know of the policy, as one argument:
// the kind, and whether the network is one of its own.
func (p *Policy) Word() string {
	switch {
	case !p.Raised():
		return string(None)
	case p.Proxy != "":
		return string(p.Kind) + listed
	}
	return string(p.Kind)
}

// KindOf is the kind in the word of a policy.
func KindOf(word string) Kind { return Kind(strings.TrimSuffix(word, listed)) }

// listed ends the word of a policy whose network goes through a proxy.
const listed = "+proxy"

// Error says that a fence can not be raised.
type Error struct {
	Kind Kind
	What string // that was tried, as in "confine a thread"
	Err  error
}

func (e *Error) Error() string {
	if e.What == "" {
		return fmt.Sprintf("sandbox %s: %v", e.Kind, e.Err)
	}
	return fmt.Sprintf("sandbox %s: %s: %v", e.Kind, e.What, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// copying begins what was tried when a folder was to be private.
const copying = "make a private copy of "

// Uncopied tells whether a folder could not be made private here: the disk for what is
// changed in it can not do that, and one without such a folder would be raised.
func (e *Error) Uncopied() bool { return strings.HasPrefix(e.What, copying) }
