package control

import (
	"crypto/rand"
	"net"
)

// listenLoopback listens where only this machine can connect. Every user of it
// can, so the address holds a secret that requests must know.
func listenLoopback() (l net.Listener, address string, err error) {
	l, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	return l, tcpScheme + l.Addr().String() + tokenMark + rand.Text(), nil
}
