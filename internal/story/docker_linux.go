package story

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"syscall"
)

// dockerSocket names the variable with the socket of the pretended engine.
const dockerSocket = "PRETENDED_DOCKER"

// DockerEngine is a pretended engine of containers. Its containers are processes of
// this machine that carry a mark in their environment: they see all files, and have
// only the variables that they were given. As in a real one, what runs in a
// container outlives the client that started it, and ends with the container.
type DockerEngine struct {
	Images map[string]string // by name, with what PATH is in it

	mu    sync.Mutex
	boxes map[string]*dockerBox
	log   [][]string // all that clients asked for
}

// dockerBox is one of its containers.
type dockerBox struct {
	labels map[string]string
	mounts []string // the targets
	env    []string
	main   *exec.Cmd
}

// Listen serves clients at a socket until it is closed.
func (d *DockerEngine) Listen(socket string) (net.Listener, error) {
	d.boxes = map[string]*dockerBox{}
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	go func() { // until the listener is closed
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go d.serve(conn.(*net.UnixConn)) // until its client is gone
		}
	}()
	return l, nil
}

// Asked is what clients asked for so far.
func (d *DockerEngine) Asked() [][]string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.log)
}

// Names are those of the containers that are there.
func (d *DockerEngine) Names() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	var list []string
	for name := range d.boxes {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// dockerCall is what a client says; its three streams come with it.
type dockerCall struct{ Args, Env []string }

// Docker is the main of a client, and with "dockerd SOCKET IMAGE..." as arguments
// that of the engine.
func Docker() {
	if len(os.Args) > 2 && os.Args[1] == "dockerd" {
		d := &DockerEngine{Images: map[string]string{}}
		for _, image := range os.Args[3:] {
			d.Images[image] = os.Getenv("PATH")
		}
		l, err := d.Listen(os.Args[2])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		defer l.Close()
		asked := make(chan os.Signal, 1)
		signal.Notify(asked, syscall.SIGINT, syscall.SIGTERM)
		<-asked
		for _, name := range d.Names() { // a story that failed leaves some
			d.remove(name)
		}
		os.Exit(1)
	}
	os.Exit(dockerClient(os.Args[1:]))
}

func dockerClient(args []string) int {
	conn, err := net.Dial("unix", os.Getenv(dockerSocket))
	if err != nil {
		fmt.Fprintln(os.Stderr, "Cannot connect to the Docker daemon. Is the docker daemon running?")
		return 1
	}
	defer conn.Close()
	call, err := json.Marshal(dockerCall{args, os.Environ()})
	if err != nil {
		return 1
	}
	c := conn.(*net.UnixConn)
	// The streams go with the first byte.
	if _, _, err := c.WriteMsgUnix([]byte{'!'}, syscall.UnixRights(0, 1, 2), nil); err != nil {
		return 1
	}
	if _, err := c.Write(append(call, '\n')); err != nil {
		return 1
	}
	var code int
	if err := json.NewDecoder(c).Decode(&code); err != nil {
		return 1
	}
	return code
}

func (d *DockerEngine) serve(c *net.UnixConn) {
	defer c.Close()
	first, oob := make([]byte, 1), make([]byte, 64)
	_, n, _, _, err := c.ReadMsgUnix(first, oob)
	if err != nil {
		return
	}
	messages, err := syscall.ParseSocketControlMessage(oob[:n])
	if err != nil || len(messages) != 1 {
		return
	}
	fds, err := syscall.ParseUnixRights(&messages[0])
	if err != nil || len(fds) != 3 {
		return
	}
	var stdio [3]*os.File
	for i, fd := range fds {
		syscall.CloseOnExec(fd)
		stdio[i] = os.NewFile(uintptr(fd), "stdio")
		defer stdio[i].Close()
	}
	var call dockerCall
	in := json.NewDecoder(c)
	if in.Decode(&call) != nil || len(call.Args) == 0 {
		return
	}
	d.mu.Lock()
	d.log = append(d.log, call.Args)
	d.mu.Unlock()
	hungUp := make(chan struct{})
	go func() { // until the client is gone
		_ = in.Decode(new(any))
		close(hungUp)
	}()
	code := d.do(call, stdio, hungUp)
	_ = json.NewEncoder(c).Encode(code)
}

// do does what a client wants, and gives the exit status that it ends with.
func (d *DockerEngine) do(call dockerCall, stdio [3]*os.File, hungUp chan struct{}) int {
	fail := func(code int, format string, args ...any) int {
		fmt.Fprintf(stdio[2], format+"\n", args...)
		return code
	}
	switch command, args := call.Args[0], call.Args[1:]; command {
	case "info":
		fmt.Fprintln(stdio[1], "27.0 [name=seccomp,profile=builtin]")
	case "image":
		if _, ok := d.Images[args[len(args)-1]]; !ok {
			return fail(1, "Error response from daemon: No such image: %s", args[len(args)-1])
		}
		fmt.Fprintln(stdio[1], "sha256:0")
	case "run":
		return d.run(readOptions(args), stdio, hungUp, fail)
	case "exec":
		return d.exec(readOptions(args), call.Env, stdio, fail)
	case "top":
		if !slices.Contains(d.Names(), args[0]) {
			return fail(1, "Error response from daemon: No such container: %s", args[0])
		}
		fmt.Fprintln(stdio[1], "UID PID")
		for _, pid := range pidsIn(args[0]) {
			fmt.Fprintln(stdio[1], "0", pid)
		}
	case "rm":
		for _, name := range args {
			if !strings.HasPrefix(name, "-") && !d.remove(name) {
				return fail(1, "Error response from daemon: No such container: %s", name)
			}
		}
	case "ps":
		d.mu.Lock()
		defer d.mu.Unlock()
		for name, box := range d.boxes {
			fmt.Fprintln(stdio[1], name, box.labels["refrain.run"], box.labels["refrain.runner"])
		}
	default:
		return fail(125, "docker: unknown command: %s", command)
	}
	return 0
}

// options is a command line, read as far as the tests need it.
type options struct {
	named map[string][]string
	rest  []string
}

func (o options) one(name string) string {
	if list := o.named[name]; len(list) > 0 {
		return list[len(list)-1]
	}
	return ""
}

// alone are the options that have no value.
var alone = []string{"--interactive", "--rm", "--init"}

func readOptions(args []string) options {
	o := options{named: map[string][]string{}}
	for i := 0; i < len(args); i++ {
		name, value, joined := strings.Cut(args[i], "=")
		switch {
		case !strings.HasPrefix(args[i], "-"):
			o.rest = args[i:]
			return o
		case !joined && !slices.Contains(alone, name) && i+1 < len(args):
			i++
			value = args[i]
		}
		o.named[name] = append(o.named[name], value)
	}
	return o
}

func (d *DockerEngine) run(o options, stdio [3]*os.File, hungUp chan struct{}, fail func(int, string, ...any) int) int {
	if len(o.rest) == 0 {
		return fail(125, "docker: no image")
	}
	path, ok := d.Images[o.rest[0]]
	if !ok {
		return fail(125, "docker: Error response from daemon: No such image: %s", o.rest[0])
	}
	name := o.one("--name")
	if name == "" {
		name = fmt.Sprintf("nameless-%d", len(d.Asked()))
	}
	box := &dockerBox{labels: map[string]string{}, env: append([]string{"PATH=" + path}, o.named["--env"]...)}
	for _, label := range o.named["--label"] {
		key, value, _ := strings.Cut(label, "=")
		box.labels[key] = value
	}
	for _, mount := range o.named["--mount"] {
		for _, field := range strings.Split(mount, ",") {
			if target, ok := strings.CutPrefix(field, "target="); ok {
				box.mounts = append(box.mounts, target)
			}
			if source, ok := strings.CutPrefix(field, "source="); ok {
				if _, err := os.Stat(source); err != nil {
					return fail(125, "docker: Error response from daemon: bind source path does not exist: %s", source)
				}
			}
		}
	}
	stdin, held, err := os.Pipe()
	if err != nil {
		return fail(125, "docker: %v", err)
	}
	box.main = box.command(name, append([]string{o.one("--entrypoint")}, o.rest[1:]...), o.one("--workdir"), nil)
	box.main.Stdin, box.main.Stdout, box.main.Stderr = stdin, stdio[1], stdio[2]
	d.mu.Lock() // nobody asks for it by its first word before it is known
	if err = box.main.Start(); err == nil {
		d.boxes[name] = box
	}
	d.mu.Unlock()
	_ = stdin.Close()
	if err != nil {
		_ = held.Close()
		return fail(127, "docker: Error response from daemon: %v", err)
	}
	var copied sync.WaitGroup
	ended := make(chan struct{})
	copied.Go(func() { // the container's stdin ends with the client, and with what that reads
		defer held.Close()
		select {
		case <-hungUp:
		case <-endOf(stdio[0]):
		case <-ended:
		}
	})
	code := statusOf(box.main.Wait())
	close(ended)
	copied.Wait()
	d.remove(name)
	return code
}

// endOf tells when a stream has ended that nobody writes to.
func endOf(f *os.File) <-chan struct{} {
	end := make(chan struct{})
	go func() { // until it has, or the file is closed
		defer close(end)
		b := make([]byte, 64)
		for {
			if _, err := f.Read(b); err != nil {
				return
			}
		}
	}()
	return end
}

func (d *DockerEngine) exec(o options, env []string, stdio [3]*os.File, fail func(int, string, ...any) int) int {
	name, argv := o.rest[0], o.rest[1:]
	d.mu.Lock()
	box := d.boxes[name]
	d.mu.Unlock()
	if box == nil {
		return fail(1, "Error response from daemon: No such container: %s", name)
	}
	// Here "all in the container" would be all on this machine.
	if len(argv) == 3 && argv[1] == "-c" {
		if sent, ok := strings.CutPrefix(argv[2], "kill -"); ok {
			sent, _, _ = strings.Cut(sent, " ")
			for _, pid := range pidsIn(name) {
				_ = syscall.Kill(pid, map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}[sent])
			}
			return 0
		}
		if strings.HasPrefix(argv[2], "cat /proc/") {
			for _, pid := range pidsIn(name) {
				if b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid)); err == nil {
					_, _ = stdio[1].Write(b)
				}
			}
			return 0
		}
	}
	dir := o.one("--workdir")
	if dir != "" && !slices.ContainsFunc(box.mounts, func(m string) bool { return dir == m || strings.HasPrefix(dir, m+"/") }) {
		return fail(126, "OCI runtime exec failed: chdir to cwd (%q) failed: no such file or directory", dir)
	}
	var given []string
	for _, v := range o.named["--env"] {
		if strings.Contains(v, "=") {
			given = append(given, v)
			continue
		}
		for _, kv := range slices.Backward(env) {
			if strings.HasPrefix(kv, v+"=") {
				given = append(given, kv)
				break
			}
		}
	}
	cmd := box.command(name, argv, dir, given)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdio[0], stdio[1], stdio[2]
	if err := cmd.Start(); err != nil {
		return fail(127, "OCI runtime exec failed: exec: %q: executable file not found in $PATH", argv[0])
	}
	return statusOf(cmd.Wait())
}

// command is a process in the container: with its variables, found in its PATH.
func (b *dockerBox) command(name string, argv []string, dir string, env []string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	cmd.Env = append(append(slices.Clone(b.env), env...), boxName+"="+name)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	path := strings.TrimPrefix(b.env[0], "PATH=")
	if !strings.Contains(argv[0], "/") {
		cmd.Err = exec.ErrNotFound
		for _, folder := range strings.Split(path, ":") {
			if info, err := os.Stat(folder + "/" + argv[0]); err == nil && !info.IsDir() {
				cmd.Path, cmd.Err = folder+"/"+argv[0], nil
				break
			}
		}
	}
	return cmd
}

// remove ends a container with all that is in it.
func (d *DockerEngine) remove(name string) bool {
	d.mu.Lock()
	_, ok := d.boxes[name]
	delete(d.boxes, name)
	d.mu.Unlock()
	for quiet := 0; quiet < 3; quiet++ {
		for _, pid := range pidsIn(name) {
			_ = syscall.Kill(pid, syscall.SIGKILL)
			quiet = 0
		}
	}
	return ok
}

// boxName is the variable that says in which container a process is.
const boxName = "PRETENDED_CONTAINER"

// pidsIn are the processes of a container.
func pidsIn(name string) []int {
	var list []int
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		var pid int
		if _, err := fmt.Sscan(e.Name(), &pid); err != nil {
			continue
		}
		env, err := os.ReadFile("/proc/" + e.Name() + "/environ")
		if err == nil && slices.Contains(strings.Split(string(env), "\x00"), boxName+"="+name) {
			list = append(list, pid)
		}
	}
	return list
}

// statusOf is the exit status as an engine tells it.
func statusOf(err error) int {
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case !errors.As(err, &exit):
		return 1
	}
	if status := exit.Sys().(syscall.WaitStatus); status.Signaled() {
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}
