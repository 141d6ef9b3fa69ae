package control

import "strings"

// An address is the path of a socket or, where there are none, a port of this
// machine and the token that shows who may use it.
const (
	tcpScheme = "tcp:"
	tokenMark = "?token="
)

// split takes an address apart.
func split(address string) (network, place, token string) {
	port, ok := strings.CutPrefix(address, tcpScheme)
	if !ok {
		return "unix", address, ""
	}
	place, token, _ = strings.Cut(port, tokenMark)
	return "tcp", place, token
}
