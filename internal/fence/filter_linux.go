//go:build linux && (amd64 || arm64)

package fence

import "golang.org/x/sys/unix"

// refused are calls that no build needs: into the kernel, its keys, and files by
// another way than their path. io_uring would connect where no filter sees it. Not
// ptrace: debuggers and LeakSanitizer use it, and Landlock keeps it inside.
var refused = []uint32{
	unix.SYS_KEYCTL, unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY,
	unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_OPEN_BY_HANDLE_AT,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER,
}

// The answers of a filter.
const (
	retAllow  = unix.SECCOMP_RET_ALLOW
	retRefuse = unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)
	retAbsent = unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)
	retNotify = unix.SECCOMP_RET_USER_NOTIF
	retKill   = unix.SECCOMP_RET_KILL_PROCESS
)

const socketType = 0xf // the rest of a socket's type are flags

// newFilter is the filter of system calls. Supervised: connects are for the keeper
// to make. Listed: only TCP, whose connects the keeper judges by their address; in
// namespaces, only what is of the namespace's own network.
func newFilter(supervised, listed bool) []unix.SockFilter {
	p := &program{marks: map[string]int{}}
	p.load(callArch)
	p.notEqual(auditArch, "kill") // the numbers of the calls would be others
	p.load(callNumber)
	p.atLeast(foreignCalls, "absent")
	for _, call := range refused {
		p.equal(call, "refuse")
	}
	p.equal(unix.SYS_PRLIMIT64, "limits")
	if supervised {
		p.equal(unix.SYS_CONNECT, "notify")
		p.equal(unix.SYS_SOCKET, "socket")
		p.equal(unix.SYS_SOCKETPAIR, "pair")
	}
	if listed && !supervised {
		p.equal(unix.SYS_SOCKET, "socket")
	}
	if listed && supervised {
		p.equal(unix.SYS_SENDTO, "flags 3")
		p.equal(unix.SYS_SENDMSG, "flags 2")
		p.equal(unix.SYS_SENDMMSG, "flags 3")
	}
	p.ret(retAllow)

	// A limit on the processor time of another process ends it as a signal would, and
	// one on its files does worse.
	p.mark("limits")
	p.load(argument(0))
	p.notEqual(0, "refuse")
	switch {
	case supervised:
		p.sockets(listed)
	case listed:
		p.ownNetwork()
	}
	return p.end()
}

// sockets judges which sockets may be made.
func (p *program) sockets(listed bool) {
	p.ret(retAllow)

	p.mark("pair")
	p.load(argument(0))
	p.equal(unix.AF_UNIX, "unix")
	p.ret(retAllow)

	p.mark("socket")
	p.load(argument(0))
	p.equal(unix.AF_UNIX, "unix")
	if listed {
		p.equal(unix.AF_INET, "inet")
		p.equal(unix.AF_INET6, "inet")
		p.notEqual(unix.AF_NETLINK, "refuse")
		p.load(argument(2)) // resolvers ask for the routes
		p.notEqual(unix.NETLINK_ROUTE, "refuse")
	}
	p.ret(retAllow)

	// A datagram names its receiver in a struct, which no filter can read, and which
	// the process can change while we do. So there are none of the UNIX kind; one that
	// calls itself raw is a datagram socket too.
	p.mark("unix")
	p.load(argument(1))
	p.and(socketType)
	p.equal(unix.SOCK_DGRAM, "refuse")
	p.equal(unix.SOCK_RAW, "refuse")
	p.ret(retAllow)

	if listed {
		p.mark("inet")
		p.load(argument(1))
		p.and(socketType)
		p.notEqual(unix.SOCK_STREAM, "refuse")
		p.load(argument(2))
		p.equal(0, "allow")
		p.equal(unix.IPPROTO_TCP, "allow")
		p.ret(retRefuse)

		// A first packet with data connects without a connect.
		p.mark("flags 2")
		p.load(argument(2))
		p.anyOf(unix.MSG_FASTOPEN, "refuse")
		p.ret(retAllow)
		p.mark("flags 3")
		p.load(argument(3))
		p.anyOf(unix.MSG_FASTOPEN, "refuse")
	}
}

// ownNetwork lets nobody use a network that is not one of the namespace's: machines
// that this one is in, or that are near.
func (p *program) ownNetwork() {
	p.ret(retAllow)

	p.mark("socket")
	p.load(argument(0))
	for _, family := range []uint32{unix.AF_UNIX, unix.AF_INET, unix.AF_INET6, unix.AF_NETLINK, unix.AF_PACKET, unix.AF_ALG} {
		p.equal(family, "allow")
	}
	p.ret(retRefuse)
}

// end adds the answers.
func (p *program) end() []unix.SockFilter {
	p.mark("allow")
	p.ret(retAllow)
	p.mark("refuse")
	p.ret(retRefuse)
	p.mark("absent")
	p.ret(retAbsent)
	p.mark("notify")
	p.ret(retNotify)
	p.mark("kill")
	p.ret(retKill)
	return p.done()
}
