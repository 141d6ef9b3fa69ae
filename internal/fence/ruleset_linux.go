package fence

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What Landlock can refuse. Making devices is refused everywhere, for a device in
// the tree is a way to a whole disk.
const (
	list   = unix.LANDLOCK_ACCESS_FS_READ_DIR
	look   = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | list
	change = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REFER |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SYM |
		unix.LANDLOCK_ACCESS_FS_MAKE_SOCK | unix.LANDLOCK_ACCESS_FS_MAKE_FIFO
	device = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	nodes  = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK

	// ofFile is what a file can have that is no folder.
	ofFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

	scopes = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
)

// The versions of Landlock that matter. The first forbids every rename between
// folders, so no git, go or npm would work. Before the third, truncate empties files
// that may not be written. Before the sixth, signals reach everybody.
const (
	abiNeeded   = 2
	abiTruncate = 3
	abiIoctl    = 5
	abiScopes   = 6
)

// abi is the version of Landlock that the kernel has.
func abi() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(v), nil
}

// handled is what a kernel of that version can refuse.
func handled(abi int) (files, scoped uint64) {
	files = look | change | nodes
	if abi < abiTruncate {
		files &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if abi >= abiIoctl {
		files |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if abi >= abiScopes {
		scoped = scopes
	}
	return files, scoped
}

// rule allows something on a path and all below it.
type rule struct {
	path   string
	rights uint64
}

// newRuleset makes a ruleset that refuses what is handled, but for the rules.
func newRuleset(files, scoped uint64, rules []rule) (int, error) {
	attr := struct{ files, ports, scoped uint64 }{files: files, scoped: scoped}
	size := unsafe.Sizeof(attr)
	if scoped == 0 {
		size = unsafe.Sizeof(attr.files) // all that an older kernel knows
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return -1, fmt.Errorf("make a ruleset: %w", errno)
	}
	for _, r := range rules {
		if err := r.add(int(fd), files); err != nil {
			_ = unix.Close(int(fd))
			return -1, err
		}
	}
	return int(fd), nil
}

// add puts the rule into a ruleset. What is not there, or can not be reached, needs
// no rule.
func (r rule) add(ruleset int, files uint64) error {
	fd, err := unix.Open(r.path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s: %w", r.path, err)
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return fmt.Errorf("look at %s: %w", r.path, err)
	}
	rights := r.rights & files
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= ofFile
	}
	if rights == 0 {
		return nil
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return fmt.Errorf("allow %s: %w", r.path, errno)
	}
	return nil
}

// restrict puts this thread, and whoever it starts from now on, into the domain of a
// ruleset.
func restrict(ruleset int) error {
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, uintptr(ruleset), 0, 0); errno != 0 {
		return fmt.Errorf("enter the domain: %w", errno)
	}
	return nil
}
