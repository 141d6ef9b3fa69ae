package fence

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"sync"
	"syscall"

	"github.com/refrain-loop/refrain/internal/bridge"
)

// ports are the ports of loopback inside that lead to the proxy.
type ports struct {
	cancel context.CancelFunc
	ends   sync.WaitGroup
}

// openPorts listens where the policy says, in the network of this process. The socket
// is that of the proxy, as it is called here.
func openPorts(p Policy, socket string) (*ports, error) {
	ctx, cancel := context.WithCancel(context.Background())
	open := &ports{cancel: cancel}
	dial := func(ctx context.Context) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}
	at := netip.AddrPortFrom(loopback, uint16(p.ProxyPort))
	err := open.add(ctx, at, dial)
	taken := []netip.AddrPort{at}
	for _, f := range p.Forward {
		places, bad := placesOf(f)
		err = errors.Join(err, bad)
		for _, place := range places {
			if !slices.Contains(taken, place) { // by its address, and by the name of it
				taken = append(taken, place)
				err = errors.Join(err, open.add(ctx, place, bridge.Through(dial, f)))
			}
		}
	}
	if err != nil {
		open.close()
		return nil, err
	}
	return open, nil
}

// add opens one of them. Not every machine has loopback of both versions.
func (o *ports) add(ctx context.Context, at netip.AddrPort, dial bridge.Dial) error {
	l, err := net.Listen("tcp", at.String())
	if at.Addr().Is6() && (errors.Is(err, syscall.EADDRNOTAVAIL) || errors.Is(err, syscall.EAFNOSUPPORT)) {
		return nil
	}
	if err != nil {
		return err
	}
	o.ends.Go(func() { _ = bridge.Serve(ctx, l, dial) }) // until close; it fails only with its listener
	return nil
}

// close ends them, and whoever is on them.
func (o *ports) close() {
	if o == nil {
		return
	}
	o.cancel()
	o.ends.Wait()
}

// loopback is where the proxy is reached.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// placesOf is the addresses of one that is forwarded.
func placesOf(forward string) ([]netip.AddrPort, error) {
	host, port, err := net.SplitHostPort(forward)
	if err != nil {
		return nil, err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return nil, fmt.Errorf("%s has no port", forward)
	}
	if host == "localhost" {
		return []netip.AddrPort{netip.AddrPortFrom(loopback, uint16(n)), netip.AddrPortFrom(netip.IPv6Loopback(), uint16(n))}, nil
	}
	addr, err := netip.ParseAddr(host)
	if err != nil || !addr.IsLoopback() {
		return nil, fmt.Errorf("%s is not on loopback", forward)
	}
	return []netip.AddrPort{netip.AddrPortFrom(addr.Unmap(), uint16(n))}, nil
}
