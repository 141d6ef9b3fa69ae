package gate

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRefused(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("SOME_TOKEN", "x")
	secret, key := filepath.Join(home, ".config/tool/auth.json"), filepath.Join(home, ".ssh/id")
	for _, path := range []string{secret, key} {
		if os.MkdirAll(filepath.Dir(path), 0o700) != nil || os.WriteFile(path, nil, 0o600) != nil {
			t.Fatal("cannot write ", path)
		}
	}
	tests := []struct{ name, tail, line, hint string }{
		{
			"docker", "=== RUN\nCannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?\nFAIL\n",
			"Cannot connect to the Docker daemon at unix:///var/run/docker.sock. Is the docker daemon running?", `sandbox.allow = ["docker"] (who reaches docker can reach everything)`,
		},
		{"a path of the shell", "sh: 1: cannot create /opt/out/x: Read-only file system\n", "sh: 1: cannot create /opt/out/x: Read-only file system", `sandbox.allow = ["/opt/out"]`},
		{"a path of Python", "PermissionError: [Errno 13] Permission denied: '/srv/data/log'", "PermissionError: [Errno 13] Permission denied: '/srv/data/log'", `sandbox.allow = ["/srv/data"]`},
		{"a path of Node", "Error: EROFS: read-only file system, open '/var/lib/x/y'", "Error: EROFS: read-only file system, open '/var/lib/x/y'", `sandbox.allow = ["/var/lib/x"]`},
		{"no path", "permission denied", "permission denied", `allow the folder that it wants to change with sandbox.allow, or`},
		{"a path in the quotes of a language", "mkdir: cannot create directory ‘/srv/data/x’: Permission denied", "mkdir: cannot create directory ‘/srv/data/x’: Permission denied", `sandbox.allow = ["/srv/data"]`},
		{
			"an error of Node with what it has", "Error: EROFS: read-only file system, mkdir '/var/lib/x/y'\n    at main {\n  errno: -30,\n  code: 'EROFS',\n  syscall: 'mkdir',\n  path: '/var/lib/x/y'\n}\n\nNode.js v22\n",
			"Error: EROFS: read-only file system, mkdir '/var/lib/x/y'", `sandbox.allow = ["/var/lib/x"]`,
		},
		{"only what it has", "{\n  code: 'EACCES',\n}", "code: 'EACCES',", "allow the folder that it wants to change with sandbox.allow"},
		{"a variable of the shell", "sh: 1: SOME_TOKEN: parameter not set", "sh: 1: SOME_TOKEN: parameter not set", `sandbox.env = ["SOME_TOKEN"]`},
		{"a variable of Python", "KeyError: 'SOME_TOKEN'", "KeyError: 'SOME_TOKEN'", `sandbox.env = ["SOME_TOKEN"]`},
		{"a variable that is nowhere", "KeyError: 'OTHER_TOKEN'", "", "sandbox.env"},
		{"what is hidden", "cat: " + secret + ": No such file or directory", "cat: " + secret + ": No such file or directory", "sandbox.allow = [\"" + secret + "\"]"},
		{"a key", "cat: " + key + ": No such file or directory", "cat: " + key + ": No such file or directory", `sandbox.allow = ["ssh"]`},
		{"what is hidden with landlock", "cat: " + secret + ": Permission denied", "cat: " + secret + ": Permission denied", "sandbox.allow = [\"" + secret + "\"]"},
		{"a key with landlock", "cat: " + key + ": Permission denied", "cat: " + key + ": Permission denied", `sandbox.allow = ["ssh"]`},
		{"what is not there at all", "cat: /srv/not/there: No such file or directory", "", "sandbox.allow"},
		{"settings of git", "error: could not write config file .git/config: Device or resource busy", "error: could not write config file .git/config: Device or resource busy", "git -c KEY=VALUE"},
		{"a program of 32 bits", "Bad system call (core dumped)", "Bad system call (core dumped)", "32-bit"},
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
