package browsertest

import (
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// counter says numbers, one line each, for as long as it lives.
const counter = `#!/bin/sh
i=0
while :; do i=$((i + 1)); echo "number $i."; sleep 0.05; done
`

// counting is a site with such an agent.
func counting(t *testing.T) *site {
	s := newSite(t)
	s.write("counter.sh", counter)
	s.command("git", "add", ".")
	s.command("git", "commit", "-qm", "counter")
	return s
}

// count starts it.
func (s *site) count() {
	s.t.Helper()
	s.detach("-p", "Count", "-n", "1", "--", "sh", "counter.sh")
}

// counted waits until the agent has come to a number, whoever looks on.
func (s *site) counted(to int) {
	s.t.Helper()
	s.await(fmt.Sprint("it has counted to ", to), func() bool {
		b, _ := os.ReadFile(filepath.Join(s.tree, ".git", "refrain", "runs", "run-1", "iterations", "0001", "stdout"))
		return strings.Contains(string(b), fmt.Sprintf("number %d.\n", to))
	})
}

// latest is the last number that the page shows.
const latest = `Number(/number (\d+)\.(?![\s\S]*number)/.exec(document.querySelector(".talk")?.textContent ?? "")?.[1] ?? 0)`

// gapless fails the test when a number is missing, or is there twice.
func (p *tab) gapless() {
	p.t.Helper()
	if gap := eval[string](p.t, p.ctx, `(() => { const all = [...document.querySelector(".talk").textContent.matchAll(/number (\d+)\./g)].map(m => Number(m[1])); for (let i = 1; i < all.length; i++) if (all[i] !== all[i-1] + 1) return all[i-1] + " and then " + all[i]; return ""; })()`); gap != "" {
		p.t.Errorf("the transcript has a gap, or says something twice: %s", gap)
	}
}

// wire is what lies between a browser and the server, and can be cut.
type wire struct {
	net.Listener
	to string

	mu   sync.Mutex
	open map[net.Conn]bool
	next []int64 // what the next connections let through before they break
}

// newWire lays one to an address. Nobody waits for it at the end of the test.
func newWire(t *testing.T) *wire {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{Listener: l, open: map[net.Conn]bool{}}
	t.Cleanup(func() {
		_ = l.Close()
		w.cut()
	})
	go w.carry()
	return w
}

func (w *wire) carry() {
	for {
		near, err := w.Accept()
		if err != nil {
			return
		}
		w.mu.Lock()
		to, most := w.to, int64(math.MaxInt64)
		if len(w.next) > 0 {
			most, w.next = w.next[0], w.next[1:]
		}
		w.open[near] = true
		w.mu.Unlock()
		go func() {
			defer func() {
				_ = near.Close()
				w.mu.Lock()
				delete(w.open, near)
				w.mu.Unlock()
			}()
			far, err := net.Dial("tcp", to)
			if err != nil {
				return
			}
			defer far.Close()
			go func() {
				_, _ = io.Copy(far, near)
				_ = far.Close()
			}()
			_, _ = io.CopyN(near, far, most)
		}()
	}
}

// cut breaks every connection. Those that come next break by themselves after so many
// bytes: in the middle of what is being said.
func (w *wire) cut(next ...int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.next = next
	for c := range w.open {
		_ = c.Close()
	}
}

// However often the connection breaks, and wherever in a message, the page shows every
// entry once.
func TestWebOutlivesABrokenConnection(t *testing.T) {
	t.Parallel()
	s := counting(t)
	w := newWire(t)
	at := w.Addr().String()
	s.serve("--host", at)
	w.to = fmt.Sprintf("127.0.0.1:%d", s.port)
	direct := s.opening
	s.opening = strings.Replace(direct, w.to, at, 1)
	p := s.open(browser(t))
	s.count()
	p.theRun()
	p.until("some numbers", latest+` > 10`)
	for _, next := range [][]int64{nil, {0, 300}, {3000, 5100}, {9000, 7001, 6003}, {20_001}, nil} {
		seen := eval[int](t, p.ctx, latest)
		w.cut(next...)
		p.until("it says that the connection is lost", `document.querySelector("#link").dataset.is === "off"`)
		p.until("it has caught up", fmt.Sprintf(`%s > %d`, latest, seen+10))
	}
	p.until("it is connected again", `document.querySelector("#link").dataset.is === "on"`)
	p.gapless()
	p.quiet("Failed to load resource", "net::ERR")
}

// watched is told of every stream that the page opens.
const watched = `window.sources = []; { const Real = EventSource; window.EventSource = class extends Real { constructor(...a) { super(...a); sources.push(this); } }; }`

// A tab that nobody looks at gives its connection back, and has missed nothing when
// somebody looks again.
func TestWebTabThatWasHiddenCatchesUp(t *testing.T) {
	t.Parallel()
	s := counting(t)
	s.serve()
	p := s.open(browser(t))
	if _, err := chromedp.Call(p.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: watched}); err != nil {
		t.Fatal(err)
	}
	p.goTo(s.address("/"))
	s.count()
	p.theRun()
	p.until("some numbers", latest+` > 10`)
	look := func(hidden bool) {
		eval[any](t, p.ctx, fmt.Sprintf(`Object.defineProperty(document, "hidden", { configurable: true, value: %v }); document.dispatchEvent(new Event("visibilitychange"))`, hidden))
	}
	look(true)
	p.until("the connection is given back", `sources.length > 0 && sources.every(s => s.readyState === EventSource.CLOSED)`)
	seen := eval[int](t, p.ctx, latest)
	other := p.beside()
	other.theRun()
	other.until("the run goes on meanwhile", fmt.Sprintf(`%s > %d`, latest, seen+60))
	if now := eval[int](t, p.ctx, latest); now != seen {
		t.Errorf("the hidden page went from %d to %d", seen, now)
	}
	look(false)
	p.until("it has caught up", fmt.Sprintf(`%s > %d`, latest, seen+60))
	p.gapless()
	other.gapless()
	p.calm()
	other.calm()
}

// The login lets in who has the token, and nobody else; and the token stays nowhere.
func TestWebLogin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.serve()
	_, token, _ := strings.Cut(s.opening, "token=")
	opening := s.opening
	s.opening = s.address("/")
	p := s.open(browser(t))
	p.until("the login", `location.pathname === "/login" && document.activeElement.id === "token"`)
	sign := func(what string) {
		t.Helper()
		p.do(chromedp.SendKeys("#token", what), chromedp.Click("button[type=submit]"))
	}
	sign("wrong")
	p.until("why not", `document.querySelector("[role=alert]")?.innerText.includes("not the token")`)
	if !eval[bool](t, p.ctx, `document.querySelector("#token").getAttribute("aria-describedby") === "wrong" && document.querySelector("#token").value === "" && document.cookie === ""`) {
		t.Error("a wrong token leaves the field as it was, or a cookie that scripts can read")
	}
	p.goTo(s.address("/?token=wrong"))
	p.until("a wrong token in the address", `location.pathname === "/login" && document.querySelector("[role=alert]")`)
	sign(token)
	p.until("the overview", `location.pathname === "/" && document.querySelector(".empty h2")`)
	if eval[string](t, p.ctx, `document.cookie`) != "" {
		t.Error("a script can read the cookie")
	}

	// Who was let in stays in, and by the address nobody sees the token either.
	p.goTo(opening)
	p.until("the overview", `document.querySelector(".empty h2")`)
	if at := eval[string](t, p.ctx, `location.href + " " + document.referrer + " " + JSON.stringify(performance.getEntriesByType("navigation").map(e => e.name))`); strings.Contains(at, token) {
		t.Errorf("the token is still at %s", at)
	}
	p.quiet("401")
	p.calm()
}

// The address leads in from wherever it is clicked, such as a terminal or a chat in a
// page of another site: browsers send no cookie along with what such a page begins.
func TestWebAddressIsALink(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.serve()
	opening := s.opening
	chat := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>chat</title><link rel=icon href=data:,><a id=it href=%q>the page</a>`, opening)
	}))
	defer chat.Close()
	_, token, _ := strings.Cut(s.opening, "token=")
	s.opening = strings.Replace(chat.URL, "127.0.0.1", "evil.test", 1)
	p := s.open(browser(t))
	p.do(chromedp.Click("#it"))
	p.until("the overview", `location.pathname === "/" && document.querySelector(".empty h2")`)
	if at := eval[string](t, p.ctx, `location.href + document.referrer`); strings.Contains(at, token) || strings.Contains(at, "evil") {
		t.Errorf("the page is at %s", at)
	}
}
