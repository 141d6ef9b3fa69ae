package fence

import (
	"strings"
	"testing"
)

func TestAProfileOfSeatbelt(t *testing.T) {
	got := profile(Policy{
		Kind: Seatbelt, Write: []string{"/w/tree"}, Keep: []string{"/w/tree/.git/hooks"}, Hide: []string{"/h/.ssh"}, Show: []string{"/h/.ssh/known_hosts"},
		Private: []string{"/h/cache"}, Temp: `/t/a "b"\c`, Sockets: []string{"/h/agent.sock"},
	})
	at := -1
	for _, want := range []string{ // in this order, for the last that fits counts
		"(allow default)\n",
		"(deny file-write*)\n",
		`(allow file-write* (subpath "/w/tree") (subpath "/h/cache") (subpath "/t/a \"b\"\\c"))`,
		`(deny file-write* (subpath "/w/tree/.git/hooks"))`,
		`(deny file-read* file-write* (subpath "/h/.ssh"))`,
		`(allow file-read* (subpath "/h/.ssh/known_hosts"))`,
		"(deny network-outbound (remote unix-socket))\n",
		`(allow network-outbound (remote unix-socket (subpath "/h/agent.sock")))`,
		"(deny signal)\n(allow signal (target same-sandbox))\n",
	} {
		i := strings.Index(got, want)
		if i <= at {
			t.Errorf("%q is missing, or at the wrong place, in\n%s", want, got)
			continue
		}
		at = i
	}
	if empty := profile(Policy{Kind: Seatbelt}); strings.Contains(empty, "file-write*)\n(allow file-write*)") || strings.Contains(empty, `""`) {
		t.Errorf("an empty policy allows everything:\n%s", empty)
	}
}
