package gate

import (
	"strings"
	"testing"
)

func TestRefused(t *testing.T) {
	tests := []struct{ name, tail, line, hint string }{
		{
			"docker", "=== RUN\nCannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\nFAIL\n",
			"Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?", `sandbox.allow = ["docker"] (who reaches docker can reach everything)`,
		},
		{"a path of the shell", "sh: 1: cannot create /opt/out/x: Read-only file system\n", "sh: 1: cannot create /opt/out/x: Read-only file system", `sandbox.allow = ["/opt/out"]`},
		{"a path of Python", "PermissionError: [Errno 13] Permission denied: '/srv/data/log'", "PermissionError: [Errno 13] Permission denied: '/srv/data/log'", `sandbox.allow = ["/srv/data"]`},
		{"a path of Node", "Error: EROFS: read-only file system, open '/var/lib/x/y'", "Error: EROFS: read-only file system, open '/var/lib/x/y'", `sandbox.allow = ["/var/lib/x"]`},
		{"no path", "permission denied", "permission denied", `sandbox.allow = ["PATH"]`},
		{"a key of ssh", "git@x: Permission denied (publickey).", "git@x: Permission denied (publickey).", `sandbox.allow = ["ssh"]`},
		{"a host", "refrain: example.com:80 is not one of the hosts that the sandbox may reach; to allow it: x", "refrain: example.com:80 is not one of the hosts that the sandbox may reach; to allow it: x", "allow it with sandbox.hosts"},
		{"a host of git", "fatal: unable to access 'https://example.com/': CONNECT tunnel failed, response 403", "fatal: unable to access 'https://example.com/': CONNECT tunnel failed, response 403", "allow it with sandbox.hosts"},
		{"the last one", "open /a/b/c: permission denied\nopen /d/e/f: permission denied\nmore", "open /d/e/f: permission denied", `["/d/e"]`},
		{"nothing of the kind", "1 test failed\n", "", "sandbox.allow"},
		{"nothing", "", "", "--sandbox none"},
	}
	for _, tt := range tests {
		line, hint := Refused(tt.tail)
		if line != tt.line || !strings.Contains(hint, tt.hint) {
			t.Errorf("%s: Refused = %q, %q, want %q and a hint with %s", tt.name, line, hint, tt.line, tt.hint)
		}
	}
}

// Whoever may write to all of a home folder has left the sandbox by the next login.
func TestAHomeFolderIsNotOffered(t *testing.T) {
	for line, want := range map[string]string{
		"touch: cannot touch '/home/ada/made': Read-only file system":   "/home/ada/made",
		"mkdir /home/ada: permission denied":                            "",
		"open /home/ada/out/x.log: permission denied":                   "/home/ada/out",
		"touch: cannot touch '/srv/shared/lock': Read-only file system": "/srv/shared",
		"open /srv/x: permission denied":                                "/srv",
	} {
		if got := pathIn(line, "/home/ada"); got != want {
			t.Errorf("pathIn(%q) = %q, want %q", line, got, want)
		}
	}
}
