package loop

import "slices"

// Sandbox is what stands between a run's programs and the rest of the machine. A nil
// one is not known: the run is from before there was any.
type Sandbox struct {
	Mode    string   `json:"mode"`              // namespaces, landlock, seatbelt, docker, podman or none
	Image   string   `json:"image,omitempty"`   // of its containers
	Wanted  string   `json:"wanted,omitempty"`  // the setting that led to it
	Why     string   `json:"why,omitempty"`     // it is no stronger one
	Open    []string `json:"open,omitempty"`    // what was let in that leads out of it, such as docker
	Network string   `json:"network,omitempty"` // open or listed
}

// Unsandboxed is the mode in which nothing is confined.
const Unsandboxed = "none"

// String is the phrase that every face shows behind the word sandbox; empty where
// nothing is known.
func (s *Sandbox) String() string {
	switch {
	case s == nil:
		return ""
	case s.AskedOff():
		return Unsandboxed + " (asked for)"
	}
	said := s.Mode
	if s.Image != "" {
		said += " (" + s.Image + ")"
	}
	if s.Why != "" {
		said += " (" + s.Why + ")"
	}
	return said + s.behind()
}

// Short is the phrase without its reasons, for where there is little room: what it
// warns of is in it.
func (s *Sandbox) Short() string {
	if s == nil || s.AskedOff() {
		return s.String()
	}
	return s.Mode + s.behind()
}

// behind is what is open or shut in it.
func (s *Sandbox) behind() string {
	if s.Mode == Unsandboxed {
		return "" // nothing can be
	}
	said := ""
	for i, what := range s.Open {
		if i == 0 {
			said += ", "
		} else {
			said += " and "
		}
		said += what
	}
	if len(s.Open) > 0 {
		said += " open: not confined"
	}
	if s.Network != "" && s.Network != "open" {
		said += ", network " + s.Network
	}
	return said
}

// AskedOff tells whether a person wants no sandbox.
func (s *Sandbox) AskedOff() bool {
	return s != nil && s.Mode == Unsandboxed && s.Wanted == Unsandboxed
}

// Unconfined says why nothing confines the agent, when nobody asked for that.
func (s *Sandbox) Unconfined() (why string, ok bool) {
	if s == nil || s.Mode != Unsandboxed || s.AskedOff() {
		return "", false
	}
	why = "the agent is not confined"
	if s.Why != "" {
		why += ": " + s.Why
	}
	return why, true
}

// Warning is what a person should hear before such a run begins.
func (s *Sandbox) Warning() (text, hint string, ok bool) {
	text, ok = s.Unconfined()
	if !ok {
		return "", "", false
	}
	return text, "\"refrain doctor\" tells what is missing; sandbox.mode = \"none\" says that you want it so", true
}

// SandboxRefused is something outside of the sandbox that a program in it tried to
// reach. Each is told once.
type SandboxRefused struct {
	What  string `json:"what"`            // RefusedHost or RefusedSocket
	Name  string `json:"name"`            // of the host, or the path of the socket
	Key   string `json:"key,omitempty"`   // the setting that would allow it
	Value string `json:"value,omitempty"` // what to put there, where that is not the name
	By    string `json:"by,omitempty"`    // whose program it was: agent, gate, …
}

// What a sandbox refuses by name.
const (
	RefusedHost   = "host"
	RefusedSocket = "socket"
)

func (*SandboxRefused) Type() Type { return "sandbox.refused" }

// Same tells whether two are about one thing, whoever wanted it.
func (p *SandboxRefused) Same(other *SandboxRefused) bool {
	return p.What == other.What && p.Name == other.Name
}

// Confinement is what the run is confined by, and what that has refused.
type Confinement struct {
	Sandbox         *Sandbox         `json:"sandbox,omitempty"`
	SandboxRefusals []SandboxRefused `json:"sandbox_refused,omitempty"` // the first of them; totals count all
}

// maxSandboxRefused is how many of them are kept in full.
const maxSandboxRefused = 20

// refuse takes in what was refused. Another runner of the run may tell what an
// earlier one has told.
func (c Confinement) refuse(p *SandboxRefused) (after Confinement, anew bool) {
	one := SandboxRefused{What: p.What, Name: brief(p.Name), Key: p.Key, Value: brief(p.Value), By: p.By}
	if slices.ContainsFunc(c.SandboxRefusals, func(r SandboxRefused) bool { return r.Same(&one) }) {
		return c, false
	}
	if len(c.SandboxRefusals) < maxSandboxRefused {
		c.SandboxRefusals = append(slices.Clip(c.SandboxRefusals), one)
	}
	return c, true
}

// FencedOff counts what the sandbox has refused.
type FencedOff struct {
	HostsRefused   int `json:"hosts_refused,omitempty"`
	SocketsRefused int `json:"sockets_refused,omitempty"`
}

func (f FencedOff) add(what string) FencedOff {
	switch what {
	case RefusedHost:
		f.HostsRefused++
	case RefusedSocket:
		f.SocketsRefused++
	}
	return f
}
