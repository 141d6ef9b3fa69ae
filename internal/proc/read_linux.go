package proc

import (
	"os"

	"golang.org/x/sys/unix"
)

// The files below /proc are read again and again, and of every process there is. An
// os.File would see for each whether it can be waited for: five calls of the system
// more than reading takes.

// readProc gives what a file below /proc holds.
func readProc(path string) ([]byte, error) {
	fd, err := openProc(path, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	buf := make([]byte, 512) // is more than most have
	for n := 0; ; {
		if n == len(buf) {
			buf = append(buf, make([]byte, len(buf))...)
		}
		more, err := unix.Read(fd, buf[n:])
		switch {
		case err == unix.EINTR:
		case err != nil:
			return nil, os.NewSyscallError("read", err)
		case more == 0:
			return buf[:n], nil
		default:
			n += more
		}
	}
}

// namesIn lists a folder below /proc. It is empty when that is gone.
func namesIn(path string) (names []string) {
	fd, err := openProc(path, unix.O_RDONLY|unix.O_DIRECTORY)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	buf := make([]byte, 4<<10)
	for {
		n, err := unix.ReadDirent(fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			return names
		}
		_, _, names = unix.ParseDirent(buf[:n], -1, names)
	}
}

func openProc(path string, flags int) (fd int, err error) {
	for {
		fd, err = unix.Open(path, flags|unix.O_CLOEXEC, 0)
		if err != unix.EINTR {
			return fd, os.NewSyscallError("open", err)
		}
	}
}
