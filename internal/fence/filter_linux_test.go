//go:build linux && (amd64 || arm64)

package fence

import (
	"testing"

	"golang.org/x/sys/unix"
)

func TestWhatTheFilterAnswers(t *testing.T) {
	const nonblock = unix.SOCK_NONBLOCK | unix.SOCK_CLOEXEC
	tests := []struct {
		name                     string
		nr                       uint32
		args                     [6]uint64
		scoped, supervised, only uint32 // in namespaces, with Landlock, with a list of hosts
	}{
		{"read", unix.SYS_READ, [6]uint64{}, retAllow, retAllow, retAllow},
		{"ptrace", unix.SYS_PTRACE, [6]uint64{}, retAllow, retAllow, retAllow},
		{"keyctl", unix.SYS_KEYCTL, [6]uint64{}, retRefuse, retRefuse, retRefuse},
		{"io_uring", unix.SYS_IO_URING_SETUP, [6]uint64{}, retRefuse, retRefuse, retRefuse},
		{"by handle", unix.SYS_OPEN_BY_HANDLE_AT, [6]uint64{}, retRefuse, retRefuse, retRefuse},
		{"own limits", unix.SYS_PRLIMIT64, [6]uint64{0, unix.RLIMIT_NOFILE}, retAllow, retAllow, retAllow},
		{"limits of another", unix.SYS_PRLIMIT64, [6]uint64{7, unix.RLIMIT_CPU}, retRefuse, retRefuse, retRefuse},
		{"connect", unix.SYS_CONNECT, [6]uint64{}, retAllow, retNotify, retNotify},
		{"unix stream", unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM | nonblock}, retAllow, retAllow, retAllow},
		{"unix packets", unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX, unix.SOCK_SEQPACKET}, retAllow, retAllow, retAllow},
		{"unix datagrams", unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX, unix.SOCK_DGRAM | nonblock}, retAllow, retRefuse, retRefuse},
		{"unix raw", unix.SYS_SOCKET, [6]uint64{unix.AF_UNIX, unix.SOCK_RAW}, retAllow, retRefuse, retRefuse},
		{"unix datagrams, upper half set", unix.SYS_SOCKET, [6]uint64{1<<32 | unix.AF_UNIX, 1<<32 | unix.SOCK_DGRAM}, retAllow, retRefuse, retRefuse},
		{"pair", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, unix.SOCK_STREAM}, retAllow, retAllow, retAllow},
		{"pair of datagrams", unix.SYS_SOCKETPAIR, [6]uint64{unix.AF_UNIX, unix.SOCK_DGRAM}, retAllow, retRefuse, retRefuse},
		{"tcp", unix.SYS_SOCKET, [6]uint64{unix.AF_INET, unix.SOCK_STREAM | nonblock, unix.IPPROTO_TCP}, retAllow, retAllow, retAllow},
		{"tcp 6", unix.SYS_SOCKET, [6]uint64{unix.AF_INET6, unix.SOCK_STREAM, 0}, retAllow, retAllow, retAllow},
		{"udp", unix.SYS_SOCKET, [6]uint64{unix.AF_INET, unix.SOCK_DGRAM | nonblock, 0}, retAllow, retAllow, retRefuse},
		{"mptcp", unix.SYS_SOCKET, [6]uint64{unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP}, retAllow, retAllow, retRefuse},
		{"sctp", unix.SYS_SOCKET, [6]uint64{unix.AF_INET6, unix.SOCK_STREAM, unix.IPPROTO_SCTP}, retAllow, retAllow, retRefuse},
		{"raw", unix.SYS_SOCKET, [6]uint64{unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP}, retAllow, retAllow, retRefuse},
		{"vsock", unix.SYS_SOCKET, [6]uint64{unix.AF_VSOCK, unix.SOCK_STREAM, 0}, retAllow, retAllow, retRefuse},
		{"routes", unix.SYS_SOCKET, [6]uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE}, retAllow, retAllow, retAllow},
		{"netfilter", unix.SYS_SOCKET, [6]uint64{unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_NETFILTER}, retAllow, retAllow, retRefuse},
		{"sendto", unix.SYS_SENDTO, [6]uint64{3: unix.MSG_NOSIGNAL}, retAllow, retAllow, retAllow},
		{"sendto that connects", unix.SYS_SENDTO, [6]uint64{3: unix.MSG_NOSIGNAL | unix.MSG_FASTOPEN}, retAllow, retAllow, retRefuse},
		{"sendmsg", unix.SYS_SENDMSG, [6]uint64{2: unix.MSG_NOSIGNAL}, retAllow, retAllow, retAllow},
		{"sendmsg that connects", unix.SYS_SENDMSG, [6]uint64{2: unix.MSG_FASTOPEN}, retAllow, retAllow, retRefuse},
		{"sendmmsg that connects", unix.SYS_SENDMMSG, [6]uint64{3: unix.MSG_FASTOPEN}, retAllow, retAllow, retRefuse},
		{"a call of another kind", foreignCalls + unix.SYS_CONNECT, [6]uint64{}, retAbsent, retAbsent, retAbsent},
	}
	for _, tt := range tests {
		for _, one := range []struct {
			name   string
			filter []unix.SockFilter
			want   uint32
		}{
			{"scoped", newFilter(false, false), tt.scoped},
			{"supervised", newFilter(true, false), tt.supervised},
			{"listed", newFilter(true, true), tt.only},
		} {
			if got := answerOf(t, one.filter, auditArch, tt.nr, tt.args); got != one.want {
				t.Errorf("%s: %s: %#x, want %#x", one.name, tt.name, got, one.want)
			}
		}
	}
	const i386 = unix.AUDIT_ARCH_I386
	if got := answerOf(t, newFilter(true, false), i386, unix.SYS_READ, [6]uint64{}); got != retKill {
		t.Errorf("a call of another processor: %#x, want it to kill", got)
	}
}

// answerOf runs a filter as the kernel does.
func answerOf(t *testing.T, filter []unix.SockFilter, arch, nr uint32, args [6]uint64) uint32 {
	t.Helper()
	load := func(place uint32) uint32 {
		switch {
		case place == callNumber:
			return nr
		case place == callArch:
			return arch
		}
		return uint32(args[(place-16)/8])
	}
	a := uint32(0)
	for i := 0; i < len(filter); i++ {
		in := filter[i]
		jump := func(yes bool) {
			if yes {
				i += int(in.Jt)
			} else {
				i += int(in.Jf)
			}
		}
		switch in.Code {
		case unix.BPF_LD | unix.BPF_W | unix.BPF_ABS:
			a = load(in.K)
		case unix.BPF_ALU | unix.BPF_AND | unix.BPF_K:
			a &= in.K
		case unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K:
			jump(a == in.K)
		case unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K:
			jump(a >= in.K)
		case unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K:
			jump(a&in.K != 0)
		case unix.BPF_RET | unix.BPF_K:
			return in.K
		default:
			t.Fatalf("instruction %d: %#x is not known", i, in.Code)
		}
	}
	t.Fatal("the filter has no end")
	return 0
}
