package watch

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/refrain-loop/refrain/internal/files"
)

// Tree is what is watched: folders of a tree, by their paths from its top.
//
//	a file is written to, comes, goes      its name is told once
//	one of several names (hard links)      the top is told: all that is in it
//	it is open, or somebody had it         told each time: who has it may still write
//	it was written to                      told each time, until all was looked at: how often
//	                                       it is open, the system does not tell for sure
//	a folder comes                         told each time, until it is watched itself
//	a folder moves, the top, a mount, an overflow     nothing is known any more
type Tree struct {
	top    string
	events *os.File
	over   chan struct{} // closed when nobody reads events any more
	is     unix.Stat_t   // the top
	mounts string        // in the tree or above it, when it began

	mu      sync.Mutex
	folders map[int32]string // by the numbers that the system has for them
	watched map[string]int32 // those folders, and their numbers
	dirty   map[string]bool
	apart   map[string]bool // folders in watched ones that are not watched
	open    map[string]int  // how often a file is open, as far as it is told
	held    map[string]bool // files that were opened for writing since all was looked at
	others  []string        // that somebody could write to then
	lost    bool
}

const (
	written = unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_CLOSE_WRITE | unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO
	mask    = written | unix.IN_OPEN | unix.IN_CLOSE_NOWRITE | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR | unix.IN_DONT_FOLLOW | unix.IN_EXCL_UNLINK
)

// tells is the kinds of disks whose every change goes through this system.
var tells = []int64{unix.EXT4_SUPER_MAGIC, unix.XFS_SUPER_MAGIC, unix.BTRFS_SUPER_MAGIC, unix.TMPFS_MAGIC, unix.F2FS_SUPER_MAGIC}

// Start watches folders of a tree, those that are above others first; the top is the
// empty name. What is not there, or no folder, comes when it is made.
func Start(top string, folders []string) (*Tree, error) {
	var disk unix.Statfs_t
	if err := unix.Statfs(top, &disk); err != nil {
		return nil, fmt.Errorf("watch %s: %w", top, err)
	}
	if !slices.Contains(tells, int64(disk.Type)) { //nolint:unconvert // it is another type elsewhere
		return nil, fmt.Errorf("watch %s: on this kind of disk not every change is told", top)
	}
	t := &Tree{
		top: top, over: make(chan struct{}),
		folders: map[int32]string{}, watched: map[string]int32{}, dirty: map[string]bool{}, apart: map[string]bool{}, open: map[string]int{}, held: map[string]bool{},
	}
	var err error
	if t.mounts, err = mountsAround(top); err != nil {
		return nil, fmt.Errorf("watch %s: %w", top, err)
	}
	for at := range strings.Lines(t.mounts) {
		if below(top, strings.TrimSuffix(at, "\n")) {
			return nil, fmt.Errorf("watch %s: another disk is mounted in it", top)
		}
	}
	if err := unix.Lstat(top, &t.is); err != nil {
		return nil, fmt.Errorf("watch %s: %w", top, err)
	}
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", top, err)
	}
	t.events = os.NewFile(uintptr(fd), "inotify")
	go t.read()
	if err := t.watch(folders); err != nil {
		t.Close()
		return nil, fmt.Errorf("watch %s: %w", top, err)
	}
	t.Looked()
	return t, nil
}

// Looked says that somebody has looked at everything. Who has a file by then may still
// write to it.
func (t *Tree) Looked() {
	t.mu.Lock()
	t.held = maps.Clone(t.dirty) // those came after
	t.mu.Unlock()
	others := writableBelow(t.top)
	t.mu.Lock()
	t.others = others
	t.mu.Unlock()
}

// Close ends it.
func (t *Tree) Close() {
	_ = t.events.Close()
	<-t.over
}

// read takes events in as they come, since there is room for few.
func (t *Tree) read() {
	defer close(t.over)
	conn, err := t.events.SyscallConn()
	if err != nil {
		return // it is closed
	}
	_ = conn.Read(func(fd uintptr) bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.drain(int(fd))
		return false // until it is closed
	})
}

// Add watches more folders. What is in them is told once more.
func (t *Tree) Add(folders []string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.add(folders)
}

func (t *Tree) watch(folders []string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.add(folders); err != nil {
		return err
	}
	if !t.watches("") {
		return errors.New("it is no folder")
	}
	clear(t.dirty) // nobody has looked yet
	return nil
}

func (t *Tree) watches(folder string) bool {
	_, is := t.watched[folder]
	return is
}

// forget takes a folder for gone as soon as its name is: somebody may still be in it,
// so that the system says so only much later, and another may have its name by then.
func (t *Tree) forget(folder string) {
	if wd, is := t.watched[folder]; is {
		delete(t.folders, wd)
		delete(t.watched, folder)
	}
}

// add watches folders, then looks what else is in them: what comes in between is told
// of by both.
func (t *Tree) add(folders []string) error {
	conn, err := t.events.SyscallConn()
	if err != nil {
		return err
	}
	for _, folder := range folders {
		if t.watches(folder) || folder != "" && !t.watches(above(folder)) {
			continue // below a link, say
		}
		var wd int
		var failed error
		at := filepath.Join(t.top, filepath.FromSlash(folder))
		if err := conn.Control(func(fd uintptr) { wd, failed = unix.InotifyAddWatch(int(fd), at, mask) }); err != nil {
			return err
		}
		switch {
		case errors.Is(failed, unix.ENOENT), errors.Is(failed, unix.ENOTDIR), errors.Is(failed, unix.ELOOP):
			continue
		case errors.Is(failed, unix.ENOSPC):
			return errors.New("it has more folders than one may watch: raise fs.inotify.max_user_watches")
		case failed != nil:
			return fmt.Errorf("%s: %w", at, failed)
		}
		if other, known := t.folders[int32(wd)]; known && other != folder {
			return fmt.Errorf("%s is %s as well", other, folder)
		}
		t.folders[int32(wd)], t.watched[folder] = folder, int32(wd)
		delete(t.apart, folder)
		t.dirty[folder] = true
	}
	for _, folder := range folders {
		if !t.watches(folder) {
			continue
		}
		entries, err := os.ReadDir(filepath.Join(t.top, filepath.FromSlash(folder)))
		if err != nil {
			return err
		}
		for _, e := range entries {
			if name := path.Join(folder, e.Name()); e.IsDir() && !t.watches(name) && e.Name() != ".git" {
				t.apart[name] = true
			}
		}
	}
	return nil
}

// above is the folder that a folder is in.
func above(folder string) string {
	if dir := path.Dir(folder); dir != "." {
		return dir
	}
	return ""
}

// Changed names what may be another than when it was asked last: files, and folders
// with all that is in them. When it does not know, it will not know again.
func (t *Tree) Changed() (paths []string, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	conn, err := t.events.SyscallConn()
	if err == nil {
		err = conn.Control(func(fd uintptr) { t.drain(int(fd)) })
	}
	mounts, mountErr := mountsAround(t.top)
	var is unix.Stat_t
	topErr := unix.Lstat(t.top, &is)
	t.lost = t.lost || err != nil || mountErr != nil || mounts != t.mounts || topErr != nil || is.Ino != t.is.Ino || is.Dev != t.is.Dev
	if t.lost {
		return nil, false
	}
	all := maps.Clone(t.dirty)
	clear(t.dirty)
	for name := range t.apart {
		all[name] = true
	}
	for name := range t.open {
		all[name] = true
	}
	for name := range t.held {
		all[name] = true
	}
	for _, name := range t.others {
		all[name] = true
	}
	for name := range all {
		if t.linked(name) { // its other names may be anywhere in the tree
			return []string{""}, true
		}
	}
	return slices.Sorted(maps.Keys(all)), true
}

// linked tells whether a file has other names: what is written to it is told by the name
// that it was written by, and by no other.
func (t *Tree) linked(name string) bool {
	var is unix.Stat_t
	err := unix.Lstat(filepath.Join(t.top, filepath.FromSlash(name)), &is)
	return err == nil && is.Mode&unix.S_IFMT == unix.S_IFREG && is.Nlink > 1
}

// drain takes in the events that are there.
func (t *Tree) drain(fd int) {
	buffer := make([]byte, reading)
	for {
		n, err := unix.Read(fd, buffer)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, syscall.EAGAIN):
			return
		case err != nil || n <= 0:
			t.lost = true
			return
		}
		for rest := buffer[:n]; len(rest) >= unix.SizeofInotifyEvent; {
			wd, what := int32(binary.NativeEndian.Uint32(rest)), binary.NativeEndian.Uint32(rest[4:])
			length := binary.NativeEndian.Uint32(rest[12:])
			name, _, _ := bytes.Cut(rest[unix.SizeofInotifyEvent:][:length], []byte{0})
			t.happened(wd, what, string(name))
			rest = rest[unix.SizeofInotifyEvent+length:]
		}
	}
}

// happened takes in one event.
func (t *Tree) happened(wd int32, what uint32, name string) {
	folder, known := t.folders[wd]
	switch {
	case t.lost:
		return
	case what&(unix.IN_Q_OVERFLOW|unix.IN_UNMOUNT|unix.IN_MOVE_SELF) != 0:
		t.lost = true
	case !known:
	case what&unix.IN_IGNORED != 0: // it is gone
		delete(t.folders, wd)
		delete(t.watched, folder)
		t.lost = t.lost || folder == ""
	case name == "":
		t.lost = t.lost || folder == "" && what&(unix.IN_ATTRIB|unix.IN_DELETE_SELF) != 0
	case what&unix.IN_ISDIR != 0:
		t.happenedTo(path.Join(folder, name), what)
	default:
		at := path.Join(folder, name)
		if what&written != 0 && !t.becomes(at) {
			t.dirty[at] = true
		}
		// Two events of a kind that follow each other are told as one, so that open is too
		// small when a file is opened twice.
		switch {
		case what&(unix.IN_DELETE|unix.IN_MOVED_FROM) != 0:
			delete(t.held, at)
		case what&(unix.IN_MODIFY|unix.IN_CLOSE_WRITE|unix.IN_CREATE|unix.IN_MOVED_TO) != 0:
			t.held[at] = true
		}
		switch {
		case what&(unix.IN_MOVED_FROM|unix.IN_MOVED_TO|unix.IN_DELETE) != 0 && t.open[at] > 0:
			t.lost = true // under which name is it written to now?
		case what&unix.IN_OPEN != 0:
			t.open[at]++
		case what&(unix.IN_CLOSE_WRITE|unix.IN_CLOSE_NOWRITE) != 0:
			if t.open[at]--; t.open[at] <= 0 {
				delete(t.open, at)
			}
		}
	}
	t.lost = t.lost || len(t.dirty)+len(t.apart)+len(t.open)+len(t.held) > tooMany
}

// becomes tells whether a name is that by which a folder is a repository of its own,
// which says something of all that is in the folder.
func (t *Tree) becomes(at string) bool {
	if path.Base(at) != ".git" {
		return false
	}
	if folder := above(at); folder != "" {
		t.dirty[folder] = true
	}
	return true
}

// happenedTo takes in what happened to a folder.
func (t *Tree) happenedTo(at string, what uint32) {
	if what&written == 0 || t.becomes(at) {
		return
	}
	t.dirty[at] = true
	switch {
	case what&(unix.IN_CREATE|unix.IN_MOVED_TO) != 0:
		t.apart[at] = true
	case what&unix.IN_MOVED_FROM != 0 && t.watches(at):
		t.lost = true // it tells of its files under names that they no longer have
	case what&(unix.IN_DELETE|unix.IN_MOVED_FROM) != 0:
		delete(t.apart, at)
		t.forget(at)
	}
}

// maxList is more than the system lists of one process.
const maxList = 64 << 20

// below tells whether a path is in a folder.
func below(folder, at string) bool { return strings.HasPrefix(at, strings.TrimSuffix(folder, "/")+"/") }

// mountsAround is the places in a folder, and above it, where disks are mounted.
func mountsAround(top string) (string, error) {
	list, err := files.ReadFile(context.Background(), "/proc/self/mountinfo", maxList)
	if err != nil {
		return "", err
	}
	var around strings.Builder
	for line := range strings.Lines(string(list)) {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			return "", fmt.Errorf("a mount of unknown kind: %q", line)
		}
		if at := unquoted.Replace(fields[4]); at == top || at == "/" || below(top, at) || below(at, top) {
			fmt.Fprintln(&around, at)
		}
	}
	return around.String(), nil
}

// unquoted is a path as the system lists it in its own words.
var unquoted = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
