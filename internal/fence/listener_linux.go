package fence

import (
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Supervised connects: below version 9 Landlock does not know sockets with a path,
// and never knows addresses. So a filter hands every connect to the keeper, which
// makes its own copy of the address, judges it, and connects in the place of the
// process. Nothing is decided on memory that the process can still change.

// listener hears of the connects of one start, and of all below it.
type listener struct {
	file *os.File
	crowd
}

// crowd keeps connects from taking all of our threads.
type crowd struct {
	looked chan struct{} // one for each connect that is looked at
	silent chan struct{} // one for each that waits for the other side
}

func newCrowd() crowd { return crowd{make(chan struct{}, handy), make(chan struct{}, patient)} }

// How many connects of one start may be looked at, and may wait for the other side,
// at the same time. Each takes a thread of ours, and a process that has ten thousand
// must not have ours do so, too; the others queue up.
const (
	handy   = 32
	patient = 128
)

// call is a system call that waits for an answer, as the kernel tells it.
type call struct {
	id    uint64
	pid   uint32 // of a thread
	flags uint32
	nr    int32
	arch  uint32
	ip    uint64
	args  [6]uint64
}

// answer ends the wait of a call.
type answer struct {
	id    uint64
	value int64
	errno int32
	flags uint32
}

// listen answers the calls that a new filter hands on, until nobody is left behind
// it.
func (c *Confiner) listen(fd int) error {
	if err := unix.SetNonblock(fd, true); err != nil { // so that no thread waits for it
		_ = unix.Close(fd)
		return err
	}
	l := &listener{file: os.NewFile(uintptr(fd), "calls"), crowd: newCrowd()}
	c.mu.Lock()
	c.listeners[l] = true
	c.mu.Unlock()
	c.ends.Go(func() {
		l.serve(c.sockets)
		c.mu.Lock()
		delete(c.listeners, l)
		c.mu.Unlock()
		_ = l.file.Close() // who waits for an answer still is told that there is no such call
	})
	return nil
}

// serve hands each call to a goroutine of its own: a connect may take its time.
func (l *listener) serve(s sockets) {
	conn, err := l.file.SyscallConn()
	if err != nil {
		return
	}
	for {
		var one call
		over := false
		err := conn.Read(func(fd uintptr) bool {
			one, over = next(int(fd))
			return over || one.id != 0
		})
		if over || err != nil {
			return
		}
		go l.reply(conn, one, s) // ends with its connect, for which nobody waits
	}
}

// next takes a call without waiting for one. It is over when nobody is left who
// could make one.
func next(fd int) (one call, over bool) {
	for {
		ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(ready, 0)
		switch {
		case err == unix.EINTR:
			continue
		case err != nil:
			return call{}, true
		case n == 0:
			return call{}, false
		case ready[0].Revents&unix.POLLIN == 0:
			return call{}, true
		}
		one = call{}
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&one)))
		switch errno {
		case 0:
			return one, false
		case unix.EINTR, unix.ENOENT: // who made it is gone
		default:
			return call{}, true
		}
	}
}

// reply does what the call asks for, or says why not.
func (l *listener) reply(conn syscall.RawConn, one call, s sockets) {
	w := wish{call: one, waits: func() bool { return control(conn, notifIDValid, unsafe.Pointer(&one.id)) }}
	a := answer{id: one.id, errno: -int32(w.connect(s, l.crowd))}
	control(conn, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a)) // fails when who made the call is gone
}

// control tells whether the kernel did what it was asked for.
func control(conn syscall.RawConn, what uintptr, with unsafe.Pointer) (done bool) {
	_ = conn.Control(func(fd uintptr) { // fails when it is closed
		_, _, errno := unix.Syscall(unix.SYS_IOCTL, fd, what, uintptr(with))
		done = errno == 0
	})
	return done
}

// notifIDValid asks whether who made a call still waits for its answer. The package
// unix lacks it.
const notifIDValid = 0x40082102
