//go:build unix

package control

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
)

const (
	// longestPath is what every system takes for a socket: 104 bytes on macOS,
	// 108 on Linux, one of them the end.
	longestPath = 103
	suffix      = ".sock"
	// youngest is the age at which a socket that nobody answers on is left over.
	// A younger one may be just about to answer.
	youngest = time.Minute
)

// Folders is where the sockets of a user's runs may lie, the best place first. That is
// below the state folder, where nobody in a sandbox can write: who can put another
// socket in the place of a run's hears what people say to the run. A path that is too
// long, and a disk that has no sockets, leave the others.
func Folders(getenv func(string) string, state string) []string {
	var list []string
	if filepath.IsAbs(state) {
		list = append(list, filepath.Join(state, "sockets")) // hidden by package sandbox
	}
	// After "sudo" it may be somebody else's, who could not use our folder in it.
	dir := getenv("XDG_RUNTIME_DIR")
	if info, err := os.Stat(dir); err == nil && filepath.IsAbs(dir) && files.Owner(info) == os.Geteuid() {
		list = append(list, filepath.Join(dir, "refrain"))
	}
	own := fmt.Sprintf("refrain-%d", os.Geteuid())
	list = append(list, filepath.Join(os.TempDir(), own), filepath.Join("/tmp", own))
	return slices.Compact(list)
}

// listen opens a socket in the first folder that will do, or says of each why not.
func listen(folders []string, id string) (net.Listener, string, error) {
	var errs []error
	for _, dir := range folders {
		l, path, err := listenIn(dir, id)
		if err == nil {
			return l, path, nil
		}
		errs = append(errs, err)
	}
	if len(errs) == 0 {
		return nil, "", errors.New("there is no folder for it")
	}
	return nil, "", errors.Join(errs...)
}

func listenIn(dir, id string) (net.Listener, string, error) {
	path := filepath.Join(dir, socketName(id))
	if len(path) > longestPath {
		return nil, "", fmt.Errorf("%s is too long for a socket: %d bytes, and the system takes %d", path, len(path), longestPath)
	}
	if err := files.MakeOwn(dir); err != nil {
		return nil, "", err
	}
	sweep(dir)
	l, err := net.Listen("unix", path)
	if errors.Is(err, syscall.EADDRINUSE) && abandoned(path) {
		// Its process had our number: it was killed, and we are not.
		if err := os.Remove(path); err != nil {
			return nil, "", err
		}
		l, err = net.Listen("unix", path)
	}
	if err != nil {
		return nil, "", err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		_ = l.Close()
		return nil, "", err
	}
	return l, path, nil
}

// socketName is short, and no other live process has it.
func socketName(id string) string {
	sum := sha256.Sum256([]byte(id))
	return fmt.Sprintf("%x-%d%s", sum[:4], os.Getpid(), suffix)
}

// sweep removes the sockets of runs that were killed. What it cannot remove is
// in nobody's way.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasSuffix(e.Name(), suffix) || info.Mode().Type() != fs.ModeSocket ||
			files.Owner(info) != os.Geteuid() || time.Since(info.ModTime()) < youngest && !ownerGone(e.Name()) {
			continue
		}
		if path := filepath.Join(dir, e.Name()); abandoned(path) {
			_ = os.Remove(path)
		}
	}
}

// ownerGone tells whether the process that a socket is named after has ended. In
// a container of its own it may only seem so, and then it answers.
func ownerGone(name string) bool {
	_, number, _ := strings.Cut(strings.TrimSuffix(name, suffix), "-")
	pid, err := strconv.Atoi(number)
	return err == nil && pid > 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

// abandoned tells whether nobody listens on a socket any more. One that only
// does not answer at once is not abandoned.
func abandoned(path string) bool {
	c, err := net.DialTimeout("unix", path, time.Second)
	if err == nil {
		_ = c.Close()
		return false
	}
	return errors.Is(err, syscall.ECONNREFUSED)
}
