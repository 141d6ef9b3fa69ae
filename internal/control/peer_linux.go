package control

import (
	"errors"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

var errStranger = errors.New("another user is at the other end of the socket")

// trusted sees that the other end of a socket is a process of ours, or of the
// administrator's. The mode of the folder says the same; this holds also where
// somebody has changed that.
func trusted(c net.Conn) error {
	socket, ok := c.(*net.UnixConn)
	if !ok {
		return nil // there the token decides
	}
	peer, err := peerOf(socket)
	if err != nil {
		return err
	}
	if !mayTalk(os.Geteuid(), int(peer.Uid)) {
		return errStranger
	}
	return nil
}

// pidOf is the process at the other end; 0 when nobody can tell.
func pidOf(c net.Conn) int {
	socket, ok := c.(*net.UnixConn)
	if !ok {
		return 0
	}
	peer, err := peerOf(socket)
	if err != nil {
		return 0
	}
	return int(peer.Pid)
}

func peerOf(c *net.UnixConn) (*unix.Ucred, error) {
	raw, err := c.SyscallConn()
	if err != nil {
		return nil, err
	}
	var peer *unix.Ucred
	var peerErr error
	err = raw.Control(func(fd uintptr) {
		peer, peerErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	return peer, errors.Join(err, peerErr)
}

func mayTalk(we, peer int) bool { return peer == we || peer == 0 }
