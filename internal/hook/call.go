package hook

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/text"
)

// Call is what a hook is run with.
type Call struct {
	Input   []byte // JSON that says what happened, for stdin
	Env     []string
	Dir     string
	Timeout time.Duration // 0 is none
	// Metadata is the file into which it writes what it has to say of the iteration;
	// empty: there is no iteration.
	Metadata string
	Log      io.Writer // gets every byte that it prints; nil is none

	Hide *redact.Redactor // what is secret is not told; nil: nothing is

	role proc.Role

	// Exec runs a process to its end, and whatever that has started.
	Exec func(context.Context, proc.Spec) (loop.Exit, error)
}

// ending is how a program ended: by itself with a status, interrupted, or in
// trouble.
type ending struct {
	status      *int
	interrupted bool
	timedOut    bool
	trouble     string // a verb and its object
	hint        string
	said        string // the last line of what it printed
	took        time.Duration
}

// why is the trouble, and what the program itself said of it.
func (e ending) why() string {
	if e.said == "" {
		return e.trouble
	}
	return e.trouble + ": " + e.said
}

func (c Call) run(ctx context.Context, argv []string) ending {
	var out output
	out.log = c.Log
	start := time.Now()
	exit, err := c.Exec(ctx, proc.Spec{
		Argv: argv, Role: c.role, Dir: c.Dir, Env: c.Env, Stdin: c.stdin(), Timeout: c.Timeout,
		Stdout: proc.Sink{Raw: out.stream(&out.stdout)}, Stderr: proc.Sink{Raw: out.stream(&out.stderr)},
	})
	end := ending{said: out.said(c.Hide), took: time.Since(start)}
	switch {
	case err != nil:
		end.trouble, end.hint = notStarted(argv[0], err)
	case exit.Cause == loop.AtDeadline: // a status is that of a program that was told to end
		end.timedOut, end.trouble = true, "took longer than "+c.Timeout.String()+" and was ended"
	case exit.Cause != loop.Exited && exit.Cause != loop.Signaled:
		end.interrupted = true
	case exit.Code == nil:
		end.trouble = "was killed by " + exit.Signal
	default:
		end.status = exit.Code
	}
	return end
}

// stdin is the input as one line with its end, without which the shell's read
// fails.
func (c Call) stdin() io.Reader {
	if len(c.Input) == 0 {
		return nil
	}
	return io.MultiReader(bytes.NewReader(bytes.TrimSuffix(c.Input, newline)), bytes.NewReader(newline))
}

var newline = []byte{'\n'}

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

const (
	// keptSize is how much of the end of a stream is kept, whatever comes.
	keptSize = 4 << 10

	// maxSaid is how long the last line may be in a warning.
	maxSaid = 240
)

// output takes what a hook prints.
type output struct {
	mu  sync.Mutex // the streams are read at the same time
	log io.Writer

	stdout, stderr []byte // the end of each; at most twice keptSize, so that it is rarely moved
}

// stream takes what comes on one stream and keeps its end.
func (o *output) stream(end *[]byte) io.Writer {
	return writer(func(data []byte) {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.log != nil {
			_, _ = o.log.Write(data) // a hook must not hang because a disk is full
		}
		*end = append(*end, data[max(0, len(data)-keptSize):]...)
		if excess := len(*end) - keptSize; excess > keptSize {
			*end = append((*end)[:0], (*end)[excess:]...)
		}
	})
}

type writer func([]byte)

func (w writer) Write(data []byte) (int, error) {
	w(data)
	return len(data), nil
}

// said is the last line of what was printed, where what went wrong is most
// likely to be told: on stderr, if anything is there.
func (o *output) said(hide *redact.Redactor) string {
	if line := lastLine(hide.Text(string(o.stderr))); line != "" {
		return line
	}
	return lastLine(hide.Text(string(o.stdout)))
}

// lastLine is the last line that shows anything, as plain text of bounded
// length.
func lastLine(out string) string {
	last := ""
	for line := range strings.FieldsFuncSeq(text.StripEscapes(out), func(r rune) bool { return r == '\n' || r == '\r' }) {
		if line = text.Line(line); line != "" {
			last = line
		}
	}
	return text.Shorten(last, maxSaid)
}
