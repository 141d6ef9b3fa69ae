package proxy

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// place is where a connection leads: a name or an address, and a port.
type place struct {
	name string     // in small letters, as it is asked of DNS; empty: an address
	addr netip.Addr // without a zone, and never one within another
	port uint16
}

// host is the place without its port.
func (p place) host() string {
	if p.name != "" {
		return p.name
	}
	return p.addr.String()
}

func (p place) String() string { return net.JoinHostPort(p.host(), strconv.Itoa(int(p.port))) }

// local tells whether this machine itself is meant.
func (p place) local() bool { return p.name == localhost || p.addr.IsLoopback() }

const localhost = "localhost"

// webPorts are those that a host without a port stands for.
var webPorts = []uint16{443, 80}

// entry is a line of the list: a host, all below one, or an address.
type entry struct {
	place      // port 0: webPorts
	below bool // also every name below
}

// Valid tells what is wrong with an entry of the list: HOST (its ports 443 and
// 80), HOST:PORT, an address in place of a host, or .DOMAIN for all below it and
// itself. What stands for this machine needs a port.
func Valid(text string) error {
	_, err := parseEntry(text)
	return err
}

func parseEntry(text string) (entry, error) {
	switch {
	case strings.Contains(text, "://"):
		return entry{}, fmt.Errorf("%q is an address of the web: write its host alone", text)
	case strings.HasPrefix(text, "*."):
		return entry{}, fmt.Errorf("%q has a star: write %q for all below it", text, text[1:])
	case strings.ContainsAny(text, "*/@ "):
		return entry{}, fmt.Errorf("%q is not HOST or HOST:PORT", text)
	}
	bare, below := strings.CutPrefix(text, ".")
	if addr, err := netip.ParseAddr(bare); err == nil && addr.Is6() {
		bare = "[" + bare + "]" // else its end would be a port
	}
	p, err := parsePlace(bare)
	switch {
	case err != nil:
		return entry{}, fmt.Errorf("%q is not HOST or HOST:PORT: %w", text, err)
	case below && (p.name == "" || p.name == localhost):
		return entry{}, fmt.Errorf("%q: there is nothing below %s", text, p.host())
	case p.addr.IsUnspecified() || p.addr.IsMulticast():
		return entry{}, fmt.Errorf("%q is nowhere in particular", text)
	case p.local() && p.port == 0:
		return entry{}, fmt.Errorf("%q is this machine itself: name one port of it, as %s", text, place{p.name, p.addr, 5432})
	}
	return entry{p, below}, nil
}

// covers tells whether a place is one that the entry allows.
func (e entry) covers(p place) bool {
	if e.port != p.port && (e.port != 0 || !slices.Contains(webPorts, p.port)) {
		return false
	}
	if e.name == "" {
		return p.name == "" && e.addr == p.addr
	}
	return e.name == p.name || e.below && strings.HasSuffix(p.name, "."+e.name)
}

// parsePlace reads HOST or HOST:PORT; without a port it is 0.
func parsePlace(text string) (place, error) {
	host, port, err := cutPort(text)
	if err != nil {
		return place{}, err
	}
	if inner, ok := strings.CutPrefix(host, "["); ok {
		addr, err := netip.ParseAddr(strings.TrimSuffix(inner, "]"))
		if err != nil || !addr.Is6() || addr.Zone() != "" {
			return place{}, fmt.Errorf("%s is not an address", host)
		}
		return place{addr: addr.Unmap(), port: port}, nil
	}
	if addr, err := netip.ParseAddr(strings.TrimSuffix(host, ".")); err == nil {
		return place{addr: addr, port: port}, nil // a colon would have been a port's, so it has none
	}
	name, err := parseName(host)
	return place{name: name, port: port}, err
}

// cutPort cuts the port off. An address with colons stands in brackets, which
// are left to it.
func cutPort(text string) (host string, port uint16, err error) {
	host, digits := text, ""
	if end := strings.LastIndexByte(text, ']'); strings.HasPrefix(text, "[") && end > 0 {
		host, digits = text[:end+1], text[end+1:]
	} else if at := strings.IndexByte(text, ':'); at >= 0 {
		host, digits = text[:at], text[at:]
	}
	if digits == "" {
		return host, 0, nil
	}
	number, ok := strings.CutPrefix(digits, ":")
	n, err := strconv.ParseUint(number, 10, 16)
	if !ok || err != nil || n == 0 || strings.HasPrefix(number, "+") {
		return "", 0, fmt.Errorf("%q is not a port", strings.TrimPrefix(digits, ":"))
	}
	return host, uint16(n), nil
}

// What DNS takes.
const (
	longestName  = 253
	longestLabel = 63
)

// parseName is a name as DNS is asked for it: in small letters, what is not
// ASCII encoded, no dot at its end. The same name in another shape is the same
// name, for what is compared is what is looked up.
func parseName(text string) (string, error) {
	labels := strings.Split(strings.TrimSuffix(text, "."), ".")
	for i, label := range labels {
		ascii, err := parseLabel(label)
		if err != nil {
			return "", err
		}
		labels[i] = ascii
	}
	// Where the last label is a number, the system's own look-up takes the name
	// for an address: 127.1, 0x7f.1, 2130706433.
	if isNumber(labels[len(labels)-1]) {
		return "", fmt.Errorf("%s is neither a name nor an address", strings.Join(labels, "."))
	}
	name := strings.Join(labels, ".")
	if len(name) > longestName {
		return "", errors.New("it is too long for a name")
	}
	return name, nil
}

func parseLabel(label string) (string, error) {
	ascii, err := toASCII(label)
	switch {
	case err != nil:
		return "", err
	case ascii == "":
		return "", errors.New("a part of its name is empty")
	case len(ascii) > longestLabel:
		return "", errors.New("a part of its name is too long")
	}
	for _, c := range []byte(ascii) {
		if c != '-' && c != '_' && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
			return "", fmt.Errorf("a name has no %q", c)
		}
	}
	return ascii, nil
}

func isNumber(label string) bool {
	digits, hex := strings.CutPrefix(label, "0x")
	if hex && digits == "" {
		return true
	}
	return !strings.ContainsFunc(digits, func(r rune) bool {
		return (r < '0' || r > '9') && (!hex || r < 'a' || r > 'f')
	})
}

// Forwards is what of a list is on the host's own loopback, each as HOST:PORT.
// Programs do not ask a proxy for what is on their own machine, and most that speak
// to such a port know of no proxy, so a way must lead there.
func Forwards(hosts []string) []string {
	var list []string
	for _, host := range hosts {
		e, err := parseEntry(host)
		if err == nil && e.local() && !slices.Contains(list, e.String()) {
			list = append(list, e.String())
		}
	}
	return list
}
