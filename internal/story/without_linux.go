package story

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Without is a program for stories: "without landlock,namespaces COMMAND ARGS…" runs a
// command on a machine that has none of these. Its system calls for them fail, as they
// do on an old kernel or in a container.
func Without() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: without landlock,namespaces COMMAND ARGS…")
		os.Exit(2)
	}
	err := without(strings.Split(os.Args[1], ","), os.Args[2:])
	fmt.Fprintln(os.Stderr, "without:", err)
	os.Exit(2)
}

func without(lacks, argv []string) error {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	var filter []unix.SockFilter
	for _, what := range lacks {
		switch what {
		case "landlock":
			filter = append(filter, refuseCall(unix.SYS_LANDLOCK_CREATE_RULESET, unix.ENOSYS)...)
		case "namespaces":
			filter = append(filter, refuseCall(unix.SYS_CLONE3, unix.ENOSYS)...) // whose flags can not be looked at
			filter = append(filter, refuseFlag(unix.SYS_CLONE, unix.CLONE_NEWUSER, unix.EPERM)...)
			filter = append(filter, refuseFlag(unix.SYS_UNSHARE, unix.CLONE_NEWUSER, unix.EPERM)...)
		default:
			return fmt.Errorf("%q is nothing that a machine can lack here", what)
		}
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if _, _, e := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_TSYNC, uintptr(unsafe.Pointer(&program))); e != 0 {
		return e
	}
	return syscall.Exec(path, argv, os.Environ())
}

// Where the number of a system call and its first argument are.
const (
	atNumber   = 0
	atArgument = 16
)

// refuseCall has a system call fail, and lets others go on.
func refuseCall(number uint32, with unix.Errno) []unix.SockFilter {
	return []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: atNumber},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 1, K: number},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(with)},
	}
}

// refuseFlag is the same where it has a flag.
func refuseFlag(number, flag uint32, with unix.Errno) []unix.SockFilter {
	return []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: atNumber},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jf: 3, K: number},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: atArgument},
		{Code: unix.BPF_JMP | unix.BPF_JSET | unix.BPF_K, Jf: 1, K: flag},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(with)},
	}
}
