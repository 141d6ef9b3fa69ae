package proxy

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// Whatever is asked for, only what is listed is dialed.
func FuzzRequest(f *testing.F) {
	for _, request := range []string{
		"GET http://good.org/ HTTP/1.1\r\nHost: good.org\r\n\r\n",
		"GET http://evil.org/ HTTP/1.1\r\nHost: good.org\r\n\r\n",
		"GET http://good.org@evil.org/ HTTP/1.1\r\nHost: good.org\r\n\r\n",
		"GET http://evil.org#good.org/ HTTP/1.1\r\nHost: good.org\r\n\r\n",
		"GET http://good.org:80:22/ HTTP/1.1\r\n\r\n",
		"POST http://GOOD.org.:443/a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
		"CONNECT good.org:443 HTTP/1.1\r\nHost: evil.org\r\n\r\n",
		"CONNECT a.below.org:443 HTTP/1.1\r\nHost: x\r\n\r\n",
		"CONNECT rebound.org:443 HTTP/1.0\r\n\r\n",
		"CONNECT localhost:5432 HTTP/1.1\r\nHost: x\r\n\r\n",
		"CONNECT [::ffff:127.0.0.1]:5432 HTTP/1.1\r\nHost: x\r\n\r\n",
		"CONNECT //good.org:443 HTTP/1.1\r\nHost: x\r\n\r\n",
		"CONNECT 0x7f.1:5432 HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		f.Add(request)
	}
	listed := []string{"good.org", ".below.org", "rebound.org", "localhost:5432", "192.0.2.7"}
	f.Fuzz(func(t *testing.T, request string) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(request)))
		if err != nil {
			return
		}
		reacher, err := newReacher(listed)
		if err != nil {
			t.Fatal(err)
		}
		var looked string
		reacher.lookup = func(_ context.Context, name string) ([]netip.Addr, error) {
			if name != "good.org" && name != "below.org" && name != "rebound.org" && !strings.HasSuffix(name, ".below.org") {
				t.Errorf("looked up %q", name)
			}
			looked = name
			if name == "rebound.org" {
				return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
			}
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		}
		reacher.dial = func(_ context.Context, to netip.AddrPort) (net.Conn, error) {
			web := slices.Contains(webPorts, to.Port())
			switch to.Addr().String() {
			case "93.184.216.34":
				if looked == "" || !web {
					t.Errorf("dialed %v for %q", to, looked)
				}
			case "192.0.2.7":
				if !web {
					t.Errorf("dialed %v", to)
				}
			case "127.0.0.1", "::1":
				if to.Port() != 5432 || looked != "" {
					t.Errorf("dialed %v for %q", to, looked)
				}
			default:
				t.Errorf("dialed %v", to)
			}
			near, far := net.Pipe()
			far.Close()
			return near, nil
		}
		s := &Server{reacher: reacher, requests: make(chan struct{}, 1), told: map[string]bool{}}
		w := httptest.NewRecorder()
		defer func() {
			if v := recover(); v != nil && v != http.ErrAbortHandler {
				panic(v)
			}
		}()
		s.handle(t.Context(), w, r)
	})
}
