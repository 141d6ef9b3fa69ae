package proc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/refrain-loop/refrain/internal/fence"
)

// matrix is what each fence refuses. With two words the first is for an ordinary
// user, and the second for root. A new fence is a new column, and a line in
// policies. It is wrong when a fence lets more through, and when it lets less.
const matrix = `
deed                                      plain         landlock      listed        namespaces    alone
work in the tree                          open          open          open          open          open
git commit                                open          open          open          open          open
git commit in a linked work tree          open          open          open          open          open
write in TMPDIR                           open          open          open          open          open
write in a cache                          open          open          open          open          open
write a file of the home                  open          refused       refused       refused       refused
make a file in the home                   open          refused       refused       refused       refused
make a folder in the home                 open          refused       refused       refused       refused
remove a file of the home                 open          refused       refused       refused       refused
truncate a file of the home               open          refused       refused       refused       refused
chmod a file of the home                  open          open          open          refused       refused
touch a file of the home                  open          open          open          refused       refused
move a file out of the home               open          refused       refused       refused       refused
move a file into the home                 open          refused       refused       refused       refused
hard link into the home                   open          refused       refused       refused       refused
write by a link into the home             open          refused       refused       refused       refused
write .git/config                         open          open          open          refused       refused
write .git/hooks                          open          open          open          refused       refused
write .git/refrain                        open          open          open          refused       refused
write .git/config of a linked work tree   open          refused       refused       refused       refused
write .git/hooks of a linked work tree    open          refused       refused       refused       refused
write .git/refrain of a linked work tree  open          refused       refused       refused       refused
read a secret                             open          refused       refused       refused       refused
read a secret by a link                   open          refused       refused       refused       refused
read a secret by a hard link              open          refused       refused       refused       refused
read a secret by a moved folder           open          refused       refused       refused       refused
read a secret by /proc/self/root          open          refused       refused       refused       refused
list a secret folder                      open          open          open          open          open
read what is shown of it                  open          open          open          open          open
read the rest of the home                 open          open          open          open          open
environment of the runner                 open          refused       refused       refused       refused
environment of the keeper                 open          refused       refused       refused       refused
limits of the runner                      open          refused       refused       refused       refused
memory of the runner                      open          refused       refused       refused       refused
files of the runner                       open          refused       refused       refused       refused
trace the runner                          open          refused       refused       refused       refused
trace the keeper                          open          refused       refused       refused       refused
trace a thread of the keeper              open          refused       refused       refused       refused
trace a child                             open          open          open          open          open
signal the runner                         open          refused       refused       refused       refused
signal the keeper                         open          refused       refused       refused       refused
signal a child                            open          open          open          open          open
socket outside                            open          refused       refused       refused       refused
socket outside, allowed                   open          open          open          open          open
socket outside, in the tree               open          refused       refused       open          open
socket outside, moved to the tree         open          refused       refused       open          open
socket outside by a relative path         open          refused       refused       refused       refused
socket outside by a link                  open          refused       refused       refused       refused
socket outside by /proc/self              open          refused       refused       refused       refused
socket of its own                         open          open          open          open          open
socket of its own by a relative path      open          open          open          open          open
socket of its own by /proc/self           open          open          open          open          open
abstract socket outside                   open          refused       refused       refused       refused
abstract socket of its own                open          open          open          open          open
datagram outside                          open          refused       refused       refused       refused
datagram outside, as raw                  open          refused       refused       refused       refused
datagram outside by a pair                open          refused       refused       refused       refused
socket pair                               open          open          open          open          open
socket of packets                         open          open          open          open          open
TCP to loopback                           open          open          refused       open          refused
TCP to loopback by 6                      open          open          refused       open          refused
TCP to the proxy                          open          open          open          open          open
TCP of its own                            open          open          refused       open          open
listen on a port                          open          open          open          open          open
TCP without a connect                     open          open          refused       open          refused
UDP                                       open          open          refused       open          open
MPTCP                                     open          open          refused       open          open
raw socket                                refused/open  refused/open  refused       refused       refused
packet socket                             refused/open  refused/open  refused       refused       refused
vsock                                     open          open          refused       open          refused
ask for routes                            open          open          open          open          open
netlink of other kinds                    open          open          refused       open          open
user namespace                            open          open          open          open          open
mount in a user namespace                 open          refused       refused       open          open
gain privileges                           open          refused       refused       refused       refused
power over the kernel                     refused/open  refused       refused       refused       refused
make a device                             refused/open  refused       refused       refused       refused
write a setting of the kernel             refused/open  refused       refused       refused       refused
read memory of the kernel                 refused/open  refused       refused       refused       refused
shared memory                             open          open          open          open          open
pty                                       open          open          open          open          open
/dev/null                                 open          open          open          open          open
/dev/urandom                              open          open          open          open          open
other devices                             refused/open  refused       refused       refused       refused
io_uring                                  open          refused       refused       refused       refused
keys of the kernel                        open          refused       refused       refused       refused
files by handle                           refused/open  refused       refused       refused       refused
bpf                                       refused/open  refused       refused       refused       refused
userfaultfd                               open          refused       refused       refused       refused
`

// policies are the fences of the columns.
var policies = map[string]func(w world) *fence.Policy{
	"plain":    func(world) *fence.Policy { return nil },
	"landlock": func(w world) *fence.Policy { p := w.policy(); p.Kind = fence.Landlock; return p },
	"listed": func(w world) *fence.Policy {
		p := w.policy()
		p.Kind, p.Proxy, p.ProxyPort = fence.Landlock, w.Proxy, w.Port
		return p
	},
	"namespaces": func(w world) *fence.Policy { return w.spaces() },
	"alone": func(w world) *fence.Policy {
		p := w.spaces()
		p.Proxy, p.ProxyPort = w.Proxy, w.Port
		return p
	},
}

// spaces is policy for namespaces. They can do more, and of the world, which is in the
// folder for temporary files, nothing is seen that is not named.
func (w world) spaces() *fence.Policy {
	p := w.policy()
	p.Kind, p.Upper = fence.Namespaces, filepath.Join(w.Base, "upper")
	p.Show = append(p.Show, filepath.Dir(w.Base))
	p.Keep = []string{w.tree(".git/config"), w.tree(".git/hooks"), w.tree(".git/refrain")}
	return p
}

// policy is that of the world, for any fence.
func (w world) policy() *fence.Policy {
	p := &fence.Policy{
		Write:   []string{w.Tree, w.Linked},
		Hide:    []string{w.home(".ssh"), w.home("vault"), w.home("not-there")},
		Show:    []string{w.home(".ssh/known_hosts")},
		Private: []string{w.Cache},
		Temp:    w.Temp,
		Sockets: []string{w.Allowed},
	}
	for _, name := range []string{"objects", "refs", "logs", "worktrees/linked"} {
		p.Write = append(p.Write, filepath.Join(w.Repo, ".git", name))
	}
	return p
}

// row is a line of the matrix.
type row struct {
	deed string
	want []string // by column
}

// readMatrix gives the names of the columns, and the rows.
func readMatrix(t *testing.T) (columns []string, rows []row) {
	t.Helper()
	for i, line := range strings.Split(strings.TrimSpace(matrix), "\n") {
		name, rest, ok := strings.Cut(line, "  ")
		words := strings.Fields(rest)
		if i == 0 {
			columns = words
			continue
		}
		if !ok || len(words) != len(columns) {
			t.Fatalf("%d words in %q, want %d", len(words), line, len(columns))
		}
		rows = append(rows, row{name, words})
	}
	return columns, rows
}

func TestEveryDeedIsInTheMatrix(t *testing.T) {
	_, rows := readMatrix(t)
	named := map[string]bool{}
	for _, r := range rows {
		if deeds[r.deed] == nil {
			t.Errorf("there is no deed %q", r.deed)
		}
		if named[r.deed] {
			t.Errorf("%q is there twice", r.deed)
		}
		named[r.deed] = true
	}
	for name := range deeds {
		if !named[name] {
			t.Errorf("the deed %q has no row", name)
		}
	}
}

func TestWhatEachFenceRefuses(t *testing.T) {
	needLandlock(t)
	facts := fence.Look()
	if facts.Landlock < 6 {
		t.Skipf("Landlock is of version %d, and the rows are of 6 and later", facts.Landlock)
	}
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	users := map[string]uint32{"root": 0, "an ordinary user": 65534}
	if me := os.Geteuid(); me != 0 {
		users = map[string]uint32{"an ordinary user": uint32(me)}
	}
	for name, uid := range users {
		t.Run(name, func(t *testing.T) {
			columns, rows := readMatrix(t)
			got := tryAll(t, uid, columns)
			for _, r := range rows {
				compare(t, r, columns, got[r.deed], uid == 0)
			}
		})
	}
}

// mayLack are the deeds that some machines have nothing for. Any other that fails without
// a fence is broken itself, and shows nothing.
var mayLack = []string{"read memory of the kernel"}

// compare holds what was seen against a row.
func compare(t *testing.T, r row, columns []string, got map[string]result, root bool) {
	t.Helper()
	for i, column := range columns {
		want, forRoot, differs := strings.Cut(r.want[i], "/")
		if differs && root {
			want = forRoot
		}
		one, tried := got[column]
		switch {
		case !tried && (column == "namespaces" || column == "alone"):
			t.Logf("%s: %s: there are no namespaces here", column, r.deed)
		case !tried:
			t.Errorf("%s: %s: not tried", column, r.deed)
		case one.word() == want:
		case column == "plain" && want == "open" && slices.Contains(mayLack, r.deed):
			t.Logf("%s: not to be done on this machine: %s", r.deed, one.Said)
			return
		default:
			t.Errorf("%s: %s: %s, want %s: %s", column, r.deed, one.word(), want, one.Said)
		}
	}
}

// result is how a deed ended.
type result struct {
	Open bool
	Said string
}

func (r result) word() string {
	if r.Open {
		return "open"
	}
	return "refused"
}

// tryAll tries all deeds in all columns, as some user, and gives the results by deed
// and column.
func tryAll(t *testing.T, uid uint32, columns []string) map[string]map[string]result {
	t.Helper()
	base := t.TempDir()
	self := filepath.Join(base, "refrain-test")
	copyFile(t, os.Args[0], self)
	for dir := base; dir != os.TempDir() && dir != "/"; dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o755); err != nil {
			break // one of the system's
		}
	}
	work := filepath.Join(base, "w")
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(work, int(uid), -1); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, append([]string{helperWord, "matrix", work}, columns...)...)
	cmd.Dir = work
	cmd.Env = append(os.Environ(), "OUTSIDE_SECRET=1", "HOME="+filepath.Join(work, "home"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	if int(uid) != os.Geteuid() {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: 65534}}
	}
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v: %s%s", err, out, said.String())
	}
	var got map[string]map[string]result
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return got
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, b, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func init() { helpers["matrix"] = tryMatrix }

// tryMatrix is the runner: it makes the world in a folder, tries every deed within
// every fence that is named, and prints how they ended.
func tryMatrix(args []string) int {
	w, err := newWorld(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, "make the world:", err)
		return 1
	}
	text, err := json.Marshal(w)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	got := map[string]map[string]result{}
	for _, column := range args[1:] {
		policy := policies[column](w)
		if policy.Raised() && policy.Kind == fence.Namespaces && canPart() != nil {
			continue
		}
		k := NewKeeper(NewMark("loop_matrix_"+column, w.Tree), nil).Within(policy)
		for deed := range deeds {
			if got[deed] == nil {
				got[deed] = map[string]result{}
			}
			got[deed][column] = try(k, w, deed, string(text))
		}
		k.Close()
	}
	if err := json.NewEncoder(os.Stdout).Encode(got); err != nil {
		return 1
	}
	return 0
}

func try(k *Keeper, w world, deed, text string) result {
	argv, err := HelperCommand("deed", deed, text)
	if err != nil {
		return result{Said: err.Error()}
	}
	var said bytes.Buffer
	exit, err := k.Run(context.Background(), Spec{
		Argv: argv, Dir: w.Tree, Env: append(os.Environ(), "TMPDIR="+w.Temp),
		Stdout: Sink{Line: func(line []byte, _ bool) { said.Write(line) }},
	})
	switch {
	case err != nil:
		return result{Said: "not started: " + err.Error()}
	case exit.Zero():
		return result{Open: true}
	}
	return result{Said: fmt.Sprintf("%s (%v)", said.String(), exit)}
}

// newWorld makes what the deeds are done to. Who listens does so until this process
// ends.
func newWorld(base string) (w world, err error) {
	w = world{
		Base: base, Home: base + "/home", Tree: base + "/tree", Repo: base + "/repo", Linked: base + "/linked",
		Temp: base + "/tmp", Cache: base + "/home/.cache", Socket: base + "/home/agent.sock", Allowed: base + "/home/allowed.sock",
		InTree: base + "/tree/outside.sock", Datagram: base + "/home/log.sock", Abstract: "refrain-test-" + pidText(),
		Proxy: base + "/proxy.sock", Runner: os.Getpid(),
	}
	for _, dir := range []string{w.home(".ssh"), w.home("vault"), w.home(".config/git"), w.home("spare"), w.Tree, w.Temp, w.Cache} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return w, err
		}
	}
	for _, name := range []string{"open", ".ssh/id", ".ssh/known_hosts", "vault/id", ".config/git/config"} {
		if err := os.WriteFile(w.home(name), []byte("\n"), 0o644); err != nil {
			return w, err
		}
	}
	for i := range 20 {
		if err := os.WriteFile(w.home("spare/"+strconv.Itoa(i)), nil, 0o600); err != nil {
			return w, err
		}
	}
	if err := os.Symlink(w.Home, w.tree("to-home")); err != nil {
		return w, err
	}
	if err := newRepositories(w); err != nil {
		return w, err
	}
	return w, w.populate()
}

func newRepositories(w world) error {
	for _, args := range [][]string{
		{"init", "-q", w.Tree},
		{"init", "-q", w.Repo},
		{"-C", w.Repo, "commit", "-q", "--allow-empty", "-m", "x"},
		{"-C", w.Repo, "worktree", "add", "-q", w.Linked},
	} {
		if out, err := exec.Command("git", args...).CombinedOutput(); err != nil {
			return fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	for _, dir := range []string{w.Tree, w.Repo} {
		for _, name := range []string{"refrain", "hooks"} {
			if err := os.MkdirAll(filepath.Join(dir, ".git", name), 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(filepath.Join(dir, ".git/refrain/journal"), nil, 0o600); err != nil {
			return err
		}
	}
	return os.WriteFile(w.tree(".git/info/exclude"), []byte("*.sock\nto-home\n"), 0o600)
}

// populate has somebody listen outside.
func (w *world) populate() error {
	for _, path := range []string{w.Socket, w.Allowed, w.InTree, "@" + w.Abstract} {
		l, err := net.Listen("unix", path)
		if err != nil {
			return err
		}
		go answer(l, "")
	}
	proxy, err := net.Listen("unix", w.Proxy)
	if err != nil {
		return err
	}
	go answer(proxy, "hello")
	letters, err := net.ListenPacket("unixgram", w.Datagram)
	if err != nil {
		return err
	}
	go takeIn(letters)
	udp, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go takeIn(udp)
	w.UDP = udp.LocalAddr().String()
	tcp, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	w.TCP = tcp.Addr().String()
	go answer(tcp, "")
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	w.Port = free.Addr().(*net.TCPAddr).Port
	go answer(free, "hello") // for a fence that shares our loopback
	return nil
}

// takeIn takes what comes.
func takeIn(conn net.PacketConn) {
	for {
		if _, _, err := conn.ReadFrom(make([]byte, 10)); err != nil {
			return
		}
	}
}

// answer greets everybody who connects, or listens to what they say.
func answer(l net.Listener, greeting string) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			if _, _ = io.WriteString(conn, greeting); greeting == "" {
				_, _ = io.Copy(io.Discard, conn)
			}
			_ = conn.Close()
		}()
	}
}
