package fence

import (
	"encoding/binary"
	"net/netip"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// inet is an address as a process has it in its memory.
func inet(address string) []byte {
	to := netip.MustParseAddrPort(address)
	if to.Addr().Is4() {
		b := binary.NativeEndian.AppendUint16(nil, unix.AF_INET)
		b = binary.BigEndian.AppendUint16(b, to.Port())
		return append(append(b, to.Addr().AsSlice()...), make([]byte, 8)...)
	}
	b := binary.NativeEndian.AppendUint16(nil, unix.AF_INET6)
	b = binary.BigEndian.AppendUint16(b, to.Port())
	b = append(append(b, make([]byte, 4)...), to.Addr().AsSlice()...)
	return append(b, make([]byte, 4)...)
}

func TestWithAProxyOnlyItsPortOfLoopbackIsReached(t *testing.T) {
	disconnect := binary.NativeEndian.AppendUint16(nil, unix.AF_UNSPEC)
	tests := []struct {
		name    string
		domain  int
		address []byte
		want    error
	}{
		{"the proxy", unix.AF_INET, inet("127.0.0.1:3128"), nil},
		{"the port by 6, which is not the proxy", unix.AF_INET6, inet("[::1]:3128"), unix.EACCES},
		{"what is forwarded", unix.AF_INET, inet("127.0.0.1:5432"), nil},
		{"what is forwarded, by 6", unix.AF_INET6, inet("[::1]:5432"), nil},
		{"its port elsewhere on loopback", unix.AF_INET, inet("127.0.0.2:5432"), unix.EACCES},
		{"an address that is forwarded", unix.AF_INET, inet("127.0.0.2:6379"), nil},
		{"its port on localhost", unix.AF_INET, inet("127.0.0.1:6379"), unix.EACCES},
		{"the proxy, mapped", unix.AF_INET6, inet("[::ffff:127.0.0.1]:3128"), nil},
		{"another port", unix.AF_INET, inet("127.0.0.1:22"), unix.EACCES},
		{"another host", unix.AF_INET, inet("192.0.2.1:3128"), unix.EACCES},
		{"another host by 6", unix.AF_INET6, inet("[2001:db8::1]:3128"), unix.EACCES},
		{"another host, mapped", unix.AF_INET6, inet("[::ffff:192.0.2.1]:3128"), unix.EACCES},
		{"any host, which is loopback too", unix.AF_INET, inet("0.0.0.0:22"), unix.EACCES},
		{"none", unix.AF_INET, disconnect, nil},
		{"too short", unix.AF_INET, inet("127.0.0.1:3128")[:8], unix.EINVAL},
		{"4 on a socket of 6", unix.AF_INET6, inet("192.0.2.1:3128"), unix.EACCES},
		{"the kernel", unix.AF_NETLINK, make([]byte, 12), nil},
		{"a hypervisor", unix.AF_VSOCK, make([]byte, 16), unix.EACCES},
	}
	places, err := placesOpen(Policy{ProxyPort: 3128, Forward: []string{"localhost:5432", "127.0.0.2:6379"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range tests {
		var told []Refusal
		got := sockets{places: places, refused: func(r Refusal) { told = append(told, r) }}.judge(tt.domain, tt.address)
		if got != 0 && got != tt.want || got == 0 && tt.want != nil {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
		if (len(told) == 1) != (got == unix.EACCES && tt.domain != unix.AF_VSOCK) {
			t.Errorf("%s: told %v", tt.name, told)
		}
		if got := (sockets{}).judge(tt.domain, tt.address); got != 0 {
			t.Errorf("%s, with an open network: %v", tt.name, got)
		}
	}
}

func TestWhatIsTakenIsOfWhoWaits(t *testing.T) {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Skip(err)
	}
	defer unix.Close(socket)
	memory := inet("127.0.0.1:80")
	waits := true
	w := wish{
		call:  call{pid: uint32(unix.Gettid()), args: [6]uint64{uint64(socket), uint64(uintptr(unsafe.Pointer(&memory[0]))), uint64(len(memory))}},
		waits: func() bool { return waits },
	}
	ours, address, errno := w.take()
	if errno != 0 {
		t.Skipf("nobody may look into processes here: %v", errno)
	}
	_ = unix.Close(ours)
	memory[3]++
	if to, ok := addressOf(address); !ok || to.Port() != 80 {
		t.Errorf("address %v, want a copy that stays", to)
	}
	waits = false
	if _, _, errno := w.take(); errno != unix.EINTR {
		t.Errorf("of a process that is gone: %v, want EINTR", errno)
	}
	for _, size := range []uint64{0, 1, longest + 1, 1 << 31, 1<<32 - 1} {
		w.args[2] = size
		if _, _, errno := w.take(); errno != unix.EINVAL {
			t.Errorf("an address of %d bytes: %v, want EINVAL", size, errno)
		}
	}
}

func FuzzJudge(f *testing.F) {
	f.Add(unix.AF_INET, inet("127.0.0.1:3128"))
	f.Add(unix.AF_INET6, inet("[::ffff:127.0.0.1]:3128"))
	f.Add(unix.AF_INET, []byte{0, 0})
	places, _ := placesOpen(Policy{ProxyPort: 3128})
	f.Fuzz(func(t *testing.T, domain int, address []byte) {
		if len(address) < 2 || domain == unix.AF_NETLINK {
			return
		}
		if (sockets{places: places}).judge(domain, address) != 0 || family(address) == unix.AF_UNSPEC {
			return
		}
		to, ok := addressOf(address)
		if !ok || to.Port() != 3128 || to.Addr().Unmap() != loopback {
			t.Errorf("%d % x may be connected to", domain, address)
		}
	})
}
