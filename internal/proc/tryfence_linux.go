package proc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/refrain-loop/refrain/internal/fence"
)

// tryTime is more than a try takes, even on a busy machine.
const tryTime = 30 * time.Second

// TryFence tries whether a fence of that kind holds on this machine: a helper within
// it must work in a tree, and must not get at what is outside. The error says what
// went wrong, and then the fence is not to be called one.
func TryFence(ctx context.Context, kind fence.Kind) error {
	ctx, cancel := context.WithTimeout(ctx, tryTime)
	defer cancel()
	t, err := newTrial(kind)
	if err != nil {
		return &fence.Error{Kind: kind, What: "prepare the self-test", Err: err}
	}
	defer t.close()
	return t.run(ctx, kind)
}

// trial is a small world for the helper that tries a fence.
type trial struct {
	Tree, Home, Secret, Socket string
	Runner                     int
	Started                    uint64 // when the runner was, for its number may be another's inside
	Signals                    bool   // they should not get out

	base     string
	listener net.Listener
}

func newTrial(kind fence.Kind) (t *trial, err error) {
	self, err := readEntry(os.Getpid())
	if err != nil {
		return nil, err
	}
	in := os.TempDir()
	if len(in) > 60 {
		in = "/tmp" // the path of a socket is short
	}
	base, err := os.MkdirTemp(in, "refrain-fence-")
	if err != nil {
		return nil, err
	}
	t = &trial{
		Tree: base + "/tree", Home: base + "/home", Secret: base + "/home/hidden/secret", Socket: base + "/home/s.sock",
		Runner: self.pid, Started: self.started, Signals: kind == fence.Namespaces || len(fence.Look().Lacks()) == 0, base: base,
	}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	for _, dir := range []string{t.Tree, base + "/tmp", filepath.Dir(t.Secret)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, err
		}
	}
	for _, path := range []string{t.Secret, filepath.Join(t.Home, "file")} {
		if err := os.WriteFile(path, []byte("secret"), 0o600); err != nil {
			return nil, err
		}
	}
	t.listener, err = net.Listen("unix", t.Socket)
	return t, err
}

func (t *trial) close() {
	if t.listener != nil {
		_ = t.listener.Close()
	}
	_ = os.RemoveAll(t.base) // the system tidies up there, too
}

// run has the helper try, and gives what it says as an error.
func (t *trial) run(ctx context.Context, kind fence.Kind) error {
	wrong := func(err error) error { return &fence.Error{Kind: kind, What: "self-test", Err: err} }
	text, err := json.Marshal(t)
	if err != nil {
		return wrong(err)
	}
	argv, err := HelperCommand(tryName, string(text))
	if err != nil {
		return wrong(err)
	}
	// In namespaces nothing of the home would be there to try if it were not shown. And
	// what is shown must not show what is hidden in it.
	policy := &fence.Policy{
		Kind: kind, Write: []string{t.Tree}, Hide: []string{filepath.Dir(t.Secret)}, Temp: t.base + "/tmp",
		Show: []string{t.Home, argv[0]},
	}
	k := NewKeeper(NewMark("loop_selftest", t.Tree), nil).Within(policy)
	defer k.Close()
	var said []string
	exit, err := k.Run(ctx, Spec{
		Argv: argv, Dir: t.Tree, Env: os.Environ(),
		Stdout: Sink{Line: func(line []byte, _ bool) { said = append(said, string(line)) }},
	})
	switch {
	case err != nil:
		return err
	case len(said) > 0:
		return wrong(errors.New(strings.Join(said, "; ")))
	case !exit.Zero():
		return wrong(fmt.Errorf("the helper ended with %v", exit))
	}
	return nil
}

// tryFence is the main of the helper within the fence. It prints what should not be.
func tryFence(args []string) int {
	var t trial
	if len(args) != 1 || json.Unmarshal([]byte(args[0]), &t) != nil {
		fmt.Println("the helper was not told what to try")
		return 2
	}
	if err := t.work(); err != nil {
		fmt.Println("no work can be done in the tree: " + err.Error())
	}
	for _, hole := range t.holes() {
		if hole.open() {
			fmt.Println(hole.words)
		}
	}
	return 0
}

// work is what must be possible.
func (t *trial) work() error {
	dir := filepath.Join(t.Tree, "folder")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return err
	}
	from, to := filepath.Join(t.Tree, "a"), filepath.Join(dir, "b")
	if err := os.WriteFile(from, []byte("x"), 0o600); err != nil {
		return err
	}
	if err := os.Rename(from, to); err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// hole is what must not be possible.
type hole struct {
	words string
	open  func() bool
}

func (t *trial) holes() []hole {
	return []hole{
		{"a file of the home can be changed", func() bool {
			return os.WriteFile(filepath.Join(t.Home, "file"), nil, 0o600) == nil
		}},
		{"a file can be made in the home", func() bool {
			return os.WriteFile(filepath.Join(t.Home, "new"), nil, 0o600) == nil
		}},
		{"a hidden file can be read", func() bool {
			b, err := os.ReadFile(t.Secret)
			return err == nil && len(b) > 0
		}},
		{"a socket outside can be reached", func() bool {
			conn, err := net.Dial("unix", t.Socket)
			return err == nil && conn.Close() == nil
		}},
		{"the environment of the runner can be read", func() bool {
			f, err := os.Open(procFile(t.Runner, "environ"))
			if err != nil || !t.sees() {
				return false
			}
			defer f.Close()
			_, err = f.Read(make([]byte, 1))
			return err == nil || errors.Is(err, io.EOF)
		}},
		{"the runner can be signalled", func() bool { return t.Signals && t.sees() && syscall.Kill(t.Runner, 0) == nil }},
	}
}

// sees tells whether the process with the runner's number is the runner.
func (t *trial) sees() bool {
	e, err := readEntry(t.Runner)
	return err == nil && e.started == t.Started
}
