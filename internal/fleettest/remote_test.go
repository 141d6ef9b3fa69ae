//go:build unix

package fleettest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cgi"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

// host is what the remote is called by everybody. There is no such machine: each has a
// door of its own that says it is it.
const host = "http://git.example"

// remote is the git server of a fleet: bare repositories that remember each value that
// their refs ever had, and who moved them there.
type remote struct {
	testing.TB
	dir  string
	cgi  string // git's own server, for one request
	home string
}

func newRemote(t testing.TB, dir string) *remote {
	t.Helper()
	core, err := exec.Command("git", "--exec-path").Output()
	if err != nil {
		t.Fatal(err)
	}
	r := &remote{TB: t, dir: dir, cgi: filepath.Join(strings.TrimSpace(string(core)), "git-http-backend"), home: filepath.Join(dir, "home")}
	if _, err := os.Stat(r.cgi); err != nil {
		t.Skipf("git has no server here: %v", err)
	}
	if err := os.MkdirAll(r.home, 0o700); err != nil {
		t.Fatal(err)
	}
	return r
}

// create makes a repository with one commit on main, and gives its URL.
func (r *remote) create(name string) string {
	r.Helper()
	r.git(".", "init", "-q", "--bare", "-b", "main", name+".git")
	for _, s := range []string{"http.receivepack=true", "core.logAllRefUpdates=always", "gc.auto=0"} {
		key, value, _ := strings.Cut(s, "=")
		r.git(name+".git", "config", key, value)
	}
	tree := strings.TrimSpace(r.git(name+".git", "mktree"))
	commit := strings.TrimSpace(r.git(name+".git", "commit-tree", "-m", "begin", tree))
	r.git(name+".git", "update-ref", "refs/heads/main", commit)
	return host + "/" + name + ".git"
}

// git runs git in a folder of the remote.
func (r *remote) git(dir string, args ...string) string {
	r.Helper()
	out, err := r.try(dir, args...)
	if err != nil {
		r.Fatalf("git %q: %v", args, err)
	}
	return string(out)
}

func (r *remote) try(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = filepath.Join(r.dir, dir), r.environ("remote")
	return cmd.Output()
}

// environ has who moves a ref noted in its log.
func (r *remote) environ(who string) []string {
	return []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + r.home, "LC_ALL=C", "TZ=UTC", "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=" + who, "GIT_AUTHOR_EMAIL=" + who, "GIT_COMMITTER_NAME=" + who, "GIT_COMMITTER_EMAIL=" + who,
	}
}

// door opens a door to the remote for one machine, and gives its address: an HTTP proxy
// that knows one host.
func (r *remote) door(who string) string {
	r.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.Fatal(err)
	}
	env := append(r.environ(who), "GIT_PROJECT_ROOT="+r.dir, "GIT_HTTP_EXPORT_ALL=1")
	git := &cgi.Handler{Path: r.cgi, Dir: r.dir, Env: env, Stderr: io.Discard}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		b, err := io.ReadAll(req.Body)
		if err != nil {
			return // it was cut in the middle: git hears nothing of it
		}
		req.Body, req.ContentLength, req.TransferEncoding = io.NopCloser(bytes.NewReader(b)), int64(len(b)), nil
		git.ServeHTTP(w, req)
	})}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(l) // until it is closed
	}()
	r.Cleanup(func() {
		server.Close()
		<-done
	})
	return l.Addr().String()
}

// moved is one move of a ref.
type moved struct{ from, to, who string }

// moves gives every move of a ref, the first one first.
func (r *remote) moves(repo, ref string) []moved {
	r.Helper()
	f, err := os.Open(filepath.Join(r.dir, repo+".git", "logs", filepath.FromSlash(ref)))
	if err != nil {
		r.Fatal(err)
	}
	defer f.Close()
	var list []moved
	for lines := bufio.NewScanner(f); lines.Scan(); {
		words := strings.Fields(lines.Text())
		list = append(list, moved{words[0], words[1], words[2]})
	}
	return list
}

// value is what one value of a run's ref says.
type value struct {
	moved
	card   carry.Card
	pieces string // the names of the objects that its journal is in, one after the other; none yet: empty
}

// values is every value that a run's ref had, the first one first.
func (r *remote) values(repo, ref string) []value {
	r.Helper()
	var list []value
	var ask strings.Builder
	for _, m := range r.moves(repo, ref) {
		list = append(list, value{moved: m})
		fmt.Fprintf(&ask, "%[1]s:card.json\n%[1]s:journal\n", m.to)
	}
	cmd := exec.Command("git", "cat-file", "--batch")
	cmd.Dir, cmd.Env, cmd.Stdin = filepath.Join(r.dir, repo+".git"), r.environ("remote"), strings.NewReader(ask.String())
	out, err := cmd.Output()
	if err != nil {
		r.Fatal(err)
	}
	answers := bytes.NewBuffer(out)
	next := func() []byte {
		line, _ := answers.ReadString('\n')
		words := strings.Fields(line)
		if len(words) == 2 && words[1] == "missing" {
			return nil
		}
		if len(words) != 3 {
			r.Fatalf("%s in %s: git says %q", ref, repo, line)
		}
		b := answers.Next(number(r, words[2]))
		answers.Next(1)
		return b
	}
	for i := range list {
		if err := json.Unmarshal(next(), &list[i].card); err != nil {
			r.Fatalf("the card of %s: %v", list[i].to, err)
		}
		list[i].pieces = string(next())
	}
	return list
}

// journal is the events of a run as the remote has them.
func (r *remote) journal(repo, ref string) []loop.Event {
	r.Helper()
	var list []loop.Event
	for name := range strings.Lines(r.git(repo+".git", "ls-tree", "-r", "--name-only", ref, "journal/")) {
		for line := range strings.Lines(r.git(repo+".git", "cat-file", "blob", ref+":"+strings.TrimSpace(name))) {
			e, err := journal.Decode([]byte(line))
			if err != nil {
				r.Fatalf("%s in %s: %v: %s", ref, repo, err, line)
			}
			list = append(list, e)
		}
	}
	return list
}

// A machine pushes by its own door, is known by that, and what it pushes stays known
// when the ref has moved on.
func TestTheRemoteKnowsWhoPushed(t *testing.T) {
	r := newRemote(t, t.TempDir())
	url := r.create("app")
	for _, who := range []string{"w1", "w2"} {
		wire := newWire(t, r.door(who))
		git := func(args ...string) (string, error) {
			cmd := exec.Command("git", append([]string{"-c", "http.proxy=http://" + wire.address()}, args...)...)
			cmd.Dir, cmd.Env = r.dir, append(r.environ(who), "GIT_TERMINAL_PROMPT=0")
			out, err := cmd.CombinedOutput()
			return string(out), err
		}
		for _, args := range [][]string{
			{"clone", "-q", url, who},
			{"-C", who, "commit", "-q", "--allow-empty", "-m", who},
			{"-C", who, "push", "-q", "--force", "origin", "HEAD:refs/refrain/runs/x"},
		} {
			if out, err := git(args...); err != nil {
				t.Fatalf("git %q: %v\n%s", args, err, out)
			}
		}
		wire.set(closed)
		if out, err := git("ls-remote", url); err == nil {
			t.Errorf("%s gets through a wire that is cut: %s", who, out)
		}
	}
	got := r.moves("app", "refs/refrain/runs/x")
	if len(got) != 2 || got[0].who != "w1" || got[1].who != "w2" || got[0].to != got[1].from {
		t.Errorf("the ref moved %+v, want once by w1 and then by w2", got)
	}
}
