package proc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// world is what a deed finds around it: a home with secrets, a work tree, a linked
// one, and somebody outside who listens.
type world struct {
	Base     string
	Home     string
	Tree     string
	Repo     string // whose linked work tree is:
	Linked   string
	Temp     string
	Cache    string
	Socket   string // listened on outside, and not allowed
	Allowed  string // the same, and allowed
	InTree   string // the same, in the work tree
	Datagram string
	Abstract string
	TCP      string // an address of loopback
	UDP      string
	Proxy    string // a socket behind which somebody greets
	Port     int    // where the proxy is reached inside
	Runner   int
}

func (w world) home(name string) string { return filepath.Join(w.Home, name) }
func (w world) tree(name string) string { return filepath.Join(w.Tree, name) }

func init() {
	helpers["deed"] = func(args []string) int {
		var w world
		if err := json.Unmarshal([]byte(args[1]), &w); err != nil {
			fmt.Println(err)
			return 2
		}
		do, known := deeds[args[0]]
		if !known {
			fmt.Println("there is no such deed")
			return 2
		}
		if err := do(w); err != nil {
			fmt.Println(err)
			return 1
		}
		return 0
	}
	helpers["nothing"] = func([]string) int { return 0 }
	helpers["mount"] = func(args []string) int {
		if err := unix.Mount("none", args[0], "tmpfs", 0, ""); err != nil {
			fmt.Println(err)
			return 1
		}
		return 0
	}
}

// deeds are what a process may try. Each says with an error that it was refused, or
// that it failed for whatever reason: without a fence it must not.
var deeds = map[string]func(w world) error{
	"work in the tree": func(w world) error {
		return first(
			func() error { return os.Mkdir(w.tree("made"), 0o755) },
			func() error { return os.WriteFile(w.tree("made/a"), []byte("a"), 0o600) },
			func() error { return os.Rename(w.tree("made/a"), w.tree("b")) },
			func() error { return os.Symlink("b", w.tree("made/link")) },
			func() error { return os.Link(w.tree("b"), w.tree("made/hard")) },
			func() error { return os.Truncate(w.tree("b"), 0) },
			func() error { return unix.Mkfifo(w.tree("made/pipe"), 0o600) },
			func() error { return errors.Join(os.Remove(w.tree("b")), os.RemoveAll(w.tree("made"))) },
		)
	},
	"git commit":                       func(w world) error { return commit(w.Tree) },
	"git commit in a linked work tree": func(w world) error { return commit(w.Linked) },
	"write in TMPDIR":                  func(w world) error { return os.WriteFile(filepath.Join(w.Temp, "x"), nil, 0o600) },
	"write in a cache":                 func(w world) error { return os.WriteFile(filepath.Join(w.Cache, "x"), nil, 0o600) },

	"write a file of the home":    func(w world) error { return overwrite(w.home("open")) },
	"make a file in the home":     func(w world) error { return os.WriteFile(w.home("new"+pidText()), nil, 0o600) },
	"make a folder in the home":   func(w world) error { return os.Mkdir(w.home("folder"+pidText()), 0o700) },
	"remove a file of the home":   func(w world) error { return spend(w, os.Remove) },
	"truncate a file of the home": func(w world) error { return os.Truncate(w.home("open"), 1) },
	"chmod a file of the home":    func(w world) error { return os.Chmod(w.home("open"), 0o600) },
	"touch a file of the home":    func(w world) error { return os.Chtimes(w.home("open"), time.Now(), time.Now()) },
	"move a file out of the home": func(w world) error {
		return spend(w, func(p string) error { return os.Rename(p, w.tree("moved"+pidText())) })
	},
	"move a file into the home":     func(w world) error { return moveOut(w) },
	"hard link into the home":       func(w world) error { return linkThere(w.home("open"), w.tree("hard"+pidText())) },
	"write by a link into the home": func(w world) error { return overwrite(w.tree("to-home/open")) },
	"write .git/config":             func(w world) error { return overwrite(w.tree(".git/config")) },
	"write .git/hooks": func(w world) error {
		return os.WriteFile(w.tree(".git/hooks/pre-commit"), []byte("#!/bin/sh\n"), 0o600)
	},
	"write .git/refrain":                       func(w world) error { return overwrite(w.tree(".git/refrain/journal")) },
	"write .git/config of a linked work tree":  func(w world) error { return overwrite(filepath.Join(w.Repo, ".git/config")) },
	"write .git/hooks of a linked work tree":   func(w world) error { return os.WriteFile(filepath.Join(w.Repo, ".git/hooks/pre-commit"), nil, 0o600) },
	"write .git/refrain of a linked work tree": func(w world) error { return overwrite(filepath.Join(w.Repo, ".git/refrain/journal")) },

	"read a secret":                    func(w world) error { return read(w.home(".ssh/id")) },
	"read a secret by a link":          func(w world) error { return read(w.tree("to-home/.ssh/id")) },
	"read a secret by a hard link":     func(w world) error { return linkThere(w.home(".ssh/id"), w.tree("id"+pidText())) },
	"read a secret by a moved folder":  func(w world) error { return moveSecret(w) },
	"read a secret by /proc/self/root": func(w world) error { return read("/proc/self/root" + w.home(".ssh/id")) },
	"list a secret folder":             func(w world) error { _, err := os.ReadDir(w.home(".ssh")); return err },
	"read what is shown of it":         func(w world) error { return read(w.home(".ssh/known_hosts")) },
	"read the rest of the home":        func(w world) error { return read(w.home(".config/git/config")) },

	"environment of the runner": func(w world) error {
		b, err := os.ReadFile(procFile(w.Runner, "environ"))
		return must(strings.Contains(string(b), "OUTSIDE_SECRET"), err)
	},
	"environment of the keeper": func(world) error { return read(procFile(os.Getppid(), "environ")) },
	"limits of the runner": func(w world) error {
		var limit unix.Rlimit
		return first(
			func() error { return unix.Prlimit(w.Runner, unix.RLIMIT_CORE, nil, &limit) },
			func() error { return unix.Prlimit(w.Runner, unix.RLIMIT_CORE, &limit, nil) },
		)
	},
	"memory of the runner": func(w world) error { _, err := os.OpenFile(procFile(w.Runner, "mem"), os.O_RDWR, 0); return err },
	"files of the runner":  func(w world) error { _, err := os.Open(procFile(w.Runner, "fd/0")); return err },
	"trace the runner":     func(w world) error { return seize(w.Runner) },
	"trace the keeper":     func(world) error { return seize(os.Getppid()) },
	"trace a thread of the keeper": func(world) error {
		threads, err := os.ReadDir(procFile(os.Getppid(), "task"))
		for _, e := range threads {
			tid, _ := strconv.Atoi(e.Name())
			if seize(tid) == nil {
				return nil
			}
		}
		return must(false, err)
	},
	"trace a child":     func(world) error { return withChild(seize) },
	"signal the runner": func(w world) error { return unix.Kill(w.Runner, 0) },
	"signal the keeper": func(world) error { return unix.Kill(os.Getppid(), 0) },
	"signal a child":    func(world) error { return withChild(func(pid int) error { return unix.Kill(pid, 0) }) },

	"socket outside":                    func(w world) error { return dial("unix", w.Socket) },
	"socket outside, allowed":           func(w world) error { return dial("unix", w.Allowed) },
	"socket outside, in the tree":       func(w world) error { return dial("unix", w.InTree) },
	"socket outside, moved to the tree": func(w world) error { return moveSocket(w) },
	"socket outside by a relative path": func(w world) error {
		return first(func() error { return os.Chdir(w.Home) }, func() error { return dial("unix", "agent.sock") })
	},
	"socket outside by a link":     func(w world) error { return dial("unix", w.tree("to-home/agent.sock")) },
	"socket outside by /proc/self": func(w world) error { return dial("unix", "/proc/self/cwd/../home/agent.sock") },
	"socket of its own":            func(w world) error { return ownSocket("unix", w.tree("own.sock")) },
	"socket of its own by a relative path": func(w world) error {
		return first(func() error { return os.Chdir(w.Tree) }, func() error { return ownSocket("unix", "rel.sock") })
	},
	"socket of its own by /proc/self": func(w world) error {
		return first(func() error { return os.Chdir(w.Tree) }, func() error { return ownSocket("unix", "/proc/self/cwd/magic.sock") })
	},
	"abstract socket outside":    func(w world) error { return dial("unix", "@"+w.Abstract) },
	"abstract socket of its own": func(w world) error { return ownSocket("unix", "@own"+w.Abstract) },
	"datagram outside":           func(w world) error { return datagram(w.Datagram, unix.SOCK_DGRAM) },
	"datagram outside, as raw":   func(w world) error { return datagram(w.Datagram, unix.SOCK_RAW) },
	"datagram outside by a pair": func(w world) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM, 0)
		if err != nil {
			return err
		}
		return unix.Sendmsg(pair[0], []byte("x"), nil, &unix.SockaddrUnix{Name: w.Datagram}, 0)
	},
	"socket pair": func(world) error { _, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0); return err },
	"socket of packets": func(world) error {
		_, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET, 0)
		return err
	},

	"TCP to loopback":      func(w world) error { return dial("tcp", w.TCP) },
	"TCP to loopback by 6": func(w world) error { return dialMapped(w.TCP) },
	"TCP to the proxy": func(w world) error {
		conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(w.Port)))
		if err != nil {
			return err
		}
		b, err := io.ReadAll(conn)
		return must(string(b) == "hello", err)
	},
	"TCP of its own":         func(world) error { return ownSocket("tcp", "127.0.0.1:0") },
	"listen on a port":       func(world) error { _, err := net.Listen("tcp", "127.0.0.1:0"); return err },
	"TCP without a connect":  func(w world) error { return fastOpen(w.TCP) },
	"UDP":                    func(w world) error { return dial("udp", w.UDP) },
	"MPTCP":                  func(world) error { return socket(unix.AF_INET, unix.SOCK_STREAM, unix.IPPROTO_MPTCP) },
	"raw socket":             func(world) error { return socket(unix.AF_INET, unix.SOCK_RAW, unix.IPPROTO_ICMP) },
	"packet socket":          func(world) error { return socket(unix.AF_PACKET, unix.SOCK_RAW, 0) },
	"vsock":                  func(world) error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM, 0) },
	"ask for routes":         func(world) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_ROUTE) },
	"netlink of other kinds": func(world) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW, unix.NETLINK_SOCK_DIAG) },

	"user namespace": func(world) error { return apart("nothing") },
	"mount in a user namespace": func(w world) error {
		return first(func() error { return os.MkdirAll(w.tree("mnt"), 0o755) }, func() error { return apart("mount", w.tree("mnt")) })
	},
	"gain privileges": func(world) error {
		b, err := os.ReadFile("/proc/self/status")
		return must(strings.Contains(string(b), "NoNewPrivs:\t0"), err)
	},
	"power over the kernel": func(world) error {
		const ofContainers = 1<<unix.CAP_CHOWN | 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID |
			1<<unix.CAP_KILL | 1<<unix.CAP_SETGID | 1<<unix.CAP_SETUID | 1<<unix.CAP_SETPCAP | 1<<unix.CAP_SETFCAP |
			1<<unix.CAP_NET_BIND_SERVICE | 1<<unix.CAP_NET_RAW | 1<<unix.CAP_SYS_CHROOT
		b, err := os.ReadFile("/proc/self/status")
		_, rest, _ := strings.Cut(string(b), "CapEff:\t")
		all, _ := strconv.ParseUint(strings.TrimSpace(strings.SplitN(rest, "\n", 2)[0]), 16, 64)
		return must(all&^ofContainers != 0, err)
	},
	"make a device": func(w world) error {
		return unix.Mknod(w.tree("disk"+pidText()), unix.S_IFBLK|0o600, int(unix.Mkdev(1, 0)))
	},
	"write a setting of the kernel": func(world) error {
		_, err := os.OpenFile("/proc/sys/vm/swappiness", os.O_WRONLY, 0)
		return err
	},
	"read memory of the kernel": func(world) error { return read1("/proc/kcore") },

	"shared memory": func(world) error {
		path := "/dev/shm/refrain-test" + pidText()
		return first(func() error { return os.WriteFile(path, nil, 0o600) }, func() error { return os.Remove(path) })
	},
	"pty":           func(world) error { return pty() },
	"/dev/null":     func(world) error { return os.WriteFile("/dev/null", []byte("x"), 0) },
	"/dev/urandom":  func(world) error { return read1("/dev/urandom") },
	"other devices": func(world) error { return read1("/dev/kmsg") },

	"io_uring": func(world) error {
		var params [120]byte
		return call(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&params)), 0)
	},
	"keys of the kernel": func(world) error { _, err := unix.KeyctlGetKeyringID(unix.KEY_SPEC_SESSION_KEYRING, true); return err },
	"files by handle": func(w world) error {
		handle, _, err := unix.NameToHandleAt(unix.AT_FDCWD, w.home(".ssh/id"), 0)
		if err != nil {
			return err
		}
		dir, err := unix.Open(w.Tree, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		_, err = unix.OpenByHandleAt(dir, handle, unix.O_RDONLY)
		return err
	},
	"bpf": func(world) error {
		attr := [16]uint32{2, 4, 4, 1} // an array of one
		return call(unix.SYS_BPF, 0, uintptr(unsafe.Pointer(&attr)), unsafe.Sizeof(attr))
	},
	"userfaultfd": func(world) error { return call(unix.SYS_USERFAULTFD, 1, 0, 0) },
}

// first does one after the other, up to the first that fails.
func first(acts ...func() error) error {
	for _, act := range acts {
		if err := act(); err != nil {
			return err
		}
	}
	return nil
}

func must(ok bool, err error) error {
	if err == nil && !ok {
		return errors.New("it is not there")
	}
	return err
}

func pidText() string { return strconv.Itoa(os.Getpid()) }

func read(path string) error {
	_, err := os.ReadFile(path)
	return err
}

// read1 reads a byte of what may have no end.
func read1(path string) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return err
	}
	_, err = unix.Read(fd, make([]byte, 1))
	if err == unix.EAGAIN || err == unix.EINVAL {
		return nil
	}
	return err
}

func overwrite(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString("\n")
	return errors.Join(err, f.Close())
}

// spend does what can be done only once to a file of the home: there is one for each
// try.
func spend(w world, do func(path string) error) error {
	for i := range 100 {
		path := w.home("spare/" + strconv.Itoa(i))
		if _, err := os.Lstat(path); err == nil {
			return do(path)
		}
	}
	return errors.New("none is left")
}

func moveOut(w world) error {
	from := w.tree("out" + pidText())
	return first(func() error { return os.WriteFile(from, nil, 0o600) }, func() error { return os.Rename(from, w.home("in"+pidText())) })
}

func moveSecret(w world) error {
	to := w.tree("stolen" + pidText())
	return first(
		func() error { return os.Rename(w.home("vault"), to) },
		func() error { return read(filepath.Join(to, "id")) },
		func() error { return os.Rename(to, w.home("vault")) },
	)
}

// moveSocket makes a socket of the outside have the path of one of its own.
func moveSocket(w world) error {
	dir := w.tree("bait" + pidText())
	own := filepath.Join(dir, "s.sock")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	if _, err := net.Listen("unix", own); err != nil {
		return err
	}
	return first(
		func() error { return os.Rename(own, own+".old") },
		func() error { return os.Rename(w.InTree, own) },
		func() error { defer os.Rename(own, w.InTree); return dial("unix", own) },
	)
}

func linkThere(from, to string) error {
	return first(func() error { return os.Link(from, to) }, func() error { return overwrite(to) }, func() error { return read(to) })
}

func commit(dir string) error {
	for _, args := range [][]string{{"add", "."}, {"commit", "-q", "--allow-empty", "-m", "x"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	return nil
}

func seize(pid int) error {
	if _, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(pid), 0, 0, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

func withChild(do func(pid int) error) error {
	argv, err := HelperCommand("hang")
	if err != nil {
		return err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	if err := cmd.Start(); err != nil {
		return err
	}
	defer func() { _ = cmd.Process.Kill() }()
	return do(cmd.Process.Pid)
}

// apart runs a helper in a user namespace of its own.
func apart(name string, args ...string) error {
	argv, err := HelperCommand(name, args...)
	if err != nil {
		return err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS,
		AmbientCaps: []uintptr{unix.CAP_SYS_ADMIN},
	}
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// dial connects, and says something where nothing answers.
func dial(network, address string) error {
	conn, err := net.Dial(network, address)
	if err != nil {
		return err
	}
	_, err = conn.Write([]byte("x"))
	return errors.Join(err, conn.Close())
}

func dialMapped(address string) error {
	_, port, _ := net.SplitHostPort(address)
	n, _ := strconv.Atoi(port)
	fd, err := unix.Socket(unix.AF_INET6, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	return unix.Connect(fd, &unix.SockaddrInet6{Port: n, Addr: [16]byte{10: 0xff, 11: 0xff, 12: 127, 15: 1}})
}

// ownSocket listens, and connects to itself.
func ownSocket(network, address string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	listener, err := (&net.ListenConfig{}).Listen(ctx, network, address)
	if err != nil {
		return err
	}
	defer listener.Close()
	conn, err := (&net.Dialer{}).DialContext(ctx, network, listener.Addr().String())
	if err != nil {
		return err
	}
	defer conn.Close()
	other, err := listener.Accept()
	if err != nil {
		return err
	}
	defer other.Close()
	if _, err := other.Write([]byte("x")); err != nil {
		return err
	}
	_, err = conn.Read(make([]byte, 1))
	return err
}

func datagram(path string, kind int) error {
	fd, err := unix.Socket(unix.AF_UNIX, kind, 0)
	if err != nil {
		return err
	}
	return unix.Sendto(fd, []byte("x"), 0, &unix.SockaddrUnix{Name: path})
}

func fastOpen(address string) error {
	_, port, _ := net.SplitHostPort(address)
	n, _ := strconv.Atoi(port)
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	return unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, &unix.SockaddrInet4{Port: n, Addr: [4]byte{127, 0, 0, 1}})
}

func socket(domain, kind, protocol int) error {
	_, err := unix.Socket(domain, kind, protocol)
	return err
}

func call(nr, a, b, c uintptr) error {
	if _, _, errno := unix.Syscall(nr, a, b, c); errno != 0 {
		return errno
	}
	return nil
}

func pty() error {
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		return err
	}
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		return err
	}
	other, err := unix.Open("/dev/pts/"+strconv.Itoa(n), unix.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return err
	}
	_, err = unix.IoctlGetWinsize(other, unix.TIOCGWINSZ)
	return err
}
