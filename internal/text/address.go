package text

import (
	"net"
	"net/netip"
	"strconv"
	"strings"
	"unicode"
)

// SplitHost is the host of an address that has one and a port.
func SplitHost(address string) (host string, ok bool) {
	host, port, err := net.SplitHostPort(address)
	_, notPort := strconv.ParseUint(port, 10, 16)
	return host, err == nil && notPort == nil && host != "" && !strings.ContainsFunc(host, unicode.IsSpace)
}

// IsLoopback tells whether only this machine can reach a host.
func IsLoopback(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.Unmap().IsLoopback()
}
