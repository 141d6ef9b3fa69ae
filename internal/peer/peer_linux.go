package peer

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
)

// Barred says why a request may steer nothing: because a process that belongs to
// something holds the socket at the other end, or may hold it. From another machine, or
// from one that belongs to nothing, it is empty.
func Barred(r *http.Request, tunnel bool, belongs func(pid int) bool) string {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return ""
	}
	inode := inodeOf(peer)
	if inode == "" {
		if isHere(peer.Addr()) {
			return FromNobody // who asks and leaves at once has something to hide
		}
		return ""
	}
	holders, hidden := holdersOf("socket:[" + inode + "]")
	if !tunnel {
		hidden = nil
	}
	if why := suspect(holders, hidden, belongs); why != "" {
		return why
	}
	if inodeOf(peer) != inode {
		return FromNobody
	}
	return ""
}

// suspect judges by those who hold a socket. When nobody is seen to, it may be one of
// those who hide what they hold, as the server of a tunnel does. A process can hide by
// itself, but not whose child it is. Without hidden ones nobody has it, as while it is on
// its way from one process to another: an agent can arrange that, and so only who has a
// tunnel gives it the benefit of the doubt.
func suspect(holders, hidden []int, belongs func(pid int) bool) string {
	if len(holders) == 0 && len(hidden) == 0 {
		return FromNobody
	}
	if len(holders) == 0 {
		holders = hidden
	}
	if slices.ContainsFunc(holders, belongs) {
		return FromARun
	}
	return ""
}

// isHere tells whether an address is one of this machine.
func isHere(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if ip.IsLoopback() {
		return true
	}
	list, err := net.InterfaceAddrs()
	return err != nil || slices.ContainsFunc(list, func(a net.Addr) bool {
		own, err := netip.ParsePrefix(a.String())
		return err == nil && own.Addr().Unmap().WithZone("") == ip
	})
}

// inodeOf is the number of the socket whose own end is an address; empty when there is
// none here, or nobody has it open any more.
func inodeOf(at netip.AddrPort) string {
	want := netip.AddrPortFrom(at.Addr().Unmap().WithZone(""), at.Port())
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		f, err := files.OpenFile(table)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(f)
		for lines.Scan() {
			fields := strings.Fields(lines.Text())
			if len(fields) < 10 || fields[9] == "0" {
				continue
			}
			if local, ok := kernelAddr(fields[1]); ok && netip.AddrPortFrom(local.Addr().Unmap(), local.Port()) == want {
				_ = f.Close()
				return fields[9]
			}
		}
		_ = f.Close()
	}
	return ""
}

// kernelAddr reads an address as the kernel lists it: words of four bytes, each turned
// around.
func kernelAddr(s string) (netip.AddrPort, bool) {
	address, port, ok := strings.Cut(s, ":")
	b, err := hex.DecodeString(address)
	n, portErr := strconv.ParseUint(port, 16, 16)
	if !ok || err != nil || portErr != nil || len(b)%4 != 0 {
		return netip.AddrPort{}, false
	}
	for i := 0; i < len(b); i += 4 {
		slices.Reverse(b[i : i+4])
	}
	ip, ok := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(ip, uint16(n)), ok
}

// holdersOf are the processes that have a file open, and those of which nobody here can
// tell.
func holdersOf(name string) (holders, hidden []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil, nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		dir := fmt.Sprintf("/proc/%d/fd", pid)
		open, err := os.ReadDir(dir)
		if os.IsPermission(err) {
			hidden = append(hidden, pid)
		}
		for _, f := range open {
			if to, err := os.Readlink(dir + "/" + f.Name()); err == nil && to == name {
				holders = append(holders, pid)
				break
			}
		}
	}
	return holders, hidden
}
