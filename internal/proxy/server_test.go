package proxy

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// running is a proxy whose names all lead to servers of ours.
type running struct {
	*Server
	socket string

	mu      sync.Mutex
	refused []string
	logged  []string
	dialed  []string
	slow    chan struct{} // somebody looks for slow.org, which takes for ever
}

// shortDir is a folder whose path leaves room for the name of a socket.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "p")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// start runs a proxy with a list. Whatever address it dials, it gets the server.
func start(t *testing.T, server string, hosts ...string) *running {
	t.Helper()
	p := &running{socket: filepath.Join(shortDir(t), "own", "proxy.sock"), slow: make(chan struct{}, 2)}
	r, err := newReacher(hosts)
	if err != nil {
		t.Fatal(err)
	}
	r.lookup = func(ctx context.Context, name string) ([]netip.Addr, error) {
		if name == "slow.org" {
			p.slow <- struct{}{}
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
	}
	r.dial = func(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
		p.note(&p.dialed, to.String())
		return (&net.Dialer{}).DialContext(ctx, "tcp", server)
	}
	l, err := listenSocket(p.socket)
	if err != nil {
		t.Fatal(err)
	}
	p.Server = serve(Settings{
		Refused: func(r Refusal) { p.note(&p.refused, r.Error()) },
		Log:     func(text string) { p.note(&p.logged, text) },
	}, r, l)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	})
	return p
}

func (p *running) note(list *[]string, text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	*list = append(*list, text)
}

// was is what was noted so far.
func (p *running) was(list *[]string) []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(*list)
}

// connect is a bare connection to the proxy.
func (p *running) connect(t *testing.T) (net.Conn, *bufio.Reader) {
	t.Helper()
	c, err := net.Dial("unix", p.socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c, bufio.NewReader(c)
}

// say sends a request as it stands, and reads the answer.
func (p *running) say(t *testing.T, text string) (status int, body string) {
	t.Helper()
	c, r := p.connect(t)
	if _, err := io.WriteString(c, text); err != nil {
		t.Fatal(err)
	}
	return p.hear(t, r)
}

func (p *running) hear(t *testing.T, r *bufio.Reader) (status int, body string) {
	t.Helper()
	resp, err := http.ReadResponse(r, nil)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(all)
}

// client asks through the proxy, as an ordinary program does.
func (p *running) client(t *testing.T, trust *httptest.Server) *http.Client {
	t.Helper()
	transport := &http.Transport{
		Proxy:       http.ProxyURL(&url.URL{Scheme: "http", Host: "proxy.invalid:3128"}),
		DialContext: func(context.Context, string, string) (net.Conn, error) { return net.Dial("unix", p.socket) },
	}
	if trust != nil {
		transport.TLSClientConfig = trust.Client().Transport.(*http.Transport).TLSClientConfig.Clone()
	}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func get(t *testing.T, c *http.Client, url string) (status int, body string) {
	t.Helper()
	resp, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	all, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(all)
}

// web is a server that tells what it was asked.
func web(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		fmt.Fprintf(w, "%s %s %s %q", r.Method, r.Host, r.RequestURI, body)
	}))
	t.Cleanup(s.Close)
	return s
}

func TestSocketIsOurs(t *testing.T) {
	p := start(t, "")
	for path, want := range map[string]os.FileMode{p.socket: 0o600, filepath.Dir(p.socket): 0o700} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode().Perm() != want && runtime.GOOS != "windows" { // which has no such modes
			t.Errorf("%s: %v, want %v", path, info.Mode(), want)
		}
	}
	if _, err := Listen(Settings{Socket: p.socket}); err == nil {
		t.Error("two proxies have the same socket")
	}
	p.Close()
	if _, err := os.Lstat(p.socket); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the socket is left behind: %v", err)
	}
}

func TestListenSaysWhatIsWrong(t *testing.T) {
	for _, tt := range []struct {
		settings Settings
		want     string
	}{
		{Settings{Hosts: []string{"https://example.com"}}, "sandbox.hosts"},
		{Settings{Socket: filepath.Join(shortDir(t), "own", strings.Repeat("x", longestSocket))}, "too long"},
		{Settings{Socket: filepath.Join(t.TempDir(), "a", "b", "c")}, "no such file"},
	} {
		if s, err := Listen(tt.settings); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Listen(%+v) = %v, %v, want it to say %q", tt.settings, s, err, tt.want)
		}
	}
}

// The folders of a run may have long names. Whoever opens the socket needs no path.
func TestASocketFarDown(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the path of a socket is short here")
	}
	path := filepath.Join(shortDir(t), strings.Repeat("x", longestSocket), "proxy.sock")
	s, err := Listen(Settings{Socket: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	dir, err := os.Open(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	c, err := net.Dial("unix", fmt.Sprintf("/proc/self/fd/%d/proxy.sock", dir.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "CONNECT evil.org:443 HTTP/1.1\r\n\r\n")
	if got, _ := io.ReadAll(c); !strings.Contains(string(got), "403") {
		t.Errorf("it said %q", got)
	}
	if info, err := os.Lstat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the socket: %v, %v", info, err)
	}
}

// A socket that was left by a runner that was killed is in nobody's way.
func TestSocketThatWasLeft(t *testing.T) {
	p := start(t, "")
	dir := filepath.Dir(p.socket)
	left := filepath.Join(dir, "left")
	l, err := net.Listen("unix", left)
	if err != nil {
		t.Fatal(err)
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	l.Close()
	s, err := Listen(Settings{Socket: left})
	if err != nil {
		t.Fatal(err)
	}
	s.Close()

	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Listen(Settings{Socket: file}); err == nil {
		t.Error("a file was taken for a socket that was left")
	}
}

func TestPlainRequests(t *testing.T) {
	p := start(t, web(t).Listener.Addr().String(), "example.com", ".example.org:8080")
	tests := []struct{ why, request, want string }{
		{"a request goes on with the path alone", "GET http://example.com/a?b=1;c HTTP/1.1\r\nHost: example.com\r\n\r\n", `GET example.com /a?b=1;c ""`},
		{"the host is that of the address, whatever Host says", "GET http://Example.COM:80/ HTTP/1.1\r\nHost: evil.org\r\n\r\n", `GET example.com / ""`},
		{"another port stays with it", "GET http://a.example.org:8080/ HTTP/1.1\r\nHost: x\r\n\r\n", `GET a.example.org:8080 / ""`},
		{"HTTP/1.0", "GET http://example.com/ HTTP/1.0\r\n\r\n", `GET example.com / ""`},
		{"a body goes with it", "POST http://example.com/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello", `POST example.com / "hello"`},
		{"in pieces, too", "POST http://example.com/ HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n", `POST example.com / "hello"`},
	}
	for _, tt := range tests {
		if status, body := p.say(t, tt.request); status != 200 || body != tt.want {
			t.Errorf("%s: %d %s, want %s", tt.why, status, body, tt.want)
		}
	}
	if len(p.was(&p.refused)) > 0 {
		t.Errorf("refused: %q", p.was(&p.refused))
	}
}

// What is between a client and its proxy stays there.
func TestHeadersThatStay(t *testing.T) {
	var got http.Header
	s := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { got = r.Header.Clone() }))
	defer s.Close()
	p := start(t, s.Listener.Addr().String(), "example.com")
	status, _ := p.say(t, "GET http://example.com/ HTTP/1.1\r\nHost: example.com\r\n"+
		"Proxy-Connection: keep-alive\r\nProxy-Authorization: Basic eA==\r\nConnection: X-Mine\r\nX-Mine: 1\r\nTE: gzip\r\nKeep-Alive: 1\r\nX-Theirs: 1\r\nAuthorization: mine\r\n\r\n")
	if status != 200 || got.Get("X-Theirs") != "1" || got.Get("Authorization") != "mine" {
		t.Errorf("%d, and the server got %v", status, got)
	}
	for _, name := range []string{"Proxy-Connection", "Proxy-Authorization", "X-Mine", "TE", "Keep-Alive", "X-Forwarded-For", "Via"} {
		if got.Get(name) != "" {
			t.Errorf("the server got %s: %s", name, got.Get(name))
		}
	}
}

func TestRequestsThatAreNone(t *testing.T) {
	p := start(t, "nowhere", "example.com", "localhost:80")
	tests := []struct{ why, request string }{
		{"not through a proxy", "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n"},
		{"no host", "GET http:///x HTTP/1.1\r\nHost: example.com\r\n\r\n"},
		{"no address", "GET http:example.com HTTP/1.1\r\nHost: example.com\r\n\r\n"},
		{"a star", "OPTIONS * HTTP/1.1\r\nHost: example.com\r\n\r\n"},
		{"https in the open", "GET https://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n"},
		{"another scheme", "GET ftp://example.com/ HTTP/1.1\r\nHost: example.com\r\n\r\n"},
		{"a user", "GET http://example.com@evil.org/ HTTP/1.1\r\nHost: example.com\r\n\r\n"},
		{"an address that only some can read", "GET http://2130706433/ HTTP/1.1\r\nHost: example.com\r\n\r\n"},
		{"two hosts", "GET http://example.com/ HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"},
		{"two lengths", "POST http://example.com/ HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab"},
		{"an unknown encoding", "POST http://example.com/ HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked, identity\r\n\r\n"},
		{"a space before the colon", "GET http://example.com/ HTTP/1.1\r\nHost : a\r\n\r\n"},
		{"CONNECT to no port", "CONNECT example.com HTTP/1.1\r\nHost: example.com\r\n\r\n"},
		{"CONNECT to a URL", "CONNECT http://example.com:443/ HTTP/1.1\r\nHost: example.com:443\r\n\r\n"},
		{"CONNECT to a path", "CONNECT /example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"},
		{"CONNECT with a path", "CONNECT example.com:443/x HTTP/1.1\r\nHost: example.com:443\r\n\r\n"},
		{"CONNECT with a user", "CONNECT a@example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"},
		{"CONNECT with two ports", "CONNECT example.com:443:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n"},
		{"CONNECT with a body", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nContent-Length: 1\r\n\r\nx"},
		{"CONNECT with a body in pieces", "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"},
		{"a header without an end", "GET http://example.com/ HTTP/1.1\r\nX: " + strings.Repeat("x", 2*headerBytes) + "\r\n\r\n"},
	}
	for _, tt := range tests {
		c, r := p.connect(t)
		go io.WriteString(c, tt.request) // it may hang up before all is said
		resp, err := http.ReadResponse(r, nil)
		if err == nil && (resp.StatusCode < 400 || resp.StatusCode > 501 || resp.StatusCode == 403) {
			t.Errorf("%s: %s", tt.why, resp.Status)
		}
		c.Close()
	}
	if len(p.was(&p.dialed)) > 0 || len(p.was(&p.refused)) > 0 {
		t.Errorf("dialed %q, refused %q", p.was(&p.dialed), p.was(&p.refused))
	}
}

func TestRefusedHostsAreToldOnce(t *testing.T) {
	p := start(t, "nowhere", "example.com")
	const want = `evil.org:443 is not one of the hosts that the sandbox may reach; to allow it: sandbox.hosts = ["evil.org"]`
	for range 2 {
		status, body := p.say(t, "CONNECT evil.org:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n")
		if status != 403 || body != "refrain: "+want+"\n" {
			t.Errorf("%d %q", status, body)
		}
	}
	if status, body := p.say(t, "GET http://evil.org/ HTTP/1.1\r\nHost: example.com\r\n\r\n"); status != 403 || !strings.Contains(body, "evil.org:80 is not one of") {
		t.Errorf("%d %q", status, body)
	}
	if len(p.was(&p.refused)) != 2 || p.was(&p.refused)[0] != want || len(p.was(&p.dialed)) > 0 {
		t.Errorf("told %q, dialed %q", p.was(&p.refused), p.was(&p.dialed))
	}
}

// Who makes up a host for each request does not fill the journal.
func TestRefusalsHaveAnEnd(t *testing.T) {
	p := start(t, "nowhere")
	for i := range mostRefusals + 20 {
		p.tell(Refusal{Host: fmt.Sprint(i)})
	}
	if len(p.was(&p.refused)) != mostRefusals || len(p.was(&p.logged)) != 1 {
		t.Errorf("told %d refusals and %q", len(p.was(&p.refused)), p.was(&p.logged))
	}
}

func TestTLSThroughATunnel(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(w, r.Body)
		fmt.Fprint(w, r.Host)
	}))
	defer s.Close()
	p := start(t, s.Listener.Addr().String(), "example.com")
	client := p.client(t, s) // its certificate is for example.com
	for range 2 {
		if status, body := get(t, client, "https://example.com/"); status != 200 || body != "example.com" {
			t.Errorf("%d %q", status, body)
		}
	}
	big := bytes.Repeat([]byte("x"), 4<<20)
	resp, err := client.Post("https://example.com/", "text/plain", bytes.NewReader(big))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if all, err := io.ReadAll(resp.Body); err != nil || len(all) != len(big)+len("example.com") {
		t.Errorf("%d bytes came back, %v", len(all), err)
	}
	if _, err := client.Get("https://evil.org/"); err == nil || !strings.Contains(err.Error(), `Forbidden: evil.org:443 is not one of the hosts that the sandbox may reach; to allow it: sandbox.hosts = ["evil.org"]`) {
		t.Errorf("what is refused gave %v", err)
	}
	if !slices.Equal(p.was(&p.dialed), []string{"93.184.216.34:443"}) {
		t.Errorf("dialed %q", p.was(&p.dialed))
	}
}

// Each request of a connection is looked at by itself.
func TestTwoHostsOnOneConnection(t *testing.T) {
	p := start(t, web(t).Listener.Addr().String(), "a.org", "b.org")
	c, r := p.connect(t)
	for _, tt := range []struct {
		host   string
		status int
	}{{"a.org", 200}, {"b.org", 200}, {"c.org", 403}} {
		fmt.Fprintf(c, "GET http://%s/ HTTP/1.1\r\nHost: a.org\r\n\r\n", tt.host)
		if status, body := p.hear(t, r); status != tt.status || !strings.Contains(body, tt.host) {
			t.Errorf("%s: %d %s", tt.host, status, body)
		}
	}
	if len(p.was(&p.dialed)) != 2 {
		t.Errorf("dialed %q", p.was(&p.dialed))
	}
}

// Two requests in one go are two requests, and the second may be refused.
func TestPipelinedRequests(t *testing.T) {
	p := start(t, web(t).Listener.Addr().String(), "a.org")
	c, r := p.connect(t)
	io.WriteString(c, "POST http://a.org/ HTTP/1.1\r\nHost: a.org\r\nContent-Length: 2\r\n\r\nhiGET http://c.org/ HTTP/1.1\r\nHost: a.org\r\n\r\n")
	if status, body := p.hear(t, r); status != 200 || body != `POST a.org / "hi"` {
		t.Errorf("%d %s", status, body)
	}
	if status, _ := p.hear(t, r); status != 403 {
		t.Errorf("the second: %d", status)
	}
}

// echo is a server that says back what it hears, when it has heard all.
func echo(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer c.Close()
				all, _ := io.ReadAll(c)
				c.Write(all)
			})
		}
	})
	t.Cleanup(func() { l.Close(); wg.Wait() })
	return l.Addr().String()
}

// A client may begin before it was let through, and may end before it is answered.
func TestTunnelOfOneWhoIsInAHurry(t *testing.T) {
	p := start(t, echo(t), "example.com:7")
	c, r := p.connect(t)
	io.WriteString(c, "CONNECT example.com:7 HTTP/1.0\r\n\r\nhello")
	c.(*net.UnixConn).CloseWrite()
	all, err := io.ReadAll(r)
	if want := "HTTP/1.1 200 Connection established\r\n\r\nhello"; err != nil || string(all) != want {
		t.Errorf("heard %q, %v, want %q", all, err, want)
	}
}

// A WebSocket is an answer of 101 and then bytes, through a tunnel or in the open.
func TestWebSocket(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer c.Close()
		fmt.Fprintf(rw, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: %s\r\n\r\n", r.Header.Get("Upgrade"))
		rw.Flush()
		line, _ := rw.ReadString('\n')
		io.WriteString(c, "you said "+line)
	}))
	s.Start()
	defer s.Close()
	p := start(t, s.Listener.Addr().String(), "example.com")
	for _, tt := range []struct{ why, before, url string }{
		{"through a tunnel", "CONNECT example.com:80 HTTP/1.1\r\nHost: example.com:80\r\n\r\n", "/"},
		{"in the open", "", "http://example.com/"},
	} {
		c, r := p.connect(t)
		io.WriteString(c, tt.before)
		if tt.before != "" {
			if resp, err := http.ReadResponse(r, nil); err != nil || resp.StatusCode != 200 {
				t.Fatal(resp, err)
			}
		}
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: example.com\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n", tt.url)
		resp, err := http.ReadResponse(r, nil)
		if err != nil || resp.StatusCode != 101 || resp.Header.Get("Upgrade") != "websocket" {
			t.Fatalf("%s: %v, %v", tt.why, resp, err)
		}
		io.WriteString(c, "hello\n")
		if line, err := r.ReadString('\n'); err != nil || line != "you said hello\n" {
			t.Errorf("%s: %q, %v", tt.why, line, err)
		}
		c.Close()
	}
}

func TestNobodyAnswers(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	p := start(t, l.Addr().String(), "example.com")
	for _, request := range []string{"CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://example.com/ HTTP/1.1\r\nHost: x\r\n\r\n"} {
		if status, body := p.say(t, request); status != 502 || !strings.Contains(body, "connect to example.com:") {
			t.Errorf("%d %q", status, body)
		}
	}
	if len(p.was(&p.refused)) > 0 {
		t.Errorf("refused %q", p.was(&p.refused))
	}
}

func TestTooManyRequests(t *testing.T) {
	p := start(t, "nowhere", "example.com")
	for range mostRequests {
		p.requests <- struct{}{}
	}
	if status, body := p.say(t, "CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n"); status != 503 || !strings.Contains(body, "512 requests") {
		t.Errorf("%d %q", status, body)
	}
}

// A client too many waits until another is gone.
func TestPlacesComeBack(t *testing.T) {
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := newListener(inner, 1)
	defer inner.Close()
	dial := func() net.Conn {
		c, err := net.Dial("tcp", inner.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	defer dial().Close()
	defer dial().Close()
	first, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	second := make(chan net.Conn)
	go func() {
		c, err := l.Accept()
		if err != nil {
			t.Error(err)
		}
		second <- c
	}()
	select {
	case <-second:
		t.Fatal("there were two at once")
	default:
	}
	first.Close()
	first.Close() // once more gives no second place
	c := <-second
	if len(l.places) != 1 {
		t.Errorf("%d places are taken", len(l.places))
	}
	c.Close()
	l.closeAll()
	l.places <- struct{}{}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("Accept after the end: %v", err)
	}
	l.wait()
}

// Close ends what would not end by itself: a client that says nothing, one in the
// middle of a header, a tunnel and an answer that nobody closes, a dial.
func TestCloseEndsAll(t *testing.T) {
	far, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer far.Close()
	p := start(t, far.Addr().String(), "example.com", "slow.org")
	var clients []net.Conn
	for _, text := range []string{
		"", "GET http://exam",
		"CONNECT slow.org:443 HTTP/1.1\r\nHost: x\r\n\r\n", "POST http://slow.org/ HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n",
		"CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", "GET http://example.com/ HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		c, _ := p.connect(t)
		io.WriteString(c, text)
		clients = append(clients, c)
	}
	for range 2 {
		c, err := far.Accept()
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	<-p.slow
	<-p.slow
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	for _, c := range clients {
		io.Copy(io.Discard, c) // ends only when it is closed
	}
}

// An answer goes on as it comes, also one whose length is known.
func TestAnswerWordByWord(t *testing.T) {
	heard := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "8")
		io.WriteString(w, "word")
		w.(http.Flusher).Flush()
		<-heard
		io.WriteString(w, "word")
	}))
	defer s.Close()
	p := start(t, s.Listener.Addr().String(), "example.com")
	resp, err := p.client(t, nil).Get("http://example.com/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	_, err = io.ReadFull(resp.Body, make([]byte, 4))
	close(heard)
	if rest, end := io.ReadAll(resp.Body); err != nil || end != nil || string(rest) != "word" {
		t.Errorf("%v, then %q, %v", err, rest, end)
	}
}
