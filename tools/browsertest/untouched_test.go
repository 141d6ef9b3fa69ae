package browsertest

import (
	"crypto/sha256"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// digest is every file below some folders: what it is, what it holds, and when it was
// written.
func digest(t *testing.T, dirs ...string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			is := fmt.Sprint(info.Mode(), " ", info.ModTime().UnixNano())
			switch {
			case info.Mode()&fs.ModeSymlink != 0:
				to, err := os.Readlink(path)
				if err != nil {
					return err
				}
				is += " " + to
			case info.Mode().IsRegular():
				b, err := os.ReadFile(path)
				if err != nil {
					return err
				}
				is += fmt.Sprintf(" %d %x", len(b), sha256.Sum256(b))
			}
			all[path] = is
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// Whoever looks at runs changes nothing: not in their records, not in the work tree, not
// in its repository. Only the key of the cookies is made, beside the records.
func TestWebLooksAndWritesNothing(t *testing.T) {
	t.Parallel()
	s := busy(t)
	s.write("PLAN.md", "- [x] one\n- [ ] two\n")
	s.command("git", "add", ".")
	s.command("git", "commit", "-qm", "plan")
	s.start("refrain", "run", "-o", "quiet", "-p", "Count to six", "--plan", "PLAN.md", "--until", "DONE", "-n", "2", "--gate", "test -f done.txt", "--", "sh", "worker.sh").Run()
	home := filepath.Join(s.root, "home")
	before := digest(t, s.tree, home)

	s.serve()
	c := s.known()
	id := s.runID(c)
	at := "/api/runs/" + id
	for _, path := range []string{
		"/", "/login", "/runs/" + id, "/static/page.css", "/manifest.webmanifest", "/favicon.ico", "/api/overview", "/api/overview?finished=1", "/api/start", "/api/start?tree=" + s.tree,
		at, at + "/iterations", at + "/timeline", at + "/story", at + "/diff", at + "/diff?iteration=1", at + "/diff?from=0&to=2", at + "/diff?path=a.txt", at + "/diff?all=1",
		at + "/gates", at + "/claims", at + "/checkpoints", at + "/warnings", at + "/tasks", at + "/events", at + "/events?q=line",
		at + "/iterations/1", at + "/iterations/1/transcript", at + "/iterations/1/prompt", at + "/iterations/1/output?stream=stdout", at + "/iterations/1/output?stream=stderr", at + "/iterations/1/gates",
	} {
		if status, body := s.ask(c, "GET", path, "", nil); status >= 500 || strings.Contains(path, "diff") && status != 200 {
			t.Errorf("GET %s: %d %.300s", path, status, body)
		}
	}
	p := s.open(browser(t))
	p.theRun()
	for _, part := range []string{"Iterations", "Charts", "Changes", "Gates", "Claims", "Checkpoints", "Prompt", "Events", "Transcript"} {
		p.press(part)
	}
	p.hears("Working on 2: step 6.")
	p.calm()
	same(t, before, digest(t, s.tree, home))

	// What is sent only to ask locks the work tree for a moment, and git looks up in its
	// index what has changed: nothing else is touched, and nothing in them is another.
	for path, body := range map[string]string{at + "/rollback": `{"iteration": 0}`, "/api/start": `{"prompt": "x", "command": ["true"], "check": true}`, at + "/commands": `{"command": "pause"}`} {
		s.ask(c, "POST", path, body, func(r *http.Request) { r.Header.Set("X-Refrain", "1") })
	}
	s.kill(syscall.SIGTERM)
	after := digest(t, s.tree, home)
	for path, was := range before {
		if is := after[path]; strings.HasPrefix(filepath.Base(path), "lock-") || strings.HasSuffix(path, "/objects/index") {
			if content(is) != content(was) {
				t.Errorf("%s was changed from %s to %s", path, was, is)
			}
			after[path] = was
		}
	}
	same(t, before, after)
}

// content is a line of a digest without the time.
func content(is string) string {
	words := strings.Fields(is)
	if len(words) < 2 {
		return is
	}
	return words[0] + strings.Join(words[2:], " ")
}

// same fails the test when a file was changed, made or removed.
func same(t *testing.T, before, after map[string]string) {
	t.Helper()
	for path, was := range before {
		// What is made in a folder is told below.
		if is := after[path]; is != was && !(strings.HasPrefix(was, "d") && is != "") {
			t.Errorf("%s was changed from %q to %q", path, was, is)
		}
	}
	for path, is := range after {
		if before[path] == "" && filepath.Base(path) != "serve.key" {
			t.Errorf("%s was made: %s", path, is)
		}
	}
}
