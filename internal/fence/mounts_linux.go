package fence

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// The mounts are made in three steps. First all that is to be seen is taken in hand:
// a copy of its mount, which belongs to no place yet. Then everything becomes
// read-only, at once, for some mounts can not be reached by name. At last what was
// taken is put to its place, upper folders first. So it does not matter what covers
// what: a work tree in /tmp is still there when /tmp has become another folder.

// layout is the mounts of a fence in the making.
type layout struct {
	plan  plan
	upper string
	taken []int // by place: the mount to put there; -1 is none
	devs  []node
	blank int // an empty file, as a mount that can be copied
}

// layOut makes the mounts that the policy asks for. Who calls it is in a mount
// namespace of its own, and nobody else is yet.
func layOut(p Policy, pl plan) error {
	l := &layout{plan: pl, upper: p.Upper, blank: -1}
	defer l.drop()
	for _, step := range []func() error{
		l.part, l.take, l.takeDevices, l.freeze, l.makeBlank, l.put, l.putDevices, l.putProc, l.finish,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func failed(what string, err error) error {
	if err == nil {
		return nil
	}
	var said *Error
	if errors.As(err, &said) {
		return err
	}
	return &Error{Kind: Namespaces, What: what, Err: err}
}

// part has no mount of ours be seen outside, and none of theirs come in later.
func (l *layout) part() error {
	return failed("part with the mounts of the system", unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""))
}

// take takes in hand what is to be seen as it is now.
func (l *layout) take() error {
	for i, one := range l.plan.places {
		fd, err := l.takeOne(one)
		if err != nil && one.loose { // it is gone, or nobody inside could look at it
			l.plan.places[i].idle, fd, err = true, -1, nil
		}
		if err != nil {
			return failed(one.act(), err)
		}
		l.taken = append(l.taken, fd)
	}
	return nil
}

// act is what is done for a place, in words.
func (one place) act() string {
	switch one.role {
	case copied:
		return copying + one.path
	case changed:
		return "let " + one.path + " be changed"
	case kept:
		return "keep " + one.path
	case hidden:
		return "hide " + one.path
	case emptied, temporary, sieved:
		return "cover " + one.path
	}
	return "show " + one.path
}

func (l *layout) takeOne(one place) (int, error) {
	if one.idle {
		return -1, nil
	}
	switch one.role {
	case copied:
		return l.takeOverlay(one)
	case changed:
		return clone(one.path, unix.MOUNT_ATTR_NODEV)
	case temporary:
		return clone(l.plan.temp, unix.MOUNT_ATTR_NODEV)
	case shown, reached, kept:
		return clone(one.path, unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_RDONLY)
	}
	return -1, nil
}

// clone copies a mount, with all below it, or the part of one that is at a path.
func clone(path string, attr uint64) (int, error) {
	fd, err := unix.OpenTree(unix.AT_FDCWD, path, unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_SYMLINK_NOFOLLOW)
	if err != nil {
		return -1, os.NewSyscallError("open_tree", err)
	}
	if attr == 0 {
		return fd, nil
	}
	err = unix.MountSetattr(fd, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attr})
	if err != nil {
		_ = unix.Close(fd)
		return -1, os.NewSyscallError("mount_setattr", err)
	}
	return fd, nil
}

// freeze makes all that is there read-only, and no device of it one. A process of the
// superuser could else read the disk by its device.
func (l *layout) freeze() error {
	all := unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY | unix.MOUNT_ATTR_NODEV}
	return failed("make all read-only", unix.MountSetattr(unix.AT_FDCWD, "/", unix.AT_RECURSIVE, &all))
}

// makeBlank makes the empty file that covers others. A device would do for those who
// read, but who writes to one believes that it is written.
func (l *layout) makeBlank() error {
	const scratch = "/proc" // which gets another mount later
	if err := tmpfs(scratch, "size=64k,mode=0700"); err != nil {
		return failed("make an empty file", err)
	}
	defer func() { _ = unix.Unmount(scratch, unix.MNT_DETACH) }()
	path := scratch + "/empty"
	if err := os.WriteFile(path, nil, 0o400); err != nil {
		return failed("make an empty file", err)
	}
	var err error
	l.blank, err = clone(path, unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_RDONLY)
	return failed("make an empty file", err)
}

// tmpfs mounts an empty folder.
func tmpfs(path, options string) error {
	return unix.Mount("tmpfs", path, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, options)
}

// put puts what was taken to its place, and covers what is hidden.
func (l *layout) put() error {
	for i, one := range l.plan.places {
		if one.idle {
			continue
		}
		if err := l.putOne(one, l.taken[i]); err != nil {
			return failed(one.act(), err)
		}
	}
	return nil
}

func (l *layout) putOne(one place, fd int) error {
	if one.theirs {
		err := l.putBlank(one.path)
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
			return nil // it is gone, and nobody can connect to it
		}
		return err
	}
	if err := l.stand(one); err != nil {
		return err
	}
	switch {
	case one.path == "/dev/shm":
		return tmpfs(one.path, "mode=1777")
	case one.role == emptied:
		return tmpfs(one.path, "size=16m,mode=0755")
	case one.role == sieved:
		return tmpfs(one.path, "size=1m,mode=0755")
	case one.role == hidden && one.folder:
		return tmpfs(one.path, "size=256k,mode=0700")
	case one.role == hidden:
		return l.putBlank(one.path)
	}
	return attach(fd, one.path)
}

// putBlank puts the empty file somewhere.
func (l *layout) putBlank(path string) error {
	if err := attach(l.blank, path); err != nil {
		return err
	}
	_ = unix.Close(l.blank)
	var err error
	l.blank, err = clone(path, 0) // for the next
	return err
}

// attach puts a mount to its place.
func attach(fd int, path string) error {
	return os.NewSyscallError("move_mount", unix.MoveMount(fd, "", unix.AT_FDCWD, path, unix.MOVE_MOUNT_F_EMPTY_PATH))
}

// stand makes something to mount on, where what is above was covered. What an earlier
// process inside has put there is in the way. Elsewhere nothing is touched.
func (l *layout) stand(one place) error {
	parts := strings.Split(one.path, "/")
	for i := 2; i <= len(parts); i++ {
		path := strings.Join(parts[:i], "/")
		folder := one.folder || i < len(parts)
		info, err := os.Lstat(path)
		if err == nil && info.IsDir() == folder { // a link is not a folder, and as good as a file
			continue
		}
		if !l.plan.above(path).role.covers() {
			return fmt.Errorf("%s was changed meanwhile", path)
		}
		if err == nil {
			if err := os.Remove(path); err != nil {
				return err
			}
		}
		if folder {
			err = os.Mkdir(path, 0o755)
		} else {
			err = os.WriteFile(path, nil, 0o600)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// finish puts the links back by which the places are known, and lets nobody change
// what is hidden into something.
func (l *layout) finish() error {
	for path, target := range l.plan.links {
		if _, err := os.Lstat(path); err == nil {
			continue
		}
		if l.stand(place{path: filepath.Dir(path), folder: true}) == nil {
			_ = os.Symlink(target, path) // where that fails it was hidden on purpose
		}
	}
	for _, one := range l.plan.places {
		if one.role != hidden && one.role != sieved || !one.folder || one.idle {
			continue
		}
		err := unix.MountSetattr(unix.AT_FDCWD, one.path, 0, &unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY})
		if err != nil {
			return failed(one.act(), err)
		}
	}
	return nil
}

// drop lets go of what was taken. A mount that has its place stays there.
func (l *layout) drop() {
	for _, fd := range l.taken {
		if fd >= 0 {
			_ = unix.Close(fd)
		}
	}
	for _, d := range l.devs {
		_ = unix.Close(d.mount)
	}
	if l.blank >= 0 {
		_ = unix.Close(l.blank)
	}
}
