package control

import (
	"crypto/rand"
	"net"
	"strings"
)

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

// listenLoopback listens where only this machine can connect. Every user of it
// can, so the address holds a secret that requests must know.
func listenLoopback() (l net.Listener, address string, err error) {
	l, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	return l, tcpScheme + l.Addr().String() + tokenMark + rand.Text(), nil
}
