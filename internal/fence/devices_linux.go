package fence

import (
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// node is a device that can be used inside.
type node struct {
	path  string
	mount int
}

// usable are all devices that there are inside: none that holds the data of others, hears
// or sees. Those that compute are there.
var usable = []string{
	"null", "zero", "full", "random", "urandom", "tty",
	"fuse", "kvm", "kfd", "dxg", "dri", "nvidia*",
}

// takeDevices takes in hand the devices that stay.
func (l *layout) takeDevices() error {
	for _, name := range usable {
		found, err := filepath.Glob("/dev/" + name)
		if err != nil {
			return failed("find "+name, err)
		}
		for _, path := range found {
			fd, err := clone(path, unix.MOUNT_ATTR_RDONLY) // whose it is, and who may use it
			if err != nil {
				return failed("keep "+path, err)
			}
			l.devs = append(l.devs, node{path, fd})
		}
	}
	return nil
}

// putDevices gives back the devices that stay, and terminals and queues of their own:
// those of others hold what they type and say.
func (l *layout) putDevices() error {
	for _, d := range l.devs {
		if err := attach(d.mount, d.path); err != nil {
			return failed("keep "+d.path, err)
		}
	}
	const quiet = unix.MS_NOSUID | unix.MS_NOEXEC
	for _, one := range []struct {
		path, kind, options string
		flags               uintptr
	}{
		{"/dev/pts", "devpts", "newinstance,ptmxmode=0666,mode=0620", quiet},
		{"/dev/mqueue", "mqueue", "", quiet | unix.MS_NODEV},
	} {
		if _, err := os.Stat(one.path); err != nil {
			continue
		}
		if err := unix.Mount(one.kind, one.path, one.kind, one.flags, one.options); err != nil {
			return failed("mount "+one.path, err)
		}
	}
	info, err := os.Lstat("/dev/ptmx")
	if err != nil || info.Mode()&os.ModeSymlink != 0 {
		return nil // a link leads to the new one
	}
	fd, err := clone("/dev/pts/ptmx", 0)
	if err != nil {
		return failed("make terminals", err)
	}
	defer unix.Close(fd)
	return failed("make terminals", attach(fd, "/dev/ptmx"))
}

// putProc mounts the processes of this namespace alone. The superuser has the files
// there by which the system is set up, whatever capabilities were taken from it.
func (l *layout) putProc() error {
	if err := unix.Mount("proc", "/proc", "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return failed("mount /proc", err)
	}
	if os.Geteuid() != 0 {
		return nil
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return failed("protect /proc", err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if _, number := strconv.Atoi(e.Name()); number == nil || err != nil || info.Mode()&os.ModeSymlink != 0 {
			continue // a process, or a link into one
		}
		if !info.IsDir() && info.Mode()&0o222 == 0 {
			continue
		}
		path := filepath.Join("/proc", e.Name())
		fd, err := clone(path, unix.MOUNT_ATTR_RDONLY)
		if err == nil {
			err = attach(fd, path)
			_ = unix.Close(fd)
		}
		if err != nil {
			return failed("protect "+path, err)
		}
	}
	return nil
}
