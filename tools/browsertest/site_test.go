package browsertest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// program is the real refrain, built once.
var program = sync.OnceValues(func() (string, error) {
	file := filepath.Join(pages, "refrain")
	build := exec.Command("go", "build", "-o", file, "./cmd/refrain")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build refrain: %w\n%s", err, out)
	}
	return file, nil
})

// goCache is where Go keeps what it has built: a cold one costs a minute.
var goCache = sync.OnceValue(func() string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
})

// site is a machine of its own: a home, a project, and "refrain serve" over it.
type site struct {
	t       testing.TB
	program string
	root    string // of everything
	tree    string // the project, in which the server stands
	port    int
	server  *exec.Cmd
	opening string // the address with the token
}

func newSite(t testing.TB) *site {
	t.Helper()
	file, err := program()
	if err != nil {
		t.Fatal(err)
	}
	// Sockets have short names: not below the folder of the test.
	root, err := os.MkdirTemp("", "refrain-site-")
	if err != nil {
		t.Fatal(err)
	}
	s := &site{t: t, program: file, root: root, tree: filepath.Join(root, "shop")}
	t.Cleanup(func() {
		s.leave()
		_ = exec.Command("chmod", "-R", "u+w", root).Run()
		// A runner that was just stopped may still write its last file.
		err := os.RemoveAll(root)
		for i := 0; err != nil && i < 50; i++ {
			time.Sleep(100 * time.Millisecond)
			err = os.RemoveAll(root)
		}
		if err != nil {
			t.Error(err)
		}
	})
	for _, dir := range []string{"home", "run", "shop"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	s.write("a.txt", "one\ntwo\nthree\n")
	s.command("git", "init", "-q", "-b", "main")
	s.command("git", "add", ".")
	s.command("git", "commit", "-qm", "start")
	return s
}

// leave ends what still runs.
func (s *site) leave() {
	for _, dir := range []string{s.tree, filepath.Join(s.root, "parser")} {
		out, err := s.start("refrain", "-C", dir, "status", "--json").Output()
		var run struct {
			State string `json:"state"`
		}
		if err != nil || json.Unmarshal(out, &run) != nil {
			continue // there is none
		}
		switch run.State {
		case "running", "waiting", "paused", "rebooting":
			if out, err := s.start("refrain", "-C", dir, "stop", "--now").CombinedOutput(); err != nil {
				s.t.Errorf("stop the run in %s: %v\n%s", dir, err, out)
			}
		}
	}
	s.kill(syscall.SIGINT)
}

func (s *site) write(name, text string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(s.tree, name), []byte(text), 0o755); err != nil {
		s.t.Fatal(err)
	}
}

// start makes a command in the project; "refrain" is ours.
func (s *site) start(name string, args ...string) *exec.Cmd {
	if name == "refrain" {
		name = s.program
	}
	cmd := exec.Command(name, args...)
	cmd.Dir = s.tree
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "REFRAIN_") && !strings.HasPrefix(v, "XDG_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	// Agents here leave marks outside of the tree, by which a test knows what they do.
	cmd.Env = append(cmd.Env, "REFRAIN_SANDBOX_MODE=none", "HOME="+filepath.Join(s.root, "home"), "XDG_RUNTIME_DIR="+filepath.Join(s.root, "run"), "TMPDIR="+s.root, "TZ=UTC",
		"GOCACHE="+goCache(), "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com")
	return cmd
}

func (s *site) command(name string, args ...string) string {
	s.t.Helper()
	out, err := s.start(name, args...).CombinedOutput()
	if err != nil {
		s.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// serve starts the server, always at the same port.
func (s *site) serve(args ...string) {
	s.t.Helper()
	if s.port == 0 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			s.t.Fatal(err)
		}
		s.port = l.Addr().(*net.TCPAddr).Port
		if err := l.Close(); err != nil {
			s.t.Fatal(err)
		}
	}
	s.server = s.start("refrain", append([]string{"serve", "--listen", fmt.Sprintf("127.0.0.1:%d", s.port)}, args...)...)
	out, err := s.server.StdoutPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	var errors bytes.Buffer
	s.server.Stderr = &errors
	if err := s.server.Start(); err != nil {
		s.t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if s.opening = regexp.MustCompile(`http://\S+`).FindString(line); s.opening == "" {
		s.t.Fatalf("refrain serve printed no address: %q, %v, %s", line, err, errors.String())
	}
}

// kill ends the server.
func (s *site) kill(how syscall.Signal) {
	if s.server == nil {
		return
	}
	_ = s.server.Process.Signal(how)
	_ = s.server.Wait()
	s.server = nil
}

func (s *site) address(path string) string { return fmt.Sprintf("http://127.0.0.1:%d%s", s.port, path) }

// tab is a page in the browser, and what it complained about and asked for.
type tab struct {
	t    testing.TB
	ctx  context.Context
	site *site

	mu     sync.Mutex
	said   []string
	wanted []string
}

// open shows the page of a site, let in by its token.
func (s *site) open(ctx context.Context) *tab {
	s.t.Helper()
	p := &tab{t: s.t, ctx: ctx, site: s}
	p.do(chromedp.Navigate("about:blank"))
	requests, messages := chromedp.Events(ctx, network.RequestWillBeSent), chromedp.Console(ctx)
	var done sync.WaitGroup
	done.Go(func() {
		for r, err := range requests {
			if err != nil {
				return
			}
			p.mu.Lock()
			p.wanted = append(p.wanted, r.Request.URL)
			p.mu.Unlock()
		}
	})
	done.Go(func() {
		for m, err := range messages {
			if err != nil {
				return
			}
			p.mu.Lock()
			p.said = append(p.said, fmt.Sprint(m.Type, ": ", m.Text))
			p.mu.Unlock()
		}
	})
	p.goTo(s.opening)
	return p
}

// calm fails the test when the page wrote to the console, or asked for anything but
// its own server.
func (p *tab) calm() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range p.said {
		p.t.Errorf("the page wrote to the console: %s", m)
	}
	for _, url := range p.wanted {
		if !strings.HasPrefix(url, p.site.address("/")) && !strings.HasPrefix(url, "about:") && !strings.HasPrefix(url, "data:") {
			p.t.Errorf("the page asked for %s", url)
		}
	}
}

func (p *tab) do(actions ...chromedp.Action[chromedp.Void]) {
	p.t.Helper()
	if err := chromedp.Do(p.ctx, actions...); err != nil {
		p.t.Fatal(err)
	}
}

func (p *tab) goTo(url string) {
	p.t.Helper()
	p.do(chromedp.Navigate(url))
}

// until waits for an expression to be true. What it waits for is said when it never is.
func (p *tab) until(what, js string) {
	p.t.Helper()
	deadline := time.Now().Add(time.Minute)
	for {
		is, err := chromedp.Run(p.ctx, chromedp.Evaluate[bool]("!!("+js+")"))
		if is {
			return
		}
		if time.Now().After(deadline) {
			text, _ := chromedp.Run(p.ctx, chromedp.Evaluate[string](`location.href + "\n" + document.body.innerText.slice(0, 3000)`))
			p.t.Fatalf("%s: never so (%v). The page says:\n%s", what, err, text)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// text gives what an element says.
func (p *tab) text(selector string) string {
	p.t.Helper()
	return eval[string](p.t, p.ctx, fmt.Sprintf(`document.querySelector(%q)?.innerText ?? ""`, selector))
}

// press presses the first button that can be seen and says this.
func (p *tab) press(label string) {
	p.t.Helper()
	find := fmt.Sprintf(`[...(document.querySelector("dialog[open]") ?? document).querySelectorAll("button, a, [role=tab], [role=menuitem], summary")].find(b => (b.innerText.trim() === %[1]q || b.getAttribute("aria-label") === %[1]q || b.firstChild?.textContent === %[1]q) && b.checkVisibility())`, label)
	p.until("a button that says "+label, find)
	eval[any](p.t, p.ctx, find+".click()")
}

// fill writes into the field with a label, as a person would.
func (p *tab) fill(label, text string) {
	p.t.Helper()
	p.until("a field "+label, fmt.Sprintf(`[...document.querySelectorAll("label")].some(l => l.innerText.trim() === %q)`, label))
	eval[any](p.t, p.ctx, fmt.Sprintf(`(() => {
		const f = document.getElementById([...document.querySelectorAll("label")].find(l => l.innerText.trim() === %q).htmlFor);
		if (f.type === "checkbox") f.checked = %q === "true"; else f.value = %q;
		f.dispatchEvent(new Event("input", {bubbles: true}));
		f.dispatchEvent(new Event("change", {bubbles: true}));
	})()`, label, text, text))
}
