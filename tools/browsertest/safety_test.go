package browsertest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// known is a client that was let in, as a browser is, but sends what it likes.
func (s *site) known() *http.Client {
	s.t.Helper()
	jar, err := cookiejar.New(nil)
	s.must(err)
	c := &http.Client{Jar: jar, Timeout: time.Minute}
	r, err := c.Get(s.opening)
	s.must(err)
	s.must(r.Body.Close())
	return c
}

// ask sends a request, and gives what came back.
func (s *site) ask(c *http.Client, method, path, body string, change func(*http.Request)) (int, string) {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.address("/"), strings.NewReader(body))
	s.must(err)
	// As it is, and not as a client would put it.
	r.URL.Opaque = path
	if change != nil {
		change(r)
	}
	answer, err := c.Do(r)
	s.must(err)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	s.must(err)
	return answer.StatusCode, string(b)
}

// runID is the id of the only run.
func (s *site) runID(c *http.Client) string {
	s.t.Helper()
	_, body := s.ask(c, "GET", "/api/overview", "", nil)
	id := regexp.MustCompile(`loop_[0-9a-f-]+`).FindString(body)
	if id == "" {
		s.t.Fatalf("there is no run in %s", body)
	}
	return id
}

// steerless fails the test when the run is not where its agent left it.
func (s *site) steerless() {
	s.t.Helper()
	if out := s.command("refrain", "status", "--json"); !strings.Contains(out, `"state": "running"`) {
		s.t.Errorf("the run was steered: %s", out)
	}
	journal, err := os.ReadFile(filepath.Join(s.tree, ".git", "refrain", "runs", "run-1", "journal.jsonl"))
	s.must(err)
	if strings.Contains(string(journal), "EVIL") {
		s.t.Errorf("the run has heard somebody else:\n%s", journal)
	}
}

// evil is a page of somebody else's. It tries whatever a page can to read, and to steer
// a run, and notes what came of it.
const evil = `<!doctype html><title>evil</title><body><script>
const at = %q, run = %q;
window.got = {};
const stop = JSON.stringify({ command: "note", text: "EVIL" });
const commands = at + "/api/runs/" + run + "/commands";
const note = (name, what) => { got[name] = what; };
const tries = {
  read: async () => (await fetch(at + "/api/overview", { credentials: "include" })).text(),
  "read a page": async () => (await fetch(at + "/", { credentials: "include" })).text(),
  "read blindly": async () => (await (await fetch(at + "/api/overview", { credentials: "include", mode: "no-cors" })).text()) || Promise.reject("nothing"),
  steer: async () => (await fetch(commands, { method: "POST", credentials: "include", body: stop, headers: { "X-Refrain": "1", "Content-Type": "application/json" } })).text(),
  "steer without the header": async () => (await fetch(commands, { method: "POST", credentials: "include", body: stop })).text(),
  "steer blindly": async () => (await (await fetch(commands, { method: "POST", credentials: "include", mode: "no-cors", body: stop })).text()) || Promise.reject("nothing"),
  "a signal": async () => { navigator.sendBeacon(commands, stop); throw "nobody says"; },
  "a script": () => new Promise((yes, no) => { const e = document.createElement("script"); e.onload = () => yes("loaded"); e.onerror = no; e.src = at + "/api/overview"; document.body.append(e); }),
  "a style": () => new Promise((yes, no) => { const e = document.createElement("link"); e.rel = "stylesheet"; e.onload = () => yes("loaded"); e.onerror = no; e.href = at + "/static/page.css"; document.body.append(e); }),
  "a picture": () => new Promise((yes, no) => { const e = new Image(); e.onload = () => yes("loaded"); e.onerror = no; e.src = at + "/static/icon.svg"; }),
  "the stream": () => new Promise((yes, no) => { const e = new EventSource(at + "/api/stream", { withCredentials: true }); e.onopen = () => yes("open"); e.addEventListener("snapshot", (m) => yes(m.data)); e.onerror = () => e.readyState === 2 ? no("closed") : 0; }),
  "the stream of the run": () => new Promise((yes, no) => { const e = new EventSource(at + "/api/runs/" + run + "/stream", { withCredentials: true }); e.onopen = () => yes("open"); e.onerror = () => e.readyState === 2 ? no("closed") : 0; }),
  "a socket": () => new Promise((yes, no) => { const e = new WebSocket(at.replace("http", "ws") + "/api/stream"); e.onopen = () => yes("open"); e.onerror = no; }),
  "a form": () => new Promise((yes, no) => {
    const f = document.createElement("iframe"); f.name = "hole"; f.onload = () => { try { if (f.contentDocument?.URL === "about:blank") return; } catch {} no("loaded, and closed to us"); };
    const form = document.createElement("form"); form.method = "post"; form.enctype = "text/plain"; form.action = commands; form.target = "hole";
    form.innerHTML = "<input name='{\"command\": \"note\", \"x\": \"' value='\", \"text\": \"EVIL\"}'>"; document.body.append(f, form); form.submit();
  }),
  "a login by form": () => new Promise((yes, no) => {
    const f = document.createElement("iframe"); f.name = "door"; f.onload = () => { try { if (f.contentDocument?.URL === "about:blank") return; } catch {} no("loaded, and closed to us"); };
    const form = document.createElement("form"); form.method = "post"; form.action = at + "/login"; form.target = "door"; form.innerHTML = "<input name=token value=guess>"; document.body.append(f, form); form.submit();
  }),
  // Many frames with wrong tokens: nobody is to be locked out by that.
  frames: () => new Promise((yes, no) => { let n = 0; for (let i = 0; i < 15; i++) { const f = document.createElement("iframe"); f.onload = () => { if (++n === 15) no("loaded, and closed to us"); }; f.src = at + "/?token=guess" + i; document.body.append(f); } }),
  "a frame": () => new Promise((yes, no) => { const f = document.createElement("iframe"); f.onload = () => { try { yes(f.contentDocument.body.innerText); } catch (e) { no(e); } }; f.src = at + "/runs/" + run; document.body.append(f); }),
};
for (const [name, f] of Object.entries(tries)) f().then((what) => note(name, "GOT " + String(what).slice(0, 200)), (e) => note(name, "refused: " + e));
</script>`

// Another page, be it on another port of this machine, where the browser sends our
// cookie along, or of another site, reads nothing and steers nothing.
func TestWebOtherPagesAreRefused(t *testing.T) {
	t.Parallel()
	s := turning(t, "-n", "3")
	p := s.open(browser(t))
	p.theRun()
	p.hears("Turn 1 has begun.")
	id := s.runID(s.known())
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, evil, s.address(""), id)
	}))
	defer other.Close()
	_, port, err := net.SplitHostPort(other.Listener.Addr().String())
	s.must(err)
	for _, host := range []string{"127.0.0.1:" + port, "evil.test:" + port} {
		p.goTo("http://" + host + "/")
		p.until("all was tried by "+host, `Object.keys(got).length === Object.keys(tries).length`)
		for name, what := range eval[map[string]string](t, p.ctx, `got`) {
			if !strings.HasPrefix(what, "refused") {
				t.Errorf("%s: %s: %s", host, name, what)
			}
		}
		if n := eval[int](t, p.ctx, `Object.keys(tries).length`); n < 15 {
			t.Errorf("only %d things were tried", n)
		}
		// A form that takes the whole window along shows why not.
		eval[any](t, p.ctx, `(() => { const form = document.createElement("form"); form.method = "post"; form.action = commands; document.body.append(form); form.submit(); })()`)
		p.until("why not", `location.href.startsWith(`+strconv.Quote(s.address("/"))+`) && document.body.innerText.includes("the request comes from another page")`)
	}
	s.steerless()

	// And who belongs here still gets in, by the token too.
	p.goTo(s.opening)
	p.until("the overview", `location.pathname === "/" && document.querySelector(".row h3 a")`)
}

// A name of somebody else's that leads to this machine leads to nothing.
func TestWebRebindingIsRefused(t *testing.T) {
	t.Parallel()
	s := turning(t, "-n", "3")
	p := s.open(browser(t))
	p.theRun()
	p.hears("Turn 1 has begun.")
	id := s.runID(s.known())
	rebound := fmt.Sprintf("http://evil.test:%d", s.port)
	_, token, _ := strings.Cut(s.opening, "?")
	for _, path := range []string{"/", "/?" + token, "/login", "/static/page.css", "/runs/" + id} {
		p.goTo(rebound + path)
		p.until("it is refused at "+path, `document.body.innerText.includes("is no name of this server")`)
	}
	for name, js := range map[string]string{
		"read":  `fetch("/api/overview")`,
		"steer": fmt.Sprintf(`fetch("/api/runs/%s/commands", {method: "POST", headers: {"X-Refrain": "1", "Content-Type": "application/json"}, body: JSON.stringify({command: "note", text: "EVIL"})})`, id),
	} {
		eval[any](t, p.ctx, `window.status = ""; `+js+`.then(r => { window.status = String(r.status); }, e => { window.status = String(e); }); 0`)
		p.until(name+" is answered", `window.status !== ""`)
		if got := eval[string](t, p.ctx, `window.status`); got != "403" {
			t.Errorf("%s: %s", name, got)
		}
	}
	s.steerless()
}

// What names a file or a run names nothing else, in whatever disguise.
func TestWebNamesLeadNowhereElse(t *testing.T) {
	t.Parallel()
	s := turning(t, "-n", "3")
	s.let("-1")
	s.await("the second turn", func() bool { return s.ctl("prompt-2") != "" })
	c := s.known()
	id := s.runID(c)
	secret := filepath.Join(s.root, "secret")
	s.must(os.WriteFile(secret, []byte("THE SECRET root:x:0"), 0o600))
	s.must(os.Symlink(secret, filepath.Join(s.tree, "link.txt")))
	var names []string
	for _, name := range []string{secret, "../../secret", "../../../../../../../../../../../.." + secret, "link.txt", "/etc/passwd", "....//....//etc/passwd", `..\..\secret`, ":(top,glob)**", "secret\x00.txt", "file://" + secret, "run.json", "../run.json"} {
		once := strings.ReplaceAll(url.PathEscape(name), "..", "%2e%2e")
		names = append(names, once, strings.ReplaceAll(once, "%", "%25"))
	}
	at := "/api/runs/" + id
	for _, name := range names {
		for path, want := range map[string]int{
			"/api/runs/" + name: 404, "/runs/" + name: 404, "/api/runs/" + name + "/iterations/1/prompt": 404, "/static/" + name: 404,
			at + "/iterations/" + name: 400, at + "/iterations/" + name + "/prompt": 400, at + "/iterations/1/prompt?attempt=" + name: 400,
			at + "/iterations/1/output?stream=" + name: 400, at + "/diff?iteration=" + name: 400, at + "/diff?from=" + name: 400, "/api/start?tree=" + name: 404,
			at + "/diff?path=" + name: 200, at + "/diff?path=a.txt&old_path=" + name: 200, at + "/events?type=" + name: 200, at + "/" + name: 404,
		} {
			status, body := s.ask(c, "GET", path, "", nil)
			if strings.Contains(body, "THE SECRET") || strings.Contains(body, "root:x:0") || status != want && !(want == 200 && status >= 400) {
				t.Errorf("GET %s: %d %.300s, want %d", path, status, body, want)
			}
		}
	}
	header := func(r *http.Request) { r.Header.Set("X-Refrain", "1") }
	for path, bodies := range map[string][]string{
		at + "/rollback": {`{"checkpoint": "../../secret"}`, `{"checkpoint": "--help"}`, `{"checkpoint": "HEAD"}`, `{"iteration": 99}`, `{"iteration": "../1"}`},
		"/api/start":     {`{"tree": "` + s.root + `", "prompt": "x"}`, `{"tree": "` + s.tree + `/../shop", "prompt": "x"}`, `{"tree": "/", "prompt": "x"}`, `{"procedure": "../../secret", "check": true}`, `{"procedure": "--dir=/", "check": true}`, `{"plan": "../secret", "prompt": "x", "check": true}`},
	} {
		for _, body := range bodies {
			if status, got := s.ask(c, "POST", path, body, header); status < 400 || status >= 500 || strings.Contains(got, "THE SECRET") {
				t.Errorf("POST %s %s: %d %.300s", path, body, status, got)
			}
		}
	}
	if status, got := s.ask(c, "POST", at+"/commands", `{"text": "`+strings.Repeat("x", 2<<20)+`"}`, header); status != http.StatusRequestEntityTooLarge {
		t.Errorf("a huge body: %d %.200s", status, got)
	}
	if status, got := s.ask(c, "POST", at+"/commands", "command=note&text=EVIL", func(r *http.Request) {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}); status != http.StatusForbidden {
		t.Errorf("a form without the header: %d %.200s", status, got)
	}
	s.steerless()
}

// An agent that has the cookie steers nothing, not even when it is gone before anybody
// can look who it was.
func TestWebAgentSteersNothing(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("/proc/net/tcp"); err != nil {
		t.Skip("here nobody can tell who is at the other end")
	}
	s := newSite(t)
	s.must(os.Mkdir(filepath.Join(s.root, "ctl"), 0o700))
	s.write("rebel.sh", `#!/bin/bash
until test -s ../ctl/order; do sleep 0.05; done
for i in $(seq 40); do
	exec 3<>/dev/tcp/127.0.0.1/$(cat ../ctl/port)
	cat ../ctl/order >&3
	test $((i % 2)) = 0 || head -c 12 <&3 >> ../ctl/heard
	exec 3>&-
done
# Now nothing in the records says that it is one, nor does its environment.
for f in ../home/.local/state/refrain/projects/*/lock-*; do echo '{}' > $f; done
setsid env -i PATH="$PATH" bash -c 'until test -e ../ctl/alone; do sleep 0.05; done
	exec 3<>/dev/tcp/127.0.0.1/$(cat ../ctl/port)
	cat ../ctl/order >&3
	head -c 12 <&3 > ../ctl/heard-last
	touch ../ctl/tried' < /dev/null > /dev/null 2>&1 &
disown
exec env -i PATH="$PATH" sh -c 'touch ../ctl/alone; exec sleep 1000'
`)
	s.command("git", "add", ".")
	s.command("git", "commit", "-qm", "rebel")
	s.detach("-p", "Behave", "-n", "1", "--", "bash", "rebel.sh")
	s.serve()
	c := s.known()
	id := s.runID(c)
	at, err := url.Parse(s.address("/"))
	s.must(err)
	cookie := c.Jar.Cookies(at)[0]
	locks, err := filepath.Glob(filepath.Join(s.root, "home/.local/state/refrain/projects/*/lock-*"))
	if err != nil || len(locks) != 1 {
		t.Fatalf("the locks are %q, %v", locks, err)
	}
	lock := locks[0]
	held, err := os.ReadFile(lock)
	s.must(err)
	body := `{"command": "note", "text": "EVIL"}`
	s.must(os.WriteFile(filepath.Join(s.root, "ctl", "port"), []byte(strconv.Itoa(s.port)), 0o600))
	s.must(os.WriteFile(filepath.Join(s.root, "ctl", "order"), fmt.Appendf(nil, "POST /api/runs/%s/commands HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nX-Refrain: 1\r\nContent-Type: application/json\r\nCookie: %s=%s\r\nContent-Length: %d\r\n\r\n%s", id, s.port, cookie.Name, cookie.Value, len(body), body), 0o600))
	s.await("it has tried", func() bool { _, err := os.Stat(filepath.Join(s.root, "ctl", "tried")); return err == nil })
	if heard := s.ctl("heard"); strings.ReplaceAll(heard, "HTTP/1.1 403", "") != "" || heard == "" {
		t.Errorf("it has heard %q", heard)
	}
	if heard := s.ctl("heard-last"); heard != "HTTP/1.1 403" {
		t.Errorf("when nobody knew it any more it has heard %q", heard)
	}
	s.must(os.WriteFile(lock, held, 0o600))
	s.steerless()
	// The same from outside is taken.
	if status, got := s.ask(c, "POST", "/api/runs/"+id+"/commands", strings.ReplaceAll(body, "EVIL", "KIND"), func(r *http.Request) { r.Header.Set("X-Refrain", "1") }); status != http.StatusOK {
		t.Errorf("from outside: %d %s", status, got)
	}
}

// Readers that do not read cost the server little, and the others nothing.
func TestWebSlowReaders(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.write("flood.sh", "#!/bin/sh\ni=0\nwhile test $i -lt 60; do i=$((i+1)); seq -f 'line %g of a flood that goes on and on and on and on and on and on and on and on' 2000; done\necho over\nsleep 1000\n")
	s.command("git", "add", ".")
	s.command("git", "commit", "-qm", "flood")
	s.serve()
	before := s.memory()
	s.detach("-p", "Flood", "-n", "1", "--", "sh", "flood.sh")
	c := s.known()
	id := s.runID(c)
	at, err := url.Parse(s.address("/"))
	s.must(err)
	cookie := c.Jar.Cookies(at)[0]
	for range 40 {
		slow, err := net.Dial("tcp", at.Host)
		s.must(err)
		defer slow.Close()
		s.must(slow.(*net.TCPConn).SetReadBuffer(4096))
		_, err = fmt.Fprintf(slow, "GET /api/runs/%s/stream?after=0&events=1 HTTP/1.1\r\nHost: %s\r\nCookie: %s=%s\r\n\r\n", id, at.Host, cookie.Name, cookie.Value)
		s.must(err)
		line, err := bufio.NewReaderSize(slow, 16).ReadString('\n')
		if err != nil || !strings.Contains(line, "200") {
			t.Fatalf("a stream: %q %v", line, err)
		}
	}
	s.await("the flood is over", func() bool {
		_, story := s.ask(c, "GET", "/api/runs/"+id+"/story?limit=5", "", nil)
		return strings.Contains(story, "over")
	})
	// Each has a frame in the making; were everything kept for them, it would be gigabytes.
	if grown := s.memory() - before; grown > 600<<20 {
		t.Errorf("forty slow readers cost %d MB", grown>>20)
	}
}

// memory is the most that the server has held so far.
func (s *site) memory() int64 {
	s.t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.server.Process.Pid))
	if err != nil {
		s.t.Skip("here nobody can tell")
	}
	kb, err := strconv.ParseInt(strings.Fields(between(string(b), "VmHWM:", "\n"))[0], 10, 64)
	s.must(err)
	return kb << 10
}

// The plan of a run is in its work tree. What is put in its place, or in that of its
// folder, may lead elsewhere, and is not shown.
func TestWebPlanLeadsNowhereElse(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.must(os.Mkdir(filepath.Join(s.tree, "docs"), 0o700))
	s.write("docs/PLAN.md", "- [ ] an open task\n")
	s.command("git", "add", ".")
	s.command("git", "commit", "-qm", "plan")
	s.start("refrain", "run", "-o", "quiet", "-p", "Go", "--plan", "docs/PLAN.md", "-n", "1", "--", "true").Run()
	s.serve()
	c := s.known()
	tasks := "/api/runs/" + s.runID(c) + "/tasks"
	if _, body := s.ask(c, "GET", tasks, "", nil); !strings.Contains(body, "an open task") {
		t.Fatalf("the plan is %s", body)
	}
	private := filepath.Join(s.root, "private")
	s.must(os.Mkdir(private, 0o700))
	s.must(os.WriteFile(filepath.Join(private, "PLAN.md"), []byte("- [ ] THE SECRET\n"), 0o600))
	for name, to := range map[string]string{"docs/PLAN.md": filepath.Join(private, "PLAN.md"), "docs": private} {
		path := filepath.Join(s.tree, name)
		s.must(os.Rename(path, path+".aside"))
		s.must(os.Symlink(to, path))
		if status, body := s.ask(c, "GET", tasks, "", nil); strings.Contains(body, "THE SECRET") {
			t.Errorf("%s leads to %s: %d %s", name, to, status, body)
		}
		s.must(os.Remove(path))
		s.must(os.Rename(path+".aside", path))
	}
}

// At an address that others reach, a token of one's own opens the page, by the names of
// this machine alone.
func TestWebReachedByOthers(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	own := ""
	list, err := net.InterfaceAddrs()
	s.must(err)
	for _, a := range list {
		if n, ok := a.(*net.IPNet); ok && !n.IP.IsLoopback() && n.IP.To4() != nil {
			own = n.IP.String()
		}
	}
	if own == "" {
		t.Skip("this machine has no address but loopback")
	}
	out, err := s.start("refrain", "serve", "--listen", own+":0").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "can be reached by others") || !strings.Contains(string(out), "hint: give a token of your own with --token-file, and put TLS in front") {
		t.Errorf("without a token: %v %s", err, out)
	}
	const token = "a token of one's own"
	file := filepath.Join(s.root, "token")
	s.must(os.WriteFile(file, []byte(token+"\n"), 0o600))
	s.serve("--listen", "0.0.0.0:0", "--token-file", file)
	if strings.Contains(s.opening, "token") {
		t.Errorf("the token is printed: %s", s.opening)
	}
	jar, err := cookiejar.New(nil)
	s.must(err)
	c := &http.Client{Jar: jar, Timeout: time.Minute}
	at := "http://" + own + regexp.MustCompile(`:\d+`).FindString(s.opening)
	get := func(host string) int {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, at+"/api/overview", nil)
		s.must(err)
		r.Host = host
		answer, err := c.Do(r)
		s.must(err)
		s.must(answer.Body.Close())
		return answer.StatusCode
	}
	host := strings.TrimPrefix(at, "http://")
	if got := get(host); got != http.StatusUnauthorized {
		t.Errorf("without the token: %d", got)
	}
	for _, tt := range []struct {
		token string
		want  int
	}{{"another token of sorts", http.StatusUnauthorized}, {token, http.StatusOK}} {
		r, err := c.PostForm(at+"/login", url.Values{"token": {tt.token}})
		s.must(err)
		s.must(r.Body.Close())
		if r.StatusCode != tt.want {
			t.Errorf("the login with %q: %d, want %d", tt.token, r.StatusCode, tt.want)
		}
	}
	for name, want := range map[string]int{host: 200, "evil.test" + strings.TrimPrefix(host, own): 403, "192.0.2.7" + strings.TrimPrefix(host, own): 403, own: 403} {
		if got := get(name); got != want {
			t.Errorf("by the name %s: %d, want %d", name, got, want)
		}
	}
}
