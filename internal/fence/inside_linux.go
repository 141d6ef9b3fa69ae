package fence

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Who listens on a socket with a path is found in two steps. The kernel tells which
// listening socket belongs to which file; and which processes have that socket open
// is in /proc. Whatever descends from this process is inside, and a socket of the
// outside is never open there.

// insideFile tells whether somebody inside, and nobody outside, listens on the
// socket whose file is open here.
func insideFile(fd int) bool {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFSOCK {
		return false
	}
	dev, ok := mountDevice(fd)
	return ok && inside(func(s listening) bool { return s.file && s.dev == dev && s.ino == uint32(st.Ino) })
}

// insideAbstract is the same for a socket that has a name and no file.
func insideAbstract(name []byte) bool {
	return inside(func(s listening) bool { return !s.file && bytes.Equal(s.name, name) })
}

// inside tells whether all listening sockets that match are open inside, and there
// are any.
func inside(match func(listening) bool) bool {
	list, err := listeners()
	if err != nil {
		return false
	}
	list = slices.DeleteFunc(list, func(s listening) bool { return !match(s) })
	if len(list) == 0 {
		return false
	}
	open := openBelow(os.Getpid())
	return !slices.ContainsFunc(list, func(s listening) bool { return !open[s.number] })
}

// listening is a UNIX socket that is listened on.
type listening struct {
	number uint32 // by which /proc knows it
	name   []byte
	file   bool // it has one, which is:
	ino    uint32
	dev    uint32
}

// What unix_diag knows, which the package unix lacks.
const (
	diagByFamily = 20
	diagName     = 0
	diagFile     = 1
	stateListen  = 10
)

// listeners asks the kernel for them.
func listeners() ([]listening, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_RAW|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	e := binary.NativeEndian
	ask := e.AppendUint32(nil, 16+24)
	ask = e.AppendUint16(ask, diagByFamily)
	ask = e.AppendUint16(ask, unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	ask = e.AppendUint64(ask, 1) // the number of the question, and who asks
	ask = append(ask, unix.AF_UNIX, 0, 0, 0)
	ask = e.AppendUint32(ask, 1<<stateListen)
	ask = e.AppendUint32(ask, 0)                       // every socket
	ask = e.AppendUint32(ask, 1<<diagName|1<<diagFile) // what to tell
	ask = e.AppendUint64(ask, 1<<64-1)                 // no cookie
	if err := unix.Sendto(fd, ask, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return nil, err
	}
	var list []listening
	for answer := make([]byte, 1<<16); ; {
		n, _, err := unix.Recvfrom(fd, answer, 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return nil, err
		}
		more, over, err := parseListeners(answer[:n])
		list = append(list, more...)
		if err != nil || over {
			return list, err
		}
	}
}

// parseListeners reads one answer of the kernel's. It is over with the last.
func parseListeners(b []byte) (list []listening, over bool, err error) {
	e := binary.NativeEndian
	for len(b) >= 16 {
		size, kind := int(e.Uint32(b)), e.Uint16(b[4:])
		if size < 16 || size > len(b) {
			return list, true, unix.EBADMSG
		}
		body := b[16:size]
		switch kind {
		case unix.NLMSG_DONE:
			return list, true, nil
		case unix.NLMSG_ERROR:
			return list, true, unix.EOPNOTSUPP
		case diagByFamily:
			if len(body) >= 16 {
				list = append(list, parseListening(body))
			}
		}
		b = b[min((size+3)&^3, len(b)):]
	}
	return list, false, nil
}

func parseListening(b []byte) listening {
	e := binary.NativeEndian
	s := listening{number: e.Uint32(b[4:])}
	for b = b[16:]; len(b) >= 4; {
		size, kind := int(e.Uint16(b)), e.Uint16(b[2:])
		if size < 4 || size > len(b) {
			break
		}
		value := b[4:size]
		switch {
		case kind == diagName:
			s.name = bytes.Clone(value)
		case kind == diagFile && len(value) >= 8:
			s.file, s.ino, s.dev = true, e.Uint32(value), e.Uint32(value[4:])
		}
		b = b[min((size+3)&^3, len(b)):]
	}
	return s
}

// mountDevice is the device of the file system that an open file is in, as the
// kernel has it inside: what stat tells is another one for some.
func mountDevice(fd int) (uint32, bool) {
	info, err := os.ReadFile("/proc/self/fdinfo/" + strconv.Itoa(fd))
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(info), "mnt_id:")
	id, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line)
		if len(fields) < 3 || fields[0] != id {
			continue
		}
		major, minor, _ := strings.Cut(fields[2], ":")
		ma, err1 := strconv.ParseUint(major, 10, 12)
		mi, err2 := strconv.ParseUint(minor, 10, 20)
		return uint32(ma<<20 | mi), err1 == nil && err2 == nil
	}
	return 0, false
}

// openBelow is which sockets are open in the descendants of a process.
func openBelow(pid int) map[uint32]bool {
	open := map[uint32]bool{}
	for _, child := range descendants(pid) {
		dir := filepath.Join("/proc", strconv.Itoa(child), "fd")
		entries, _ := os.ReadDir(dir) // it is gone, or not to be looked at
		for _, e := range entries {
			link, _ := os.Readlink(filepath.Join(dir, e.Name()))
			if number, ok := strings.CutPrefix(link, "socket:["); ok {
				if n, err := strconv.ParseUint(strings.TrimSuffix(number, "]"), 10, 32); err == nil {
					open[uint32(n)] = true
				}
			}
		}
	}
	return open
}

// descendants lists who descends from a process.
func descendants(pid int) []int {
	entries, _ := os.ReadDir("/proc")
	children := map[int][]int{}
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "stat")) // it may be gone
		// The name of the program is in brackets, and can hold some itself.
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) < 2 {
			continue
		}
		if parent, err := strconv.Atoi(fields[1]); err == nil {
			children[parent] = append(children[parent], child)
		}
	}
	list := slices.Clone(children[pid])
	for i := 0; i < len(list); i++ {
		list = append(list, children[list[i]]...)
	}
	return list
}
