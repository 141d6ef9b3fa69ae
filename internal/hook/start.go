package hook

import (
	"bufio"
	"errors"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/proc"
)

// notStarted says what is wrong with a program that did not start, and what to
// do about it where that is known. The system says of a missing interpreter
// only that there is no such file, though the user can see that there is.
func notStarted(program string, err error) (trouble, hint string) {
	var start *proc.StartError
	if !errors.As(err, &start) {
		return "could not be run: " + err.Error(), ""
	}
	switch {
	case start.Missing():
		name := interpreter(program)
		if strings.HasSuffix(name, "\r") {
			return "cannot be started: its lines end as on Windows", "save it with the line ends of Unix"
		}
		if name != "" {
			return "cannot be started: there is no " + name + ", which its first line asks for", "install that, or change the first line"
		}
	case errors.Is(start.Err, syscall.ENOEXEC):
		hint = "begin it with a line that names its interpreter, such as #!/bin/sh"
	case errors.Is(start.Err, fs.ErrPermission):
		hint = "chmod +x " + program + "; if it is executable, look at its interpreter, and whether its file system may hold programs"
	}
	return "cannot be started: " + start.Err.Error(), hint
}

// interpreter is what the first line of a script names, or nothing.
func interpreter(path string) string {
	f, err := files.OpenFile(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	const longest = 256 // as far as Linux reads
	line, _ := bufio.NewReader(io.LimitReader(f, longest)).ReadString('\n')
	rest, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "#!")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(strings.TrimLeft(rest, " \t"), " ")
	return name
}
