package fence

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// takeOverlay makes a copy-on-write mount of a folder. The changes stay in a folder of
// their own below Upper, which one fence at a time can use.
func (l *layout) takeOverlay(one place) (int, error) {
	if !one.folder {
		return -1, errors.New("it is not a folder")
	}
	if l.upper == "" {
		return -1, errors.New("the policy has no place for what is changed")
	}
	sum := sha256.Sum256([]byte(one.path))
	dir := filepath.Join(l.upper, fmt.Sprintf("%x", sum[:8]))
	return overlay(one.path, dir)
}

// overlay mounts the changes in a folder over another one. Files are named by their
// numbers: a path may hold what separates options.
func overlay(lower, dir string) (int, error) {
	up, work := filepath.Join(dir, "up"), filepath.Join(dir, "work")
	options := [][2]string{{"lowerdir", lower}, {"upperdir", up}, {"workdir", work}}
	info, err := os.Stat(lower)
	if err != nil {
		return -1, err
	}
	for _, path := range []string{up, work} {
		if err := os.MkdirAll(path, 0o700); err != nil {
			return -1, err
		}
	}
	if err := os.Chmod(up, info.Mode().Perm()); err != nil { // the folder is shown with that of its changes
		return -1, err
	}
	// Two mounts with the same changes would spoil them. The lock is held until this
	// process ends, and so is the folder.
	held, err := unix.Open(dir, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	if err := unix.Flock(held, unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = unix.Close(held)
		return -1, &Error{Kind: Namespaces, What: "keep changes", Err: fmt.Errorf("another sandbox uses %s: %w", dir, err)}
	}
	fs, err := unix.Fsopen("overlay", unix.FSOPEN_CLOEXEC)
	if err != nil {
		return -1, os.NewSyscallError("fsopen overlay", err)
	}
	defer unix.Close(fs)
	for _, o := range options {
		fd, err := unix.Open(o[1], unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		if err != nil {
			return -1, &os.PathError{Op: "open", Path: o[1], Err: err}
		}
		defer unix.Close(fd)
		if err := unix.FsconfigSetString(fs, o[0], "/proc/self/fd/"+strconv.Itoa(fd)); err != nil {
			return -1, fmt.Errorf("overlay %s %s: %w", o[0], o[1], err)
		}
	}
	if err := unix.FsconfigSetFlag(fs, "userxattr"); err != nil {
		return -1, fmt.Errorf("overlay userxattr: %w", err)
	}
	if err := unix.FsconfigCreate(fs); err != nil {
		return -1, fmt.Errorf("overlay of %s with changes in %s: %w", lower, dir, err)
	}
	fd, err := unix.Fsmount(fs, unix.FSMOUNT_CLOEXEC, unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOSUID)
	return fd, os.NewSyscallError("fsmount overlay", err)
}
