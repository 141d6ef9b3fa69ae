package container

import (
	"slices"
	"strings"
	"testing"
)

// No value of a variable that could be a secret is on the command line, and the
// client finds its engine whatever is set inside.
func TestSplit(t *testing.T) {
	host := []string{"PATH=/host", "HOME=/home/u", "DOCKER_HOST=tcp://engine", "LANG=C", "KEY=old"}
	client, handed := split(host, []string{"KEY=first", "KEY=s3cret", "HOME=/home/u", "PATH=/image", "LANG=de", "DOCKER_HOST=tcp://another", "SSH_AUTH_SOCK=/x", "=odd", "A B=c", "EMPTY="})
	if want := []string{"EMPTY", "HOME", "KEY", "LANG", "PATH=/image"}; !slices.Equal(handed, want) {
		t.Errorf("handed on %q, want %q", handed, want)
	}
	for name, want := range map[string]string{"PATH": "/host", "DOCKER_HOST": "tcp://engine", "KEY": "s3cret", "LANG": "de", "HOME": "/home/u"} {
		last := ""
		for _, kv := range client {
			if n, value, _ := strings.Cut(kv, "="); n == name {
				last = value
			}
		}
		if last != want {
			t.Errorf("the client has %s=%s, want %s", name, last, want)
		}
	}
}
