package fence

import (
	"encoding/gob"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// stageName tells this program, started again, which part it plays.
const stageName = "FENCE_TEST_STAGE"

func init() {
	switch os.Getenv(stageName) {
	case "outside":
		os.Exit(startApart())
	case "dial":
		os.Exit(dial(os.Args[1], os.Args[2]))
	case "inside":
		os.Exit(enterAndRun())
	}
}

// errand is what is to be done in namespaces.
type errand struct {
	Policy Policy
	Script string
	Dir    string
	Gone   []string // sockets that are gone when they are to be closed
}

// startApart starts the first process of new namespaces.
func startApart() int {
	self, err := os.Executable()
	if err != nil {
		return complain(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), stageName+"=inside")
	cmd.Dir = "/"
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if err := Apart(os.Getenv("FENCE_TEST_WORD"), cmd.SysProcAttr); err != nil {
		return complain(err)
	}
	if err := cmd.Run(); err != nil {
		return complain(err)
	}
	return 0
}

// enterAndRun enters the fence and runs the script there.
func enterAndRun() int {
	var e errand
	if err := gob.NewDecoder(os.Stdin).Decode(&e); err != nil {
		return complain(err)
	}
	if len(e.Gone) > 0 {
		return closeGone(e)
	}
	in, err := Enter(e.Policy)
	if err != nil {
		return complain(err)
	}
	defer in.Close()
	cmd := exec.Command("sh", "-c", e.Script)
	cmd.Dir, cmd.Stdout, cmd.Stderr = e.Dir, os.Stdout, os.Stdout
	cmd.Env = append(os.Environ(), stageName+"=")
	aside(func() {
		if err = in.Shed(); err == nil {
			err = cmd.Start()
		}
	})
	if err != nil {
		return complain(err)
	}
	_ = cmd.Wait() // what it printed tells
	return 0
}

// closeGone makes mounts over sockets that are not there any more.
func closeGone(e errand) int {
	pl, err := newPlan(e.Policy, nil)
	for _, path := range e.Gone {
		pl.places = append(pl.places, place{path: path, role: hidden, theirs: true})
	}
	if err == nil {
		err = layOut(e.Policy, pl)
	}
	if err != nil {
		return complain(err)
	}
	fmt.Println("made")
	return 0
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// world is a folder below the one for temporary files, of a user.
type world struct {
	*testing.T
	uid  int
	root string
}

// inWorlds runs a test as this user and, where it can, as an ordinary one.
func inWorlds(t *testing.T, test func(w world)) {
	t.Helper()
	if why := forbidden(); why != "" {
		t.Skip(why)
	}
	uids := []int{os.Geteuid()}
	if uids[0] == 0 {
		uids = append(uids, 65534)
	}
	for _, uid := range uids {
		t.Run(fmt.Sprintf("uid %d", uid), func(t *testing.T) {
			root, err := os.MkdirTemp("", "fence world, of: ")
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = os.RemoveAll(root) })
			w := world{t, uid, root}
			w.own(root)
			test(w)
		})
	}
}

// forbidden tells why there are no namespaces here.
var forbidden = sync.OnceValue(func() string {
	if why := Look().NoUsers; why != "" {
		return "no namespaces can be made here: " + why
	}
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if err := Apart(string(Namespaces), cmd.SysProcAttr); err != nil {
		return err.Error()
	}
	if err := cmd.Run(); err != nil {
		return "no namespaces can be made here: " + err.Error()
	}
	return ""
})

func (w world) own(path string) {
	w.Helper()
	if err := errors.Join(os.Chmod(path, 0o755), os.Chown(path, w.uid, w.uid)); err != nil {
		w.Fatal(err)
	}
}

// dir makes a folder, with those above it.
func (w world) dir(name string) string {
	w.Helper()
	path := w.root
	for part := range strings.SplitSeq(name, "/") {
		path = filepath.Join(path, part)
		if err := os.Mkdir(path, 0o755); err != nil && !errors.Is(err, os.ErrExist) {
			w.Fatal(err)
		}
		w.own(path)
	}
	return path
}

// file makes a file that holds its name.
func (w world) file(name string) string {
	w.Helper()
	path := filepath.Join(w.root, name)
	w.dir(filepath.Dir(name))
	if err := os.WriteFile(path, []byte(filepath.Base(name)+"\n"), 0o644); err != nil {
		w.Fatal(err)
	}
	w.own(path)
	return path
}

func (w world) link(target, name string) string {
	w.Helper()
	path := filepath.Join(w.root, name)
	if err := os.Symlink(target, path); err != nil {
		w.Fatal(err)
	}
	return path
}

// program is this test's, where everybody can execute it.
func (w world) program() string {
	w.Helper()
	path := filepath.Join(w.root, "fence.test")
	self, err := os.Executable()
	if err != nil {
		w.Fatal(err)
	}
	if err := os.Link(self, path); err == nil || errors.Is(err, os.ErrExist) {
		return path
	}
	b, err := os.ReadFile(self)
	if err == nil {
		err = os.WriteFile(path, b, 0o755)
	}
	if err != nil {
		w.Fatal(err)
	}
	return path
}

// within runs a script within a fence, and gives what it printed, or why there was
// no fence.
func (w world) within(p Policy, dir, script string) string {
	w.Helper()
	return w.run(errand{Policy: p, Dir: dir, Script: script})
}

func (w world) run(e errand) string {
	w.Helper()
	e.Policy.Kind = Namespaces
	cmd := exec.Command(w.program())
	cmd.Env = []string{stageName + "=outside", "FENCE_TEST_WORD=" + e.Policy.Word(), "PATH=" + os.Getenv("PATH"), "LC_ALL=C", "GORACE=" + os.Getenv("GORACE"), "PROGRAM=" + w.program()}
	cmd.Dir = "/"
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	if os.Geteuid() != w.uid {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(w.uid), Gid: uint32(w.uid)}}
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		w.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		w.Fatal(err)
	}
	err = gob.NewEncoder(in).Encode(e)
	_ = in.Close()
	if failed := cmd.Wait(); err != nil || failed != nil {
		return strings.TrimSpace(fmt.Sprintln(out.String(), err, failed))
	}
	return out.String()
}

// dial connects to a socket; for one of messages, it sends one.
func dial(kind, path string) int {
	conn, err := net.Dial(kind, path)
	if err != nil {
		return complain(err)
	}
	if _, err := conn.Write([]byte("x")); err != nil {
		return complain(err)
	}
	return 0
}
