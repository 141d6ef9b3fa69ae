package fence

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// What namespaces do not refuse: to write into a named pipe outside, and to connect to a
// socket that somebody makes there after the fence was raised, for a read-only mount
// stops neither; and to use those that lie in what may be changed. The superuser can not
// be one in namespaces of its own inside, and has no more right to files of other users
// than anybody.

// needed is what the mounts, the network (where a port may be a low one) and giving up
// all rights take. A private copy is made with the rights of who mounted it.
var needed = []uintptr{
	unix.CAP_SYS_ADMIN, unix.CAP_NET_ADMIN, unix.CAP_NET_BIND_SERVICE, unix.CAP_SETPCAP,
	unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_CHOWN, unix.CAP_FSETID,
}

// Apart has what is started with sys be in namespaces of its own, where the word of
// its policy asks for them. It has the same user there, so that files are whose they
// are, and what Enter needs.
func Apart(word string, sys *syscall.SysProcAttr) error {
	if KindOf(word) != Namespaces {
		return nil
	}
	sys.Cloneflags |= unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWIPC | unix.CLONE_NEWPID
	if strings.HasSuffix(word, listed) {
		sys.Cloneflags |= unix.CLONE_NEWNET
	}
	uid, gid := os.Geteuid(), os.Getegid()
	sys.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
	sys.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	sys.AmbientCaps = needed
	return nil
}

// Inside is what the first process of a fence's namespaces knows of the outside.
type Inside struct {
	proc  int    // the processes of the outside
	ports *ports // nil is none
}

// Enter makes the namespaces that this process was started in what the policy says.
// The process keeps the rights that it needed: who has fewer can not trace it. What it
// starts must Shed them.
func Enter(p Policy) (*Inside, error) {
	in, err := remember()
	if err != nil {
		return nil, failed("see the processes outside", err)
	}
	if err := in.enter(p); err != nil {
		in.Close()
		return nil, err
	}
	return in, nil
}

// remember takes note of the outside, while it is there to be seen.
func remember() (*Inside, error) {
	fd, err := unix.Open("/proc", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: "/proc", Err: err}
	}
	return &Inside{proc: fd}, nil
}

func (in *Inside) enter(p Policy) error {
	sockets, err := boundOutside()
	if err != nil {
		return failed("see which sockets there are", err)
	}
	pl, err := newPlan(p, sockets)
	if err != nil {
		return err
	}
	socket, err := openSocket(p.Proxy)
	if err != nil {
		return failed("reach the proxy", err)
	}
	if err := layOut(p, pl); err != nil {
		return err
	}
	if p.Proxy == "" {
		return nil
	}
	if p.ProxyPort < 1 { // which would mean any
		return failed("have a way to the proxy", fmt.Errorf("port %d is none", p.ProxyPort))
	}
	if err := loopbackUp(); err != nil {
		return failed("have a network", err)
	}
	in.ports, err = openPorts(p, socket)
	return failed("have a way to the proxy", err)
}

// openSocket gives another path of a socket that holds after it was covered, or its
// folder. It stays open until this process ends.
func openSocket(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return "", &os.PathError{Op: "open", Path: path, Err: err}
	}
	return linkOf(fd), nil
}

// Close ends what Enter began. The mounts stay until the last process has ended.
func (in *Inside) Close() {
	in.ports.close()
	_ = unix.Close(in.proc)
}

// Outside gives the number that a process in here has outside; 0 when it is gone.
func (in *Inside) Outside(pid int) int {
	held, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(held)
	// What the outside's list of our open files says of a process is its number there.
	fd, err := unix.Openat(in.proc, "self/fdinfo/"+strconv.Itoa(held), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	text := make([]byte, 4096)
	n, err := unix.Read(fd, text)
	if err != nil {
		return 0
	}
	return pidIn(text[:n])
}

// pidIn reads the number of a process in what is told of a file that stands for it.
func pidIn(info []byte) int {
	for line := range bytes.Lines(info) {
		if rest, ok := bytes.CutPrefix(line, []byte("Pid:")); ok {
			pid, err := strconv.Atoi(string(bytes.TrimSpace(rest)))
			if err != nil {
				return 0
			}
			return max(pid, 0)
		}
	}
	return 0
}

// Shed gives up, for this thread and what it starts, all rights that Enter needed. None
// come back, whatever is executed.
func (in *Inside) Shed() error {
	for c := uintptr(0); ; c++ {
		err := unix.Prctl(unix.PR_CAPBSET_DROP, c, 0, 0, 0)
		if err == unix.EINVAL && c > 0 {
			break // that was the last
		}
		if err != nil {
			return failed("give up rights", err)
		}
	}
	if err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0); err != nil {
		return failed("give up rights", err)
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var none [2]unix.CapUserData
	if err := unix.Capset(&header, &none[0]); err != nil {
		return failed("give up rights", err)
	}
	return failed("give up rights", unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
}

// loopbackUp lets this machine be reached from itself.
func loopbackUp() error {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return os.NewSyscallError("socket", err)
	}
	defer unix.Close(fd)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return os.NewSyscallError("ioctl", unix.IoctlIfreq(fd, unix.SIOCSIFFLAGS, lo))
}
