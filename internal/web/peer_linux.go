package web

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
)

// peersOf are the processes at the other end of a request, as far as that is on this
// machine and they can be seen: those that hold the socket from which it came.
func peersOf(r *http.Request) []int {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return nil
	}
	inode := inodeOf(peer)
	if inode == "" {
		return nil
	}
	return holdersOf("socket:[" + inode + "]")
}

// inodeOf is the number of the socket whose own end is an address; empty when there is
// none here.
func inodeOf(at netip.AddrPort) string {
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
			if local, ok := kernelAddr(fields[1]); ok && local.Port() == at.Port() && local.Addr().Unmap() == at.Addr().Unmap() {
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

// holdersOf are the processes that have a file open.
func holdersOf(name string) []int {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var list []int
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		dir := fmt.Sprintf("/proc/%d/fd", pid)
		open, err := os.ReadDir(dir)
		if err != nil {
			continue // another user's, or gone
		}
		for _, f := range open {
			if to, err := os.Readlink(dir + "/" + f.Name()); err == nil && to == name {
				list = append(list, pid)
				break
			}
		}
	}
	return list
}
