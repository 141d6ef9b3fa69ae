package fence

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func lookHere() Facts {
	f := Facts{System: runtime.GOOS, Filter: newFilter(true, true) != nil, NoUsers: noUsers(), Container: container()}
	f.Landlock, _ = abi() // 0 is none
	var name unix.Utsname
	if unix.Uname(&name) == nil {
		f.Kernel = unix.ByteSliceToString(name.Release[:])
	}
	return f
}

// Lacks is what a fence of Landlock can not refuse on this kernel, in words.
func (f Facts) Lacks() (lacks []string) {
	if f.Landlock < abiTruncate {
		lacks = append(lacks, "files outside can be emptied")
	}
	if f.Landlock < abiScopes {
		lacks = append(lacks, "processes outside can be signalled")
	}
	return lacks
}

// LacksApart is what a fence of namespaces can not refuse on this kernel, in words.
func (f Facts) LacksApart() (lacks []string) {
	if f.Landlock < abiScopes {
		lacks = append(lacks, "sockets outside that have a name and no path can be reached")
	}
	return lacks
}

// noUsers tries a user namespace: a program is started in one that is not there, so
// the error is about the program unless it is about the namespace.
func noUsers() string {
	if setting("kernel/apparmor_restrict_unprivileged_userns") == "1" && unix.Geteuid() != 0 {
		return "apparmor_restrict_unprivileged_userns" // one can be made, and has no rights
	}
	_, err := syscall.ForkExec("/proc/self/no-such-program", []string{"x"}, &syscall.ProcAttr{
		Sys: &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID},
	})
	switch {
	case errors.Is(err, unix.ENOENT):
		return ""
	case setting("user/max_user_namespaces") == "0":
		return "max_user_namespaces is 0"
	case setting("kernel/unprivileged_userns_clone") == "0":
		return "unprivileged_userns_clone is 0"
	case err == nil: // which can not be
		return ""
	case container() != "":
		return "the container forbids it: " + err.Error()
	}
	return err.Error()
}

// setting is a setting of the kernel's; empty when there is none.
func setting(name string) string {
	b, err := os.ReadFile("/proc/sys/" + name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

func container() string {
	for mark, name := range map[string]string{"/.dockerenv": "docker", "/run/.containerenv": "podman"} {
		if _, err := os.Stat(mark); err == nil {
			return name
		}
	}
	return ""
}
