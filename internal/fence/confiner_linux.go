package fence

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Confiner confines what is started from its threads. It may be used from several
// goroutines.
type Confiner struct {
	kind       Kind
	ruleset    int // -1 is none
	filter     []unix.SockFilter
	sockets    sockets // where may be connected to
	supervised bool

	mu        sync.Mutex
	closed    bool
	listeners map[*listener]bool
	ends      sync.WaitGroup // of the listeners
}

// NewConfiner makes ready what confines a thread. With namespaces files and sockets
// are not its to refuse: only signals, abstract sockets and some system calls are.
func NewConfiner(p Policy) (*Confiner, error) {
	c := &Confiner{kind: p.Kind, ruleset: -1, listeners: map[*listener]bool{}}
	var what string
	var err error
	switch p.Kind {
	case Landlock:
		what, err = c.prepare(p)
	case Namespaces:
		what, err = c.prepareScopes(p.Proxy != "")
	default:
		err = errors.New("there is no such fence")
	}
	if err == nil && c.filter == nil {
		what, err = "filter system calls on "+runtime.GOARCH, errors.ErrUnsupported
	}
	if err != nil {
		c.Close()
		return nil, &Error{Kind: p.Kind, What: what, Err: err}
	}
	return c, nil
}

// prepare makes a whole fence of Landlock and supervised connects.
func (c *Confiner) prepare(p Policy) (what string, err error) {
	v, err := abi()
	if err != nil {
		return "ask for Landlock", err
	}
	if v < abiNeeded {
		return "ask for Landlock", fmt.Errorf("its version is %d, which forbids to move files between folders; %d is needed (Linux 5.19)", v, abiNeeded)
	}
	rules, err := rulesOf(p)
	if err != nil {
		return "say what may be reached", err
	}
	files, scoped := handled(v)
	if c.ruleset, err = newRuleset(files, scoped, rules); err != nil {
		return "say what may be reached", err
	}
	c.sockets.allowed = resolve(p.Sockets)
	if p.Proxy != "" {
		if p.ProxyPort < 1 { // which would mean an open network
			return "reach the proxy", fmt.Errorf("port %d is none", p.ProxyPort)
		}
		if c.sockets.places, err = placesOpen(p); err != nil {
			return "say what may be reached", err
		}
	}
	c.supervised = true
	c.filter = newFilter(true, p.Proxy != "")
	return "", nil
}

// prepareScopes makes what is left to do inside namespaces. A kernel without scopes
// lacks them here, which is a fact of it.
func (c *Confiner) prepareScopes(listed bool) (what string, err error) {
	if v, err := abi(); err == nil && v >= abiScopes {
		if c.ruleset, err = newRuleset(0, scopes, nil); err != nil {
			return "keep signals inside", err
		}
	}
	c.filter = newFilter(false, listed)
	return "", nil
}

// Tell has refused hear of what a process was refused by its name or its address, each
// once. It is called before On, and refused must not wait for anybody inside.
func (c *Confiner) Tell(refused func(Refusal)) { c.sockets.refused = once(refused) }

// On runs f on a thread that is confined, and then thrown away: whatever f starts
// has the same fence around it, and nobody else has. An error means that f was not
// called.
func (c *Confiner) On(f func()) error {
	var err error
	lift := veil()
	defer lift()
	tid := aside(func() {
		if err = c.confine(); err == nil {
			f()
		}
	})
	awaitThread(tid)
	if err != nil {
		return &Error{Kind: c.kind, What: "confine a thread", Err: err}
	}
	return nil
}

// Wrap leaves a program what it is: who starts it is confined.
func (c *Confiner) Wrap(path string, argv []string) (string, []string) { return path, argv }

// confine confines this thread, and whoever it starts.
func (c *Confiner) confine() error {
	if c.isClosed() {
		return errors.New("it was taken down")
	}
	if err := renounce(); err != nil {
		return err
	}
	if c.ruleset >= 0 {
		if err := restrict(c.ruleset); err != nil {
			return err
		}
	}
	flags := uintptr(0)
	if c.supervised {
		// Once the keeper has a connect in hand only death interrupts it: done twice, it
		// would fail.
		flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	}
	filter := slices.Clone(c.filter)
	prog := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	if errno == unix.EBUSY {
		return fmt.Errorf("connects are supervised already, as in another sandbox: %w", errno)
	}
	if errno != 0 {
		return fmt.Errorf("filter system calls: %w", errno)
	}
	if !c.supervised {
		return nil
	}
	return c.listen(int(fd))
}

// Close gives back what NewConfiner took. What still lives inside can not connect
// any more, and nothing is started there. It is not called while On runs.
func (c *Confiner) Close() {
	if c.close() {
		c.ends.Wait()
	}
}

// close tells whether it was still open.
func (c *Confiner) close() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return false
	}
	c.closed = true
	if c.ruleset >= 0 {
		_ = unix.Close(c.ruleset)
	}
	for l := range c.listeners {
		_ = l.file.Close()
	}
	return true
}

func (c *Confiner) isClosed() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed
}
