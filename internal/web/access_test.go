package web

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A page is opened with the token in its address, which then is gone from there,
// and known by a cookie that no script can read.
func TestTheTokenIsExchangedForACookie(t *testing.T) {
	s := newScene(t)
	r := s.ask("GET", "/?token="+s.Access.Token, nil)
	if r.Code != http.StatusSeeOther || r.Header().Get("Location") != "/" {
		t.Fatalf("the token leads to %d %q", r.Code, r.Header().Get("Location"))
	}
	cookie := r.Result().Cookies()[0]
	if !cookie.HttpOnly || cookie.SameSite != http.SameSiteStrictMode || strings.Contains(cookie.Value, s.Access.Token) {
		t.Errorf("the cookie is %v", cookie)
	}
	if r := s.ask("GET", "/api/overview", func(r *http.Request) { r.AddCookie(cookie) }); r.Code != http.StatusOK {
		t.Errorf("with the cookie: %d %s", r.Code, r.Body)
	}
	again, err := New(s.Options) // with the same key
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	s.Server = again
	if r := s.ask("GET", "/api/overview", func(r *http.Request) { r.AddCookie(cookie) }); r.Code != http.StatusOK {
		t.Errorf("after a restart: %d %s", r.Code, r.Body)
	}
}

func TestWhoIsNotLetIn(t *testing.T) {
	s := newScene(t)
	for _, tt := range []struct {
		name   string
		method string
		path   string
		change func(*http.Request)
		status int
		says   string
	}{
		{"no cookie", "GET", "/api/overview", nil, 401, "not known"},
		{"no cookie, a page", "GET", "/", nil, 303, ""},
		{"a wrong token", "GET", "/?token=wrong", nil, 303, ""},
		{"a token for the API", "GET", "/api/overview?token=" + s.Access.Token, nil, 401, "not known"},
		{"a made-up cookie", "GET", "/api/overview", func(r *http.Request) {
			r.AddCookie(&http.Cookie{Name: s.Access.cookie(), Value: "99999999999.AAAA"})
		}, 401, "not known"},
		{"an old cookie", "GET", "/api/overview", func(r *http.Request) {
			r.AddCookie(&http.Cookie{Name: s.Access.cookie(), Value: s.Access.sign(1)})
		}, 401, "not known"},
		{"another name for this machine", "GET", "/", func(r *http.Request) { s.known(r); r.Host = "evil.example:4117" }, 403, "no name of this server"},
		{"another port", "GET", "/", func(r *http.Request) { s.known(r); r.Host = "127.0.0.1:80" }, 403, "no name of this server"},
		{"no name", "GET", "/", func(r *http.Request) { s.known(r); r.Host = "" }, 403, "no name of this server"},
		{"the page of another", "GET", "/api/overview", func(r *http.Request) { s.known(r); r.Header.Set("Origin", "https://evil.example") }, 403, "another page"},
		{"the page of nobody", "GET", "/api/overview", func(r *http.Request) { s.known(r); r.Header.Set("Origin", "null") }, 403, "another page"},
		{"a page of another port", "GET", "/api/overview", func(r *http.Request) { s.known(r); r.Header.Set("Sec-Fetch-Site", "same-site") }, 403, "another page"},
		{"a frame in another page, which tries tokens", "GET", "/?token=guess", func(r *http.Request) { crossing(r, "iframe") }, 403, "another page"},
		{"a frame in another page, with the token", "GET", "/?token=" + s.Access.Token, func(r *http.Request) { crossing(r, "iframe") }, 403, "another page"},
		{"a link in another page, to what is asked for", "GET", "/api/overview", func(r *http.Request) { s.known(r); crossing(r, "document") }, 403, "another page"},
		{"a change without the header", "POST", "/api/start", s.known, 403, "X-Refrain"},
		{"even the files of the page, by another name", "GET", "/static/page.css", func(r *http.Request) { r.Host = "evil.example:4117" }, 403, "no name"},
		{"a file beside the page", "GET", "/static/../server.go", nil, 303, ""},
		{"a file beside the page, in disguise", "GET", "/static/%2e%2e/server.go", nil, 404, "no such file"},
		{"a template", "GET", "/static/overview.html", nil, 404, "no such file"},
		{"a method that nobody knows", "DELETE", "/api/overview", func(r *http.Request) { s.known(r); r.Header.Set(header, "1") }, 404, "nothing at"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := s.ask(tt.method, tt.path, tt.change)
			body, _ := io.ReadAll(r.Body)
			if r.Code != tt.status || !strings.Contains(string(body), tt.says) {
				t.Errorf("answer %d %s, want %d and %q", r.Code, body, tt.status, tt.says)
			}
			if len(r.Result().Cookies()) > 0 {
				t.Error("and a cookie is given")
			}
		})
	}
}

// crossing makes it what a browser sends when another site leads it here.
func crossing(r *http.Request, dest string) {
	for name, value := range map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": dest} {
		r.Header.Set(name, value)
	}
}

// A link leads in, and nowhere else.
func TestALinkWithTheToken(t *testing.T) {
	s := newScene(t)
	for path, want := range map[string]string{
		"/": "/", "/runs/loop_1": "/runs/loop_1", "/%22%3E%3Cscript%3E": "/%22%3E%3Cscript%3E", "//evil.example/": "/evil.example", "/%5cevil.example": "/%5Cevil.example", "/%2fevil.example": "/evil.example", "///evil.example": "/evil.example",
	} {
		r := s.ask("GET", path+"?token="+s.Access.Token, func(r *http.Request) { crossing(r, "document") })
		if lead := `content="0; url=` + want + `"`; r.Code != http.StatusOK || !strings.Contains(r.Body.String(), lead) || len(r.Result().Cookies()) != 1 {
			t.Errorf("GET %s from another site: %d %s, want %s", path, r.Code, r.Body, lead)
		}
		r = s.ask("GET", path+"?token="+s.Access.Token, nil)
		if at := r.Header().Get("Location"); r.Code != http.StatusSeeOther || at != want {
			t.Errorf("GET %s leads to %d %q, want %q", path, r.Code, at, want)
		}
	}
}

// A body that never comes holds neither a place nor a connection, also where nobody
// wants one.
func TestABodyThatNeverComes(t *testing.T) {
	s := newScene(t)
	synctest.Test(t, func(t *testing.T) {
		l := &pipes{accept: make(chan net.Conn), closed: make(chan struct{})}
		h := http.Server{Handler: s.Handler(), ReadHeaderTimeout: headerTime}
		go func() { _ = h.Serve(l) }()
		ours, theirs := net.Pipe()
		l.accept <- theirs
		begun := time.Now()
		if _, err := io.WriteString(ours, "GET /static/page.css HTTP/1.1\r\nHost: 127.0.0.1:4117\r\nContent-Length: 10\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, ours); err != nil {
			t.Error(err)
		}
		if took := time.Since(begun); took > bodyTime {
			t.Errorf("it was held for %v", took)
		}
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	if n := len(s.slots); n != 0 {
		t.Errorf("%d places are taken", n)
	}
}

// pipes is a listener without a network.
type pipes struct {
	accept chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.accept:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	close(p.closed)
	return nil
}

func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

func TestWhoGuessesHasToWait(t *testing.T) {
	s := newScene(t)
	for range maxTries {
		s.ask("GET", "/?token=guess", nil)
	}
	if r := s.ask("GET", "/?token="+s.Access.Token, nil); len(r.Result().Cookies()) > 0 {
		t.Error("the right token after many wrong ones opens the page at once")
	}
}

func TestLogin(t *testing.T) {
	s := newScene(t)
	post := func(token string) *httptest.ResponseRecorder {
		return s.do(httptest.NewRequest("POST", "http://127.0.0.1:4117/login", strings.NewReader("token="+token)), func(r *http.Request) {
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		})
	}
	if r := post("wrong"); r.Code != http.StatusUnauthorized || len(r.Result().Cookies()) > 0 {
		t.Errorf("a wrong token: %d", r.Code)
	}
	if r := post(s.Access.Token); r.Code != http.StatusSeeOther || len(r.Result().Cookies()) != 1 {
		t.Errorf("the token: %d %s", r.Code, r.Body)
	}
}

func TestEveryAnswerIsGuarded(t *testing.T) {
	s := newScene(t)
	for _, path := range []string{"/", "/login", "/api/overview", "/nothing"} {
		h := s.ask("GET", path, s.known).Header()
		if csp := h.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: the policy is %q", path, csp)
		}
		if h.Get("X-Content-Type-Options") != "nosniff" || h.Get("Referrer-Policy") != "same-origin" {
			t.Errorf("%s: the headers are %v", path, h)
		}
	}
}
