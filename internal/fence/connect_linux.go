package fence

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// sockets says where may be connected to.
type sockets struct {
	allowed []string         // sockets with a path, or folders of them
	places  []netip.AddrPort // all of the network; nil: it is open
	refused func(Refusal)    // hears of what is not; nil: nobody does
}

// placesOpen is where the policy lets a process connect to by itself.
func placesOpen(p Policy) ([]netip.AddrPort, error) {
	list := []netip.AddrPort{netip.AddrPortFrom(loopback, uint16(p.ProxyPort))}
	for _, f := range p.Forward {
		places, err := placesOf(f)
		if err != nil {
			return nil, err
		}
		list = append(list, places...)
	}
	return list, nil
}

// wish is a connect that a process waits for.
type wish struct {
	call
	waits func() bool // it still does, so its number is nobody else's
}

// connect does it, or says why not.
func (w wish) connect(s sockets, c crowd) syscall.Errno {
	c.looked <- struct{}{}
	seen := sync.OnceFunc(func() { <-c.looked })
	defer seen()
	dial := func(socket int, address []byte) syscall.Errno {
		seen()
		return c.dial(socket, address)
	}
	socket, address, errno := w.take()
	if errno != 0 {
		return errno
	}
	defer unix.Close(socket)
	domain, err := unix.GetsockoptInt(socket, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil {
		return errnoOf(err)
	}
	if domain != unix.AF_UNIX {
		if errno := s.judge(domain, address); errno != 0 {
			return errno
		}
		return dial(socket, address)
	}
	if family(address) != unix.AF_UNIX {
		return dial(socket, address) // which the kernel refuses, or which disconnects
	}
	name := address[2:]
	switch {
	case len(name) == 0:
		return unix.EINVAL
	case name[0] == 0:
		if !insideAbstract(name) {
			return unix.EPERM
		}
		return dial(socket, address)
	}
	path, errno := w.open(string(cut(name)))
	if errno != 0 {
		return errno
	}
	defer unix.Close(path)
	if !s.reachable(path) {
		if name, err := os.Readlink(linkOf(path)); err == nil {
			s.tell(Refusal{Socket: name})
		}
		return unix.EACCES
	}
	return dial(socket, byLink(path))
}

// longest is the longest address that the kernel takes.
const longest = 128

// take makes our own copies of the socket and of the address. They are of the
// process that waits, and of nobody who has got its number since.
func (w wish) take() (socket int, address []byte, errno syscall.Errno) {
	if size := int32(w.args[2]); size < 2 || size > longest {
		return -1, nil, unix.EINVAL
	}
	pidfd, err := unix.PidfdOpen(processOf(w.pid), 0)
	if err != nil {
		return -1, nil, unix.EACCES
	}
	defer unix.Close(pidfd)
	address = make([]byte, int32(w.args[2]))
	local := []unix.Iovec{{Base: &address[0]}}
	local[0].SetLen(len(address))
	remote := []unix.RemoteIovec{{Base: uintptr(w.args[1]), Len: len(address)}}
	if n, err := unix.ProcessVMReadv(int(w.pid), local, remote, 0); err != nil || n != len(address) {
		if err == unix.EPERM {
			return -1, nil, unix.EACCES
		}
		return -1, nil, unix.EFAULT
	}
	socket, err = unix.PidfdGetfd(pidfd, int(int32(w.args[0])), 0)
	if err != nil {
		return -1, nil, errnoOf(err)
	}
	if !w.waits() {
		_ = unix.Close(socket)
		return -1, nil, unix.EINTR
	}
	return socket, address, 0
}

// dial connects the socket. One that may wait takes a place among those that do.
func (c crowd) dial(socket int, address []byte) syscall.Errno {
	if flags, err := unix.FcntlInt(uintptr(socket), unix.F_GETFL, 0); err != nil || flags&unix.O_NONBLOCK == 0 {
		c.silent <- struct{}{}
		defer func() { <-c.silent }()
	}
	_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(socket), uintptr(unsafe.Pointer(&address[0])), uintptr(len(address)))
	return errno
}

// open opens what a path leads to in the eyes of the process, without doing
// anything to it. From here on it is this file, whoever puts another one there.
func (w wish) open(path string) (int, syscall.Errno) {
	from, err := unix.Open(fmt.Sprintf("/proc/%d/cwd", w.pid), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, unix.EACCES
	}
	defer unix.Close(from)
	if !w.waits() {
		return -1, unix.EINTR
	}
	fd, err := unix.Openat(from, w.seen(path), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, errnoOf(err)
	}
	return fd, 0
}

// seen is a path as the process means it: it is not us whom it calls self.
func (w wish) seen(path string) string {
	if rest, ok := strings.CutPrefix(path, "/proc/self/"); ok {
		return fmt.Sprintf("/proc/%d/%s", processOf(w.pid), rest)
	}
	if rest, ok := strings.CutPrefix(path, "/proc/thread-self/"); ok {
		return fmt.Sprintf("/proc/%d/%s", w.pid, rest)
	}
	return path
}

// reachable tells whether a socket with a path may be connected to: it is allowed
// by name, or somebody inside listens on it. Where it lies says nothing, for a
// terminal of the user's may have its socket in a folder that may be changed.
func (s sockets) reachable(fd int) bool {
	path, err := os.Readlink(linkOf(fd))
	if err != nil {
		return false
	}
	for _, allowed := range s.allowed {
		if within(path, allowed) {
			return true
		}
	}
	return insideFile(fd)
}

// judge says whether an address of the network may be connected to.
func (s sockets) judge(domain int, address []byte) syscall.Errno {
	if s.places == nil {
		return 0
	}
	switch domain {
	case unix.AF_NETLINK:
		return 0 // the kernel
	case unix.AF_INET, unix.AF_INET6:
	default:
		return unix.EACCES
	}
	if family(address) == unix.AF_UNSPEC {
		return 0 // disconnects
	}
	to, ok := addressOf(address)
	if !ok {
		return unix.EINVAL
	}
	to = netip.AddrPortFrom(to.Addr().Unmap(), to.Port())
	if !slices.Contains(s.places, to) {
		s.tell(Refusal{Address: to.String()})
		return unix.EACCES
	}
	return 0
}

func (s sockets) tell(r Refusal) {
	if s.refused != nil {
		s.refused(r)
	}
}

func family(address []byte) int { return int(binary.NativeEndian.Uint16(address)) }

// addressOf reads an address of the network as the kernel does.
func addressOf(address []byte) (netip.AddrPort, bool) {
	switch {
	case family(address) == unix.AF_INET && len(address) >= unix.SizeofSockaddrInet4:
		ip := netip.AddrFrom4([4]byte(address[4:8]))
		return netip.AddrPortFrom(ip, binary.BigEndian.Uint16(address[2:])), true
	case family(address) == unix.AF_INET6 && len(address) >= unix.SizeofSockaddrInet6-4: // the scope may be left out
		ip := netip.AddrFrom16([16]byte(address[8:24]))
		return netip.AddrPortFrom(ip, binary.BigEndian.Uint16(address[2:])), true
	}
	return netip.AddrPort{}, false
}

// byLink is an address that leads to an open file, and so to nothing else.
func byLink(fd int) []byte {
	address := binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX)
	return append(append(address, linkOf(fd)...), 0)
}

func linkOf(fd int) string { return "/proc/self/fd/" + strconv.Itoa(fd) }

// cut is a name up to its end, if it has one.
func cut(name []byte) []byte {
	if i := bytes.IndexByte(name, 0); i >= 0 {
		return name[:i]
	}
	return name
}

// processOf is the process that a thread belongs to.
func processOf(tid uint32) int {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", tid))
	if err != nil {
		return int(tid)
	}
	_, rest, _ := strings.Cut(string(b), "\nTgid:")
	line, _, _ := strings.Cut(rest, "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		return int(tid)
	}
	return pid
}

func errnoOf(err error) syscall.Errno {
	if errno, ok := err.(syscall.Errno); ok {
		return errno
	}
	return unix.EACCES
}
