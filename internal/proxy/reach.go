package proxy

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"
)

const (
	// dialTime is for looking up a name and all of its addresses together.
	dialTime = 30 * time.Second
	// nextTime is how long one address is tried while there are others: the
	// first may be one that nothing answers from.
	nextTime = 6 * time.Second
)

// reacher makes the connections. Nobody else in here does.
type reacher struct {
	list   []entry
	lookup func(ctx context.Context, name string) ([]netip.Addr, error)
	dial   func(context.Context, netip.AddrPort) (net.Conn, error)
}

func newReacher(hosts []string) (*reacher, error) {
	r := &reacher{lookup: lookup, dial: dial}
	for _, host := range hosts {
		e, err := parseEntry(host)
		if err != nil {
			return nil, err
		}
		r.list = append(r.list, e)
	}
	return r, nil
}

func lookup(ctx context.Context, name string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", name)
}

func dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	return (&net.Dialer{}).DialContext(ctx, "tcp", to.String())
}

func (r *reacher) allows(p place) bool {
	return slices.ContainsFunc(r.list, func(e entry) bool { return e.covers(p) })
}

// reach connects to a place, if it is listed and leads where it may. Otherwise
// the error is a *Refusal.
func (r *reacher) reach(ctx context.Context, p place) (net.Conn, error) {
	if !r.allows(p) {
		return nil, notListed(p)
	}
	ctx, cancel := context.WithTimeout(ctx, dialTime)
	defer cancel()
	addrs, err := r.addresses(ctx, p)
	if err != nil {
		return nil, err
	}
	for i, addr := range addrs {
		var c net.Conn
		if c, err = r.try(ctx, netip.AddrPortFrom(addr, p.port), i == len(addrs)-1); err == nil {
			return c, nil
		}
	}
	return nil, fmt.Errorf("connect to %s: %w", p, err)
}

func (r *reacher) try(ctx context.Context, to netip.AddrPort, last bool) (net.Conn, error) {
	if !last {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, nextTime)
		defer cancel()
	}
	return r.dial(ctx, to)
}

// addresses is where a listed place may be dialed.
func (r *reacher) addresses(ctx context.Context, p place) ([]netip.Addr, error) {
	switch {
	case p.name == "":
		return []netip.Addr{p.addr}, nil
	case p.name == localhost: // whatever DNS has to say about it
		return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1}), netip.IPv6Loopback()}, nil
	}
	found, err := r.lookup(ctx, p.name)
	if err != nil {
		return nil, fmt.Errorf("look up %s: %w", p.name, err)
	}
	var open []netip.Addr
	var closed place
	for _, addr := range found {
		to := place{addr: addr.Unmap().WithZone(""), port: p.port}
		if isSpecial(to.addr) && !r.allows(to) {
			closed = to
			continue
		}
		open = append(open, to.addr)
	}
	switch {
	case len(open) > 0:
		return open, nil
	case closed.addr.IsValid():
		return nil, elsewhere(p, closed)
	}
	return nil, fmt.Errorf("look up %s: it has no address", p.name)
}
