package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A cgroup holds a process and all that it starts, wherever they go and whatever
// they forget, and the kernel ends all of them at once. The keeper puts each of
// its children into one, where it may make them: below its own, if that is
// delegated to the user, as systemd does it. Elsewhere descent and marks have to
// do, and nobody is told but by the doctor.

// cgroupPrefix begins the names of our cgroups. The mark follows, and the number
// of the child.
const cgroupPrefix = "refrain."

func cgroupName(m Mark, id int) string {
	return cgroupPrefix + m.Run + "." + m.Runner + "." + strconv.Itoa(id)
}

// cgroupMark is the mark in the name of a cgroup. That of a runner has five parts.
func cgroupMark(name string) (m Mark, ok bool) {
	rest, ours := strings.CutPrefix(name, cgroupPrefix)
	parts := strings.Split(rest, ".")
	if !ours || len(parts) < 7 {
		return Mark{}, false
	}
	id := len(parts) - 1
	return Mark{Run: strings.Join(parts[:id-5], "."), Runner: strings.Join(parts[id-5:id], ".")}, true
}

// cgroup is one that we have made; empty is none.
type cgroup string

// ownCgroup is the folder of the cgroup that this process is in; empty when
// nobody can tell.
func ownCgroup() string {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	self, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	root, top := cgroupMount(string(mounts))
	for line := range strings.Lines(string(self)) {
		path, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "0::")
		rel, err := filepath.Rel(top, path)
		if ok && root != "" && err == nil && filepath.IsLocal(rel) {
			return filepath.Join(root, rel)
		}
	}
	return ""
}

// cgroupMount finds where the second version of cgroups is mounted, and which of
// them is there.
func cgroupMount(mounts string) (root, top string) {
	for line := range strings.Lines(mounts) {
		before, after, _ := strings.Cut(line, " - ")
		fields := strings.Fields(before)
		if kind, _, _ := strings.Cut(after, " "); kind == "cgroup2" && len(fields) > 4 {
			return fields[4], fields[3]
		}
	}
	return "", ""
}

// newCgroup makes one below a folder.
func newCgroup(parent string, m Mark, id int) (cgroup, error) {
	if parent == "" {
		return "", fs.ErrNotExist
	}
	g := cgroup(filepath.Join(parent, cgroupName(m, id)))
	if err := os.Mkdir(string(g), 0o755); err != nil {
		return "", err
	}
	return g, nil
}

// startIn starts a program, in a cgroup where there is one. What keeps the kernel
// from that cannot be told from what keeps the program from starting, so it is
// tried again without.
func startIn(g cgroup, path string, argv []string, attr syscall.ProcAttr) (pid int, inside bool, err error) {
	if g != "" {
		dir, err := unix.Open(string(g), unix.O_PATH|unix.O_CLOEXEC, 0)
		if err == nil {
			with := attr
			sys := *attr.Sys
			sys.UseCgroupFD, sys.CgroupFD = true, dir
			with.Sys = &sys
			pid, err = syscall.ForkExec(path, argv, &with)
			_ = unix.Close(dir)
		}
		if err == nil {
			return pid, true, nil
		}
	}
	pid, err = syscall.ForkExec(path, argv, &attr)
	return pid, false, err
}

// kill ends everyone in it and below, but for the spared.
func (g cgroup) kill(spared func(pid int) bool) {
	if g == "" {
		return
	}
	if spared == nil && g.killAll() == nil {
		return
	}
	for _, pid := range g.membersBut(spared) {
		_ = unix.Kill(pid, unix.SIGKILL)
	}
}

// killAll ends them at once, however fast they fork. The kernel can since 5.14.
func (g cgroup) killAll() error {
	f, err := os.OpenFile(filepath.Join(string(g), "cgroup.kill"), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.WriteString("1")
	return err
}

// members lists who is in it and in those that were made below it.
func (g cgroup) members() (pids []int) {
	if g == "" {
		return nil
	}
	_ = filepath.WalkDir(string(g), func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Name() != "cgroup.procs" {
			return nil // it is gone, or something else
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return nil
		}
		for _, word := range strings.Fields(string(b)) {
			if pid, err := strconv.Atoi(word); err == nil && pid > 0 {
				pids = append(pids, pid)
			}
		}
		return nil
	})
	return pids
}

// remove removes it, with those that were made below it, and tells whether nobody
// was in it.
func (g cgroup) remove() bool {
	if g == "" || g.drop() {
		return true
	}
	entries, _ := os.ReadDir(string(g)) // what cannot be listed is not removed either
	for _, e := range entries {
		if e.IsDir() {
			cgroup(filepath.Join(string(g), e.Name())).remove()
		}
	}
	return g.drop()
}

// drop removes it when nobody is in it and nothing below it.
func (g cgroup) drop() bool {
	err := unix.Rmdir(string(g))
	return err == nil || errors.Is(err, fs.ErrNotExist)
}

// cgroupsOf lists the cgroups below a folder whose mark matches. They are looked
// for at any depth: another runner may have been in another place.
func cgroupsOf(root string, match func(Mark) bool) (found []cgroup) {
	if root == "" {
		return nil
	}
	_ = filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return nil // it is gone, or nobody can look
		}
		if mark, ours := cgroupMark(d.Name()); ours && match(mark) {
			found = append(found, cgroup(path))
		}
		return nil
	})
	return found
}

// cgroupsIn lists those right below a folder.
func cgroupsIn(parent string, match func(Mark) bool) (found []cgroup) {
	entries, err := os.ReadDir(parent)
	if parent == "" || err != nil {
		return nil
	}
	for _, e := range entries {
		if mark, ours := cgroupMark(e.Name()); ours && match(mark) {
			found = append(found, cgroup(filepath.Join(parent, e.Name())))
		}
	}
	return found
}

// dropEmpty removes the cgroups of dead runners in which nobody is any more, such
// as those of a spared program that has ended since.
func dropEmpty(parent string) {
	for _, g := range cgroupsIn(parent, func(m Mark) bool { o, ok := ownerIn(m.Runner); return ok && o.gone() }) {
		g.remove()
	}
}

// endCgroups ends everyone in some cgroups but for the spared, and removes them. It
// tells how many that were, and whether nobody else is left in any.
func endCgroups(list []cgroup, spare []string) (ended int, all bool) {
	var spared func(int) bool
	if len(spare) > 0 {
		spared = target{spare: spare}.spares
	}
	all = true
	for _, g := range list {
		ended += len(g.membersBut(spared))
		for deadline := time.Now().Add(ladder.patience); !g.remove(); time.Sleep(pause) {
			g.kill(spared)
			if spared != nil && len(g.membersBut(spared)) == 0 {
				break // it is theirs now
			}
			if time.Now().After(deadline) {
				all = false
				break
			}
		}
	}
	return ended, all
}

// membersBut is members without the spared.
func (g cgroup) membersBut(spared func(pid int) bool) []int {
	if spared == nil {
		return g.members()
	}
	return slices.DeleteFunc(g.members(), spared)
}

// cgroupRoot is where all cgroups are.
func cgroupRoot() string {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	root, _ := cgroupMount(string(mounts))
	return root
}

// ByKernel tells whether the kernel holds together what is started here, or why
// it does not.
func ByKernel() error {
	parent := ownCgroup()
	if parent == "" {
		return errors.New("there are no cgroups of the second version")
	}
	g, err := newCgroup(parent, NewMark("doctor", "/"), 0)
	if err != nil {
		return fmt.Errorf("no cgroup can be made: %w", err)
	}
	defer g.remove()
	if err := unix.Access(filepath.Join(parent, "cgroup.procs"), unix.W_OK); err != nil {
		return fmt.Errorf("nobody can be moved out of the cgroup %s: %w", parent, err)
	}
	return nil
}

// endAbandoned ends who is left in the cgroups of such runs, even who has lost its
// mark, and tells how many that were.
func endAbandoned(l litter, spare []string) (ended int) {
	ended, _ = endCgroups(cgroupsOf(cgroupRoot(), l.kept), spare)
	return ended
}
