package fence

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// deedName is the variable that makes this program a child of a test.
const deedName = "FENCE_TEST_DEED"

func TestMain(m *testing.M) {
	if name := os.Getenv(deedName); name != "" {
		if err := children[name](os.Args[1:]); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// The race detector otherwise makes every process wait a second at its end.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	goleak.VerifyTestMain(m)
}

// children are what a child of a test can do.
var children = map[string]func(args []string) error{
	"write": func(args []string) error { return os.WriteFile(args[0], nil, 0o600) },
	"wait":  wait,
	"dial": func(args []string) error {
		conn, err := net.Dial(args[0], args[1])
		if err == nil {
			err = conn.Close()
		}
		return err
	},
	// Connects from another thread than the first, which a filter tells by its own number.
	"dial aside": func(args []string) (err error) {
		aside(func() {
			var fd int
			if fd, err = unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); err == nil {
				err = unix.Connect(fd, &unix.SockaddrUnix{Name: args[0]})
			}
		})
		return err
	},
	// Tries to raise a fence of its own.
	"nest": func([]string) error {
		c, err := NewConfiner(Policy{Kind: Landlock})
		if err != nil {
			return err
		}
		return c.On(func() {})
	},
	// Listens, and says when, until its input ends.
	"listen": func(args []string) error {
		if _, err := net.Listen("unix", args[0]); err != nil {
			return err
		}
		return wait(nil)
	},
	// Never answers those who connect, so that all but the first wait.
	"crowd": throng,
}

func wait([]string) error {
	fmt.Println("ready")
	_, _ = os.Stdin.Read(make([]byte, 1))
	return nil
}

// throng has some connects wait, and then one that need not.
func throng(args []string) error {
	busy, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return err
	}
	if err := unix.Bind(busy, &unix.SockaddrUnix{Name: args[0]}); err != nil {
		return err
	}
	if err := unix.Listen(busy, 0); err != nil {
		return err
	}
	for range 2 * patient {
		fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
		if err != nil {
			return err
		}
		go func() { _ = unix.Connect(fd, &unix.SockaddrUnix{Name: args[0]}) }()
	}
	l, err := net.Listen("unix", args[1])
	if err != nil {
		return err
	}
	conn, err := net.Dial("unix", l.Addr().String()) // which does not block
	if err != nil {
		return err
	}
	return conn.Close()
}

// child is this program as a child, not started yet.
func child(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), deedName+"="+name)
	return cmd
}

// needLandlock skips where no fence of it can be raised.
func needLandlock(t testing.TB) {
	t.Helper()
	if f := Look(); f.Landlock < abiNeeded || !f.Filter {
		t.Skipf("Landlock is of version %d on this kernel (%s)", f.Landlock, f.Kernel)
	}
	c, err := NewConfiner(Policy{Kind: Landlock})
	if err != nil {
		return // which the test will see
	}
	defer c.Close()
	if err := c.On(func() {}); errors.Is(err, unix.EBUSY) {
		t.Skip(err)
	}
}

// newConfiner is one for a test.
func newConfiner(t testing.TB, p Policy) *Confiner {
	t.Helper()
	needLandlock(t)
	p.Kind = Landlock
	c, err := NewConfiner(p)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// run runs a child within the fence, and gives what it said and how it ended.
func (c *Confiner) run(cmd *exec.Cmd) (string, error) {
	var said strings.Builder
	cmd.Stdout = &said
	var started error
	if err := c.On(func() { started = cmd.Start() }); err != nil {
		return "", err
	}
	if started != nil {
		return "", started
	}
	err := cmd.Wait()
	return said.String(), err
}
