package proxy

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// world is a fake of all that is outside: what names mean, and who answers.
type world struct {
	names  map[string]string // name to addresses, with spaces between
	silent []string          // addresses that never answer

	looked, dialed []string
}

func (w *world) lookup(_ context.Context, name string) ([]netip.Addr, error) {
	w.looked = append(w.looked, name)
	found, ok := w.names[name]
	if !ok {
		return nil, errors.New("no such host")
	}
	var list []netip.Addr
	for text := range strings.FieldsSeq(found) {
		list = append(list, netip.MustParseAddr(text))
	}
	return list, nil
}

func (w *world) dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	w.dialed = append(w.dialed, to.String())
	if slices.Contains(w.silent, to.Addr().String()) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	near, far := net.Pipe()
	far.Close()
	return near, nil
}

// reacher reaches into the world.
func (w *world) reacher(t testing.TB, hosts ...string) *reacher {
	t.Helper()
	r, err := newReacher(hosts)
	if err != nil {
		t.Fatal(err)
	}
	r.lookup, r.dial = w.lookup, w.dial
	return r
}

func TestWhereANameLeads(t *testing.T) {
	names := map[string]string{
		"good.org":     "93.184.216.34",
		"many.org":     "2606:4700::1 93.184.216.34",
		"rebound.org":  "127.0.0.1",
		"metadata.org": "169.254.169.254",
		"mapped.org":   "::ffff:10.1.2.3",
		"mixed.org":    "10.1.2.3 93.184.216.34",
		"intern.org":   "10.1.2.3",
		"nothing.org":  "",
		"localhost":    "93.184.216.34",
	}
	tests := []struct {
		why, list, asked string
		dialed           string // what was dialed; empty: nothing
		refusal          string // what a refusal says; empty: it was none
		allow            string
	}{
		{"a name is dialed by its address", "good.org", "good.org:443", "93.184.216.34:443", "", ""},
		{"the first address is enough", "many.org", "many.org:443", "[2606:4700::1]:443", "", ""},
		{"what is not listed is not dialed", "good.org", "evil.org:443", "", "not one of the hosts", "evil.org"},
		{"nor another port", "good.org", "good.org:22", "", "not one of the hosts", "good.org:22"},
		{"a name that leads to loopback", "rebound.org", "rebound.org:80", "", "is at 127.0.0.1", "127.0.0.1:80"},
		{"or to the cloud's own", "metadata.org", "metadata.org:80", "", "is at 169.254.169.254", ""},
		{"or to the network around, in a wrapping", "mapped.org", "mapped.org:80", "", "is at 10.1.2.3", "10.1.2.3"},
		{"the addresses of the world are left", "mixed.org", "mixed.org:443", "93.184.216.34:443", "", ""},
		{"unless the address is listed, too", "intern.org 10.1.2.3", "intern.org:443", "10.1.2.3:443", "", ""},
		{"for that port", "intern.org 10.1.2.3:80", "intern.org:443", "", "is at 10.1.2.3", "10.1.2.3"},
		{"a listed name does not list its address", "good.org", "93.184.216.34:443", "", "not one of the hosts", "93.184.216.34"},
		{"an address must be listed", "10.1.2.3", "10.1.2.3:443", "10.1.2.3:443", "", ""},
		{"nobody is shown the way to keys", "good.org", "169.254.169.254:80", "", "not one of the hosts", ""},
		{"localhost is here, whatever DNS says", "localhost:5432", "localhost:5432", "127.0.0.1:5432", "", ""},
		{"a name without an address", "nothing.org", "nothing.org:443", "", "", ""},
		{"a name that is none", "gone.org", "gone.org:443", "", "", ""},
	}
	for _, tt := range tests {
		w := &world{names: names}
		p, err := parsePlace(tt.asked)
		if err != nil {
			t.Fatal(err)
		}
		c, err := w.reacher(t, strings.Fields(tt.list)...).reach(t.Context(), p)
		if err == nil {
			c.Close()
		}
		if got := strings.Join(w.dialed, " "); got != tt.dialed || (err == nil) != (got != "") {
			t.Errorf("%s: dialed %q, %v, want %q", tt.why, got, err, tt.dialed)
		}
		var refusal *Refusal
		if errors.As(err, &refusal) != (tt.refusal != "") || refusal != nil && (!strings.Contains(refusal.Why, tt.refusal) || refusal.Allow != tt.allow || refusal.Host != tt.asked) {
			t.Errorf("%s: refusal %+v, %v, want %q and %q", tt.why, refusal, err, tt.refusal, tt.allow)
		}
		if len(w.looked) > 1 || tt.refusal == "not one of the hosts" && len(w.looked) > 0 {
			t.Errorf("%s: looked up %q", tt.why, w.looked)
		}
	}
}

// An address that does not answer costs time, but not all of it.
func TestNextAddress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{names: map[string]string{"many.org": "2606:4700::1 93.184.216.34"}, silent: []string{"2606:4700::1"}}
		began := time.Now()
		c, err := w.reacher(t, "many.org").reach(t.Context(), place{name: "many.org", port: 443})
		if err != nil || len(w.dialed) != 2 || time.Since(began) != nextTime {
			t.Fatalf("reach = %v after %v, dialed %q", err, time.Since(began), w.dialed)
		}
		c.Close()

		w.silent = append(w.silent, "93.184.216.34")
		began = time.Now()
		if _, err := w.reacher(t, "many.org").reach(t.Context(), place{name: "many.org", port: 443}); !errors.Is(err, context.DeadlineExceeded) || time.Since(began) != dialTime {
			t.Errorf("where nobody answers, reach = %v after %v", err, time.Since(began))
		}
	})
}

// pipeTo dials pipes, and hands the other ends over.
func pipeTo(far chan<- net.Conn) func(context.Context, netip.AddrPort) (net.Conn, error) {
	return func(context.Context, netip.AddrPort) (net.Conn, error) {
		near, other := net.Pipe()
		far <- other
		return near, nil
	}
}
