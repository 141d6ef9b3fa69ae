package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// tick is the unit of processor time in /proc, the same on every Linux.
	tick = 10 * time.Millisecond

	// kernelThread is PF_KTHREAD among the flags of a process.
	kernelThread = 0x00200000
)

func readTable() (table, error) {
	pids, err := readPids()
	if err != nil {
		return table{}, err
	}
	list := make([]entry, 0, len(pids))
	for _, pid := range pids {
		if e, err := readEntry(pid); err == nil { // else it has just ended
			list = append(list, e)
		}
	}
	return newTable(list), nil
}

func readPids() ([]int, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

func readEntry(pid int) (entry, error) {
	b, err := readProc(procFile(pid, "stat"))
	if err != nil {
		return entry{}, err
	}
	return parseStat(pid, b)
}

// parseStat reads a line of /proc/PID/stat. The second field is the program's
// name in parentheses, and may hold anything, parentheses and newlines too.
func parseStat(pid int, b []byte) (entry, error) {
	e := entry{ident: ident{pid: pid}}
	fields := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(fields) < 20 {
		return e, fmt.Errorf("read the state of process %d: %q", pid, b)
	}
	e.state = fields[0][0]
	var errs [8]error
	e.parent, errs[0] = strconv.Atoi(fields[1])
	flags, err := strconv.ParseUint(fields[6], 10, 64)
	e.kernel, errs[1] = flags&kernelThread != 0, err
	for i := range 4 { // user and system, its own and of those it waited for
		var ticks int64
		ticks, errs[2+i] = strconv.ParseInt(fields[11+i], 10, 64)
		e.cpu += time.Duration(ticks) * tick
	}
	threads, err := strconv.Atoi(fields[17])
	e.single, errs[7] = threads == 1, err
	e.started, errs[6] = strconv.ParseUint(fields[19], 10, 64)
	return e, errors.Join(errs[:]...)
}

// ticksUp is how long the system has been up, as the starts of processes are told.
func ticksUp() uint64 {
	var up unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &up) // it cannot fail for a clock that every Linux has
	return uint64(time.Duration(up.Nano()) / tick)
}

// program is the name of the file that the process executes.
func program(pid int) string {
	path, err := os.Readlink(procFile(pid, "exe"))
	if err != nil {
		return ""
	}
	return filepath.Base(strings.TrimSuffix(path, " (deleted)"))
}

// environOf is the environment that a process was started with; empty when it
// has ended or belongs to somebody else.
func environOf(pid int) []string { return procStrings(pid, "environ") }

func argvOf(pid int) []string { return procStrings(pid, "cmdline") }

// workDir is where a process is. The folder may be gone.
func workDir(pid int) (string, error) { return os.Readlink(procFile(pid, "cwd")) }

// pidSpace names the space in which processes have their numbers.
func pidSpace() string {
	link, err := os.Readlink("/proc/self/ns/pid") // such as pid:[4026531836]
	if err != nil {
		return "0"
	}
	return strings.Trim(link, "pid:[]")
}

func procStrings(pid int, name string) []string {
	b, err := os.ReadFile(procFile(pid, name))
	if err != nil || len(b) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
}

func procFile(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }

func newTable(list []entry) table {
	t := table{all: make(map[int]entry, len(list)), children: map[int][]int{}}
	for _, e := range list {
		t.all[e.pid] = e
		t.children[e.parent] = append(t.children[e.parent], e.pid)
	}
	return t
}
