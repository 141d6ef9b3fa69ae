package watch

import (
	"bytes"
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/refrain-loop/refrain/internal/files"
)

// writableBelow is the files in a folder that some process could write to now without a
// word about it: it has them in its memory, or open so that it can take them there. Those
// of other users' processes nobody may know, and of what runs in a container the names are
// others.
func writableBelow(top string) []string {
	processes, err := filepath.Glob("/proc/[0-9]*")
	if err != nil {
		return nil
	}
	found := map[string]bool{}
	for _, process := range processes {
		for _, at := range append(mappedBy(process), openIn(process, top)...) {
			if below(top, at) {
				found[strings.TrimPrefix(at, strings.TrimSuffix(top, "/")+"/")] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// mappedBy is the files that a process has in its memory, and may write to there.
func mappedBy(process string) (list []string) {
	text, err := files.ReadFile(context.Background(), filepath.Join(process, "maps"), maxList)
	if err != nil || !bytes.Contains(text, []byte("w-s ")) && !bytes.Contains(text, []byte("wxs ")) {
		return nil
	}
	for line := range strings.Lines(string(text)) {
		fields := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 6)
		if len(fields) == 6 && len(fields[1]) == 4 && fields[1][1] == 'w' && fields[1][3] == 's' {
			list = append(list, unquoted.Replace(strings.TrimLeft(fields[5], " ")))
		}
	}
	return list
}

// openIn is the files in a folder that a process has open for writing.
func openIn(process, top string) (list []string) {
	open, err := os.ReadDir(filepath.Join(process, "fd"))
	if err != nil {
		return nil
	}
	for _, e := range open {
		at, err := os.Readlink(filepath.Join(process, "fd", e.Name()))
		if err == nil && below(top, at) && forWriting(filepath.Join(process, "fdinfo", e.Name())) {
			list = append(list, at)
		}
	}
	return list
}

// forWriting tells how a file was opened; in doubt it was for writing.
func forWriting(info string) bool {
	text, err := files.ReadFile(context.Background(), info, maxList)
	if err != nil {
		return true
	}
	for line := range strings.Lines(string(text)) {
		if how, is := strings.CutPrefix(line, "flags:"); is {
			flags, err := strconv.ParseUint(strings.TrimSpace(how), 8, 64)
			return err != nil || flags&unix.O_ACCMODE != unix.O_RDONLY
		}
	}
	return true
}
