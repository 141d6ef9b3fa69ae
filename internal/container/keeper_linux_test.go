package container

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/story"
)

// scene is a keeper with a pretended engine.
type scene struct {
	t       *testing.T
	engine  *story.DockerEngine
	keeper  *Keeper
	mark    proc.Mark
	tree    string
	warned  []loop.Warning
	outputs sync.Mutex
}

func newScene(t *testing.T) *scene {
	t.Helper()
	s := &scene{t: t, tree: t.TempDir(), engine: &story.DockerEngine{Images: map[string]string{"work:1": "/usr/local/bin:/usr/bin:/bin", "bare:1": "/nowhere"}}}
	bin := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(self, filepath.Join(bin, "docker")); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(bin, "s")
	l, err := s.engine.Listen(socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("PRETENDED_DOCKER", socket)
	t.Setenv("PRETENDED_CONTAINER", "")
	s.mark = proc.NewMark("loop_"+rand.Text(), s.tree) // others play with pretended containers at the same time
	clients := proc.NewKeeper(s.mark, nil)
	s.keeper = NewKeeper(Engine{Program: Docker}, s.box(), s.mark, clients)
	t.Cleanup(func() {
		s.keeper.Close()
		clients.Close()
		if left := s.engine.Names(); len(left) > 0 {
			t.Errorf("containers are left: %v", left)
		}
		_ = l.Close()
	})
	return s
}

func (s *scene) box() Box {
	return Box{Image: "work:1", Role: "agent", Dir: s.tree, Home: "/home/u", UID: os.Getuid(), GID: os.Getgid(), Mounts: []Mount{{From: s.tree, To: s.tree}}}
}

// sh runs a script in a container.
func (s *scene) sh(ctx context.Context, script string, change func(*proc.Spec)) (string, loop.Exit, error) {
	var out strings.Builder
	spec := proc.Spec{
		Argv: []string{"sh", "-c", script}, Dir: s.tree, Env: []string{"INSIDE=yes"},
		Stdout: proc.Sink{Line: func(line []byte, _ bool) { fmt.Fprintf(&out, "%s\n", line) }},
		Warn: func(w loop.Warning) {
			s.outputs.Lock()
			defer s.outputs.Unlock()
			s.warned = append(s.warned, w)
		},
	}
	if change != nil {
		change(&spec)
	}
	exit, err := s.keeper.Run(ctx, spec)
	return out.String(), exit, err
}

// made counts the containers that were made.
func (s *scene) made() (n int) {
	for _, args := range s.engine.Asked() {
		if args[0] == "run" {
			n++
		}
	}
	return n
}

func TestAProcessRunsInAContainer(t *testing.T) {
	s := newScene(t)
	t.Setenv("HOST_SECRET", "hunter2")
	out, exit, err := s.sh(t.Context(), `cat; echo "$INSIDE $HOME $HOST_SECRET"; pwd; test -n "$REFRAIN_RUN_ID"; exit 3`, func(p *proc.Spec) { p.Stdin = strings.NewReader("said\n") })
	if err != nil || exit.Code == nil || *exit.Code != 3 || exit.Cause != loop.Exited {
		t.Errorf("Run = %+v, %v; want code 3", exit, err)
	}
	if want := "said\nyes /home/u \n" + s.tree + "\n"; out != want {
		t.Errorf("it printed %q, want %q", out, want)
	}
	for _, args := range s.engine.Asked() {
		if slices.ContainsFunc(args, func(a string) bool { return strings.Contains(a, "INSIDE=") }) {
			t.Errorf("a value is on the command line: %q", args)
		}
	}
	if _, _, err := s.sh(t.Context(), "true", nil); err != nil || s.made() != 1 {
		t.Errorf("%v; %d containers were made for two processes, want 1", err, s.made())
	}
}

// Nothing that a process started outlives it, whether it goes when asked or not.
func TestNothingIsLeftInside(t *testing.T) {
	for _, tt := range []struct {
		name, script string
		made         int // containers, with the next process
	}{
		{"it leaves when asked", `setsid sh -c 'trap "echo gone >left; exit" TERM; echo >up; while :; do sleep 0.01; done' >/dev/null 2>&1 & until test -e up; do sleep 0.01; done`, 1},
		{"it does not leave", `setsid sh -c 'trap "" TERM; echo >up; while :; do sleep 0.01; done' >/dev/null 2>&1 & until test -e up; do sleep 0.01; done`, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newScene(t)
			_, exit, err := s.sh(t.Context(), tt.script, nil)
			if err != nil || !exit.Zero() {
				t.Fatalf("Run = %+v, %v", exit, err)
			}
			if left := s.inContainers(); len(left) > len(s.engine.Names()) {
				t.Errorf("%d processes for %d containers: %v", len(left), len(s.engine.Names()), left)
			}
			if _, err := os.Stat(filepath.Join(s.tree, "left")); tt.made == 1 && err != nil {
				t.Errorf("it was not given the time to leave: %v", err)
			}
			if _, _, err := s.sh(t.Context(), "true", nil); err != nil || s.made() != tt.made {
				t.Errorf("%v; %d containers, want %d", err, s.made(), tt.made)
			}
			if len(s.warned) > 0 {
				t.Errorf("warned of %v", s.warned)
			}
		})
	}
}

// inContainers lists the processes of this test that are in a container.
func (s *scene) inContainers() []string {
	t := s.t
	t.Helper()
	var list []string
	found, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		t.Fatal(err)
	}
	socket := os.Getenv("PRETENDED_DOCKER")
	for _, path := range found {
		b, err := os.ReadFile(path)
		if err == nil && strings.Contains(string(b), "PRETENDED_CONTAINER=refrain-"+plain(s.mark.Run)+"-") && !strings.Contains(string(b), socket) {
			line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
			list = append(list, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return list
}

// A signal reaches the process inside, and one that ignores it ends with its
// container.
func TestAProcessInsideIsEnded(t *testing.T) {
	s := newScene(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	_, exit, err := s.sh(ctx, `trap "echo bye >said; exit 5" INT; echo up; while :; do sleep 0.01; done`, func(p *proc.Spec) {
		p.First = "INT"
		p.Stdout.Line = func([]byte, bool) { cancel(proc.End(loop.OnMaxTime)) }
	})
	if err != nil || exit.Cause != loop.OnMaxTime || exit.Code == nil || *exit.Code != 5 {
		t.Errorf("Run = %+v, %v; want code 5 at the end of its time", exit, err)
	}
	if _, err := os.Stat(filepath.Join(s.tree, "said")); err != nil {
		t.Error(err)
	}
	ctx, cancel = context.WithCancelCause(t.Context())
	_, exit, err = s.sh(ctx, `trap "" INT TERM; echo up; while :; do sleep 0.01; done`, func(p *proc.Spec) {
		p.Stdout.Line = func([]byte, bool) { cancel(proc.End(loop.OnMaxTime)) }
	})
	if err != nil || exit.Cause != loop.OnMaxTime {
		t.Errorf("Run = %+v, %v; want an end at the end of its time", exit, err)
	}
	if left := s.inContainers(); len(left) > len(s.engine.Names()) {
		t.Errorf("left: %v", left)
	}
}

// Who works at the same time has a container of its own.
func TestTwoAtOnceHaveTheirOwn(t *testing.T) {
	s := newScene(t)
	both := `echo >"$ME"; until test -e a && test -e b; do sleep 0.01; done`
	var wg sync.WaitGroup
	for _, me := range []string{"a", "b"} {
		wg.Go(func() {
			exit, err := s.keeper.Run(t.Context(), proc.Spec{Argv: []string{"sh", "-c", both}, Dir: s.tree, Env: []string{"ME=" + me}})
			if err != nil || !exit.Zero() {
				t.Errorf("Run = %+v, %v", exit, err)
			}
		})
	}
	wg.Wait()
	if s.made() != 2 {
		t.Errorf("%d containers, want 2", s.made())
	}
}

// A container that somebody removes takes its process along, which is not to blame;
// the next one gets another.
func TestALostContainer(t *testing.T) {
	s := newScene(t)
	_, _, err := s.sh(t.Context(), `echo up; while :; do sleep 0.01; done`, func(p *proc.Spec) {
		p.Stdout.Line = func([]byte, bool) {
			if out, err := exec.Command("docker", "rm", "--force", s.engine.Names()[0]).CombinedOutput(); err != nil {
				t.Errorf("rm: %v: %s", err, out)
			}
		}
	})
	var lost *proc.KeeperError
	if !errors.As(err, &lost) {
		t.Errorf("Run = %v, want a *proc.KeeperError", err)
	}
	if _, exit, err := s.sh(t.Context(), "exit 0", nil); err != nil || !exit.Zero() {
		t.Errorf("the next one: %+v, %v", exit, err)
	}
	for _, name := range s.engine.Names() {
		if out, err := exec.Command("docker", "rm", "--force", name).CombinedOutput(); err != nil {
			t.Errorf("rm: %v: %s", err, out)
		}
	}
	<-s.keeper.free[0].gone
	if _, exit, err := s.sh(t.Context(), "exit 0", nil); err != nil || !exit.Zero() {
		t.Errorf("after one that was free was removed: %+v, %v", exit, err)
	}
}

// Before a silent process counts as idle, the container is asked whether it works.
func TestASilentProcessIsLookedAt(t *testing.T) {
	s := newScene(t)
	_, exit, err := s.sh(t.Context(), `exec sleep 1000`, func(p *proc.Spec) { p.Idle = 300 * time.Millisecond })
	if err != nil || exit.Cause != loop.WhenIdle {
		t.Errorf("Run = %+v, %v; want an end when idle", exit, err)
	}
	if !slices.ContainsFunc(s.engine.Asked(), func(args []string) bool { return strings.Contains(args[len(args)-1], "/stat") }) {
		t.Errorf("nobody looked: %q", s.engine.Asked())
	}
}

func TestProgramsOfTheHostAreFoundByName(t *testing.T) {
	s := newScene(t)
	exit, err := s.keeper.Run(t.Context(), proc.Spec{Argv: []string{"/opt/host/only/true"}, Dir: s.tree})
	if err != nil || !exit.Zero() {
		t.Errorf("Run = %+v, %v", exit, err)
	}
}

func TestNoContainer(t *testing.T) {
	s := newScene(t)
	for name, change := range map[string]func(*Box){
		"Error response from daemon: No such image: none:1": func(b *Box) { b.Image = "none:1" },
		"bind source path does not exist":                   func(b *Box) { b.Mounts = append(b.Mounts, Mount{From: "/no/such", To: "/x"}) },
	} {
		box := s.box()
		change(&box)
		clients := proc.NewKeeper(s.mark, nil)
		keeper := NewKeeper(Engine{Program: Docker}, box, s.mark, clients)
		_, err := keeper.Run(t.Context(), proc.Spec{Argv: []string{"true"}, Dir: s.tree})
		var unfenced *proc.FenceError
		if !errors.As(err, &unfenced) || !strings.Contains(err.Error(), name) {
			t.Errorf("Run = %v, want a *proc.FenceError with %q", err, name)
		}
		keeper.Close()
		clients.Close()
	}
}

func TestLook(t *testing.T) {
	s := newScene(t)
	e, err := Look(t.Context(), Docker)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ image, program, want string }{
		{"work:1", "sh", ""},
		{"work:1", "no-such-agent", "image work:1 has no no-such-agent"},
		{"", "sh", "sandbox.image is not set"},
		{"none:1", "sh", "image none:1 is not on this machine: Error response from daemon: No such image: none:1"},
		{"bare:1", "sh", "image bare:1 does not work"},
	} {
		err := e.Has(t.Context(), tt.image, tt.program)
		if (err == nil) != (tt.want == "") || err != nil && !strings.HasPrefix(err.Error(), tt.want) {
			t.Errorf("Has(%q, %q) = %v, want %q", tt.image, tt.program, err, tt.want)
		}
	}
	t.Setenv("PRETENDED_DOCKER", filepath.Join(s.tree, "nobody"))
	if _, err := Look(t.Context(), Docker); err == nil || err.Error() != "docker does not answer: Cannot connect to the Docker daemon. Is the docker daemon running?" {
		t.Errorf("without an engine: %v", err)
	}
	t.Setenv("PATH", "/nowhere")
	if _, err := Look(t.Context(), Docker); err == nil || err.Error() != "docker cannot be found" {
		t.Errorf("without a client: %v", err)
	}
	t.Setenv("PATH", filepath.Dir(os.Getenv("PRETENDED_DOCKER"))) // so that what is left can be removed
}

// Only what dead runners left in this very tree is removed.
func TestCleanUp(t *testing.T) {
	s := newScene(t)
	parts := strings.Split(s.mark.Runner, ".")
	parts[2] = "1" // nobody who lives began then
	dead := strings.Join(parts, ".")
	far := append(slices.Clone(parts[:4]), "0123456789abcdef")
	for name, runner := range map[string]string{"dead": dead, "far": strings.Join(far, "."), "odd": "x"} {
		for _, run := range []string{"loop_1", "loop_2"} {
			cmd := exec.Command("docker", Engine{Program: Docker}.run(name+run, s.box(), []string{runLabel + "=" + run, runnerLabel + "=" + runner})[1:]...)
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := out.Read(make([]byte, 64)); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _, _ = stdin.Close(), cmd.Wait() })
		}
	}
	left := []string{"farloop_1", "farloop_2", "oddloop_1", "oddloop_2"}
	if got, err := Left(t.Context(), Docker, s.tree); err != nil || len(got) != 2 || len(s.engine.Names()) != 6 {
		t.Errorf("Left = %v, %v, of %v; want two, and all still there", got, err, s.engine.Names())
	}
	if removed, err := CleanUp(t.Context(), Docker, s.tree); err != nil || len(removed) != 2 || !slices.Equal(s.engine.Names(), left) {
		t.Errorf("CleanUp = %v, %v, leaves %v; want %v", removed, err, s.engine.Names(), left)
	}
	if removed, err := CleanUp(t.Context(), "no-such-engine", s.tree); err != nil || removed != nil {
		t.Errorf("CleanUp without an engine = %v, %v", removed, err)
	}
}
