package proxy

import (
	"slices"
	"strings"
	"testing"
)

func TestWhatIsListed(t *testing.T) {
	tests := []struct {
		why   string
		list  string // entries with spaces between
		asked string
		want  bool
	}{
		{"a host is its web ports", "example.com", "example.com:443", true},
		{"a host is its web ports", "example.com", "example.com:80", true},
		{"and no other", "example.com", "example.com:22", false},
		{"a host and a port are that port", "example.com:8443", "example.com:8443", true},
		{"and no other", "example.com:8443", "example.com:443", false},
		{"a host is not those below", "example.com", "a.example.com:443", false},
		{"nor those above", "a.example.com", "example.com:443", false},
		{"nor those that end alike", "example.com", "badexample.com:443", false},
		{"nor those that begin alike", "example.com", "example.com.evil.org:443", false},
		{"a domain is all below", ".example.com", "a.b.example.com:443", true},
		{"and itself", ".example.com", "example.com:443", true},
		{"and nothing that ends alike", ".example.com", "badexample.com:443", false},
		{"a domain may have a port", ".example.com:8443", "a.example.com:8443", true},
		{"and then only that", ".example.com:8443", "a.example.com:443", false},
		{"case does not matter", "Example.COM", "eXample.com:443", true},
		{"nor does a dot at the end", "example.com", "example.com.:443", true},
		{"of either", "example.com.", "example.com:443", true},
		{"nor how a letter is written", "bücher.example", "xn--bcher-kva.example:443", true},
		{"either way", "xn--bcher-kva.example", "BÜCHER.example:443", true},
		{"a letter that looks alike is another", "apple.com", "аpple.com:443", false},
		{"an address is itself", "192.0.2.7", "192.0.2.7:443", true},
		{"and no name", "192.0.2.7", "example.com:443", false},
		{"with its port", "127.0.0.1:5432", "127.0.0.1:5432", true},
		{"and no other", "127.0.0.1:5432", "127.0.0.1:5433", false},
		{"an address in IPv6", "2001:db8::1", "[2001:DB8:0::1]:443", true},
		{"in brackets, with a port", "[::1]:5432", "[::1]:5432", true},
		{"one within another is the inner", "127.0.0.1:5432", "[::ffff:127.0.0.1]:5432", true},
		{"localhost is a name", "localhost:5432", "localhost:5432", true},
		{"with a port of its own", "localhost:5432", "localhost:22", false},
		{"and not its address", "localhost:5432", "127.0.0.1:5432", false},
		{"one of many", "a.org b.org", "b.org:443", true},
		{"an empty list is empty", "", "example.com:443", false},
	}
	for _, tt := range tests {
		r, err := newReacher(strings.Fields(tt.list))
		if err != nil {
			t.Errorf("%s: %v", tt.list, err)
			continue
		}
		p, err := parsePlace(tt.asked)
		if got := err == nil && r.allows(p); got != tt.want {
			t.Errorf("%s: with %q, %s (%v, %v) is allowed: %v, want %v", tt.why, tt.list, tt.asked, p, err, got, tt.want)
		}
	}
}

func TestEntriesThatAreNone(t *testing.T) {
	tests := []struct{ entry, want string }{
		{"https://example.com", "host alone"},
		{"*.example.com", `".example.com"`},
		{"*", "not HOST"},
		{"example.com/path", "not HOST"},
		{"user@example.com", "not HOST"},
		{"", "empty"},
		{".", "empty"},
		{"a..b", "empty"},
		{"example.com:", "not a port"},
		{"example.com:0", "not a port"},
		{"example.com:65536", "not a port"},
		{"example.com:+443", "not a port"},
		{"example.com:443:443", "not a port"},
		{"example.com:https", "not a port"},
		{"exam ple.com", "not HOST"},
		{"exam%70le.com", "a name has no"},
		{"127.1", "neither"},
		{"2130706433", "neither"},
		{"0x7f000001", "neither"},
		{"example.0x", "neither"},
		{"[::1", "not a port"},
		{"[::1%lo]:80", "not an address"},
		{"[127.0.0.1]:80", "not an address"},
		{"0.0.0.0:80", "nowhere"},
		{"[::]:80", "nowhere"},
		{"224.0.0.1", "nowhere"},
		{"localhost", "localhost:5432"},
		{"127.0.0.1", "127.0.0.1:5432"},
		{"::1", "[::1]:5432"},
		{".localhost:80", "nothing below"},
		{".127.0.0.1", "nothing below"},
		{"a。b", "sign"},
		{"\xff.com", "not text"},
		{strings.Repeat("a", 64) + ".com", "too long"},
		{strings.Repeat("a.", 127) + "com", "too long"},
		{"xn--ü.com", "encoded"},
	}
	for _, tt := range tests {
		if err := Valid(tt.entry); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("Valid(%q) = %v, want it to say %q", tt.entry, err, tt.want)
		}
	}
}

// The examples of RFC 3492, section 7.1, that are words of one script.
func TestNamesThatAreNotASCII(t *testing.T) {
	tests := []struct{ name, want string }{
		{"example", "example"},
		{"bücher", "xn--bcher-kva"},
		{"BÜCHER", "xn--bcher-kva"},
		{"münchen-ost", "xn--mnchen-ost-9db"},
		{"他们为什么不说中文", "xn--ihqwcrb4cv8a8dqg056pqjye"},
		{"почемужеонинеговорятпорусски", "xn--b1abfaaepdrnnbgefbadotcwatmq2g4l"},
		{"3年b組金八先生", "xn--3b-ww4c5e180e575a65lsy2b"},
		{"ü", "xn--tda"},
	}
	for _, tt := range tests {
		got, err := toASCII(tt.name)
		if err != nil || got != tt.want {
			t.Errorf("toASCII(%q) = %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

func TestForwards(t *testing.T) {
	got := Forwards([]string{"example.com", "localhost:5432", "127.0.0.1:5432", "[::1]:6379", "LOCALHOST:5432", "10.0.0.1:80", "not a host"})
	want := []string{"localhost:5432", "127.0.0.1:5432", "[::1]:6379"}
	if !slices.Equal(got, want) {
		t.Errorf("Forwards = %v, want %v", got, want)
	}
}

// Whatever is read as a place is read as the same when it is written out, so two
// readers can not take it for two.
func FuzzPlace(f *testing.F) {
	for _, text := range []string{"example.com:443", "[::1]:80", "127.0.0.1", "BÜCHER.example.", "0x7f.1:80", "a..b", "[::ffff:1.2.3.4]", "127.0.0.1.", ":80", "a:b:c"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := parsePlace(text)
		if err != nil {
			return
		}
		if p.port == 0 {
			p.port = 80
		}
		again, err := parsePlace(p.String())
		if err != nil || again != p {
			t.Errorf("%q is %v, which is %v, %v", text, p, again, err)
		}
		if (p.name == "") != p.addr.IsValid() || p.addr.Is4In6() || p.addr.Zone() != "" {
			t.Errorf("%q is %#v", text, p)
		}
	})
}
