//go:build unix

package files

import (
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"syscall"
)

// Own tells whether only we can look into a folder: nil, or why not. In a place
// such as /tmp somebody else may have been there first.
func Own(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	switch {
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder: remove it", dir)
	case Owner(info) != os.Geteuid():
		return fmt.Errorf("%s belongs to another user", dir)
	case info.Mode().Perm()&0o077 != 0:
		return fmt.Errorf("%s is open to other users: run \"chmod 700 %s\"", dir, dir)
	}
	return nil
}

// Trusted tells whether a file belongs to us, or to root, who can do anything
// anyway. For root itself it is as git has it: the files of the user for whom
// sudo runs us are ours too, and those of all others are not.
func Trusted(info fs.FileInfo) bool {
	owner, us := Owner(info), os.Geteuid()
	if us == 0 {
		if sudo, err := strconv.ParseUint(os.Getenv("SUDO_UID"), 10, 32); err == nil {
			us = int(sudo)
		}
	}
	return owner == 0 || owner == us
}

// SameDisk tells whether two files are on one file system.
func SameDisk(a, b fs.FileInfo) bool {
	first, ok := a.Sys().(*syscall.Stat_t)
	second, known := b.Sys().(*syscall.Stat_t)
	return !ok || !known || first.Dev == second.Dev
}

// Owner is the user that a file belongs to; -1 when nobody can tell.
func Owner(info fs.FileInfo) int {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return int(stat.Uid)
	}
	return -1
}
