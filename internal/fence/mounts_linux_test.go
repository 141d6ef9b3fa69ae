package fence

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// try tells of each command whether it can be done. Where the fence does not hold, a
// command is done to this very machine: of what is not the test's own nothing may be
// written. So what is opened to be written stays as it is, and a mode is set to what it is.
const try = `try() { if "$@" >/dev/null 2>&1; then printf '%s\n' "can $*"; else printf '%s\n' "can not $*"; fi; }
put() { echo x > "$1"; }
open() { true >> "$1"; }
get() { grep -q . "$1"; }
cd "$ROOT"
`

// can runs commands within a fence, one a line, and tells which of them can be done.
func (w world) can(p Policy, commands ...string) string {
	w.Helper()
	script := "ROOT='" + w.root + "'\n" + try
	for _, c := range commands {
		script += "try " + c + "\n"
	}
	return w.within(p, "/", script)
}

// expect fails the test unless what was done is what should be.
func (w world) expect(got string, want ...string) {
	w.Helper()
	text := ""
	for _, line := range want {
		text += line + "\n"
	}
	if got != text {
		w.Errorf("got:\n%s\nwant:\n%s", got, text)
	}
}

func TestOnlyWhatIsNamedIsChanged(t *testing.T) {
	inWorlds(t, func(w world) {
		p := Policy{Write: []string{w.dir("tree"), w.file("home/state.json")}, Keep: []string{w.dir("tree/.git/hooks"), w.file("tree/.git/info/attributes")}}
		w.file("tree/a")
		w.file("home/rc")
		w.expect(
			w.can(p, "get home/rc", "put home/rc", "chmod 600 home/rc", "touch home/rc", "rm home/rc", "put home/new", "put new",
				"put tree/a", "put tree/new", "mv tree/new tree/.git/new", "put home/state.json",
				"put tree/.git/config", "put tree/.git/hooks/new", "put tree/.git/info/attributes", "put tree/.git/info/exclude",
				"mv tree/.git tree/moved", "mv tree/.git/info tree/.git/moved", "mv tree/.git/hooks tree/.git/moved", "mv tree moved",
				"ln home/rc tree/linked", "open /etc/passwd"),
			"can get home/rc", "can not put home/rc", "can not chmod 600 home/rc", "can not touch home/rc", "can not rm home/rc", "can not put home/new", "can not put new",
			"can put tree/a", "can put tree/new", "can mv tree/new tree/.git/new", "can put home/state.json",
			"can put tree/.git/config", "can not put tree/.git/hooks/new", "can not put tree/.git/info/attributes", "can put tree/.git/info/exclude",
			"can not mv tree/.git tree/moved", "can not mv tree/.git/info tree/.git/moved", "can not mv tree/.git/hooks tree/.git/moved", "can not mv tree moved",
			"can not ln home/rc tree/linked", "can not open /etc/passwd")
	})
}

func TestWhatIsHiddenIsNotThere(t *testing.T) {
	inWorlds(t, func(w world) {
		ssh := w.dir("home/.ssh")
		w.file("home/.ssh/id")
		w.file("home/.ssh/keys/deep/one")
		w.file("tree/secret/key")
		p := Policy{
			Write: []string{w.dir("tree"), w.dir("home/.ssh/sockets")},
			Hide:  []string{ssh, w.file("home/.netrc"), filepath.Join(w.root, "tree/secret"), w.root + "/none"},
			Show:  []string{w.file("home/.ssh/config"), w.dir("home/.ssh/keys/deep")},
		}
		w.expect(
			w.can(p, "get home/.ssh/id", "test -e home/.ssh/id", "put home/.ssh/new", "get home/.ssh/config", "put home/.ssh/config",
				"get home/.ssh/keys/deep/one", "put home/.ssh/keys/deep/one", "put home/.ssh/sockets/new",
				"get home/.netrc", "test -f home/.netrc", "put home/.netrc", "rm home/.netrc",
				"get tree/secret/key", "put tree/secret/new", "put tree/new"),
			"can not get home/.ssh/id", "can not test -e home/.ssh/id", "can not put home/.ssh/new", "can get home/.ssh/config", "can not put home/.ssh/config",
			"can get home/.ssh/keys/deep/one", "can not put home/.ssh/keys/deep/one", "can put home/.ssh/sockets/new",
			"can not get home/.netrc", "can not test -f home/.netrc", "can not put home/.netrc", "can not rm home/.netrc",
			"can not get tree/secret/key", "can not put tree/secret/new", "can put tree/new")
		if _, err := os.Stat(w.root + "/home/.ssh/sockets/new"); err != nil {
			w.Error(err)
		}
	})
}

func TestTemporaryFilesAreItsOwn(t *testing.T) {
	inWorlds(t, func(w world) {
		w.file("home/rc")
		w.file("home/.ssh/id")
		p := Policy{
			Temp: w.dir("tmp"), Write: []string{w.dir("tree/deep"), w.file("state")}, Show: []string{w.dir("home")},
			Hide: []string{w.dir("home/.ssh")},
		}
		w.dir("tree/other")
		if !below(w.root, "/tmp") {
			w.Skip("the world is not in the folder for temporary files") // of which nothing else is seen
		}
		for range 2 { // what the first leaves is there for the second
			w.expect(
				w.can(p, "put tree/deep/new", "put state", "get home/rc", "put home/rc", "get home/.ssh/id", "test -e tree/other",
					"put /tmp/one", "get /var/tmp/one", "get tmp/one", "put tmp/two", "test -e '"+w.root+"/fence.test'"),
				"can put tree/deep/new", "can put state", "can get home/rc", "can not put home/rc", "can not get home/.ssh/id", "can not test -e tree/other",
				"can put /tmp/one", "can get /var/tmp/one", "can get tmp/one", "can put tmp/two", "can not test -e "+w.root+"/fence.test")
			// An agent can put something else where the places were.
			behind := filepath.Join(p.Temp, strings.TrimPrefix(w.root, "/tmp"))
			for _, name := range []string{"home", "state"} {
				path := filepath.Join(behind, name)
				if err := errors.Join(os.RemoveAll(path), os.Symlink("/etc", path)); err != nil {
					w.Fatal(err)
				}
			}
		}
		for _, name := range []string{"tmp/one", "tmp/two", "tree/deep/new"} {
			if _, err := os.Stat(filepath.Join(w.root, name)); err != nil {
				w.Error(err)
			}
		}
	})
}

func TestLinksLeadToTheSame(t *testing.T) {
	inWorlds(t, func(w world) {
		w.dir("data/me/tree")
		w.file("data/me/.aws/key")
		w.file("data/me/rc")
		home := w.link("data/me", "home") // as /home -> /data is
		p := Policy{
			Temp: w.dir("tmp"), Show: []string{home}, Write: []string{home + "/tree"}, Hide: []string{home + "/.aws"},
		}
		w.expect(
			w.can(p, "put home/tree/new", "put data/me/tree/new", "get home/.aws/key", "get data/me/.aws/key", "get home/rc", "put home/rc", "test -L home"),
			"can put home/tree/new", "can put data/me/tree/new", "can not get home/.aws/key", "can not get data/me/.aws/key", "can get home/rc", "can not put home/rc", "can test -L home")
	})
}

func TestPathsMayHoldAnything(t *testing.T) {
	inWorlds(t, func(w world) {
		var p Policy
		p.Temp, p.Upper = w.dir("tmp"), w.dir("up,per: a\nb")
		var commands, want []string
		for _, name := range []string{"a b", "a,b", "a:b", "a\\b", "a\tb", "#a", "lowerdir=x", "ü", "-n", "*"} {
			p.Write = append(p.Write, w.dir("write/"+name))
			p.Private = append(p.Private, w.dir("private/"+name))
			p.Hide = append(p.Hide, w.dir("write/"+name+"/"+name))
			w.file("write/" + name + "/" + name + "/key")
			for _, format := range []string{"put './write/%s/x'", "put './private/%s/x'"} {
				commands = append(commands, fmt.Sprintf(format, name))
			}
			commands = append(commands, fmt.Sprintf("get './write/%s/%s/key'", name, name))
		}
		lines := w.dir("write/a\nb")
		p.Write = append(p.Write, lines)
		p.Private = append(p.Private, w.dir("private/a\nb"))
		for i := range 100 {
			p.Write = append(p.Write, w.dir(fmt.Sprintf("many/%d", i)))
		}
		commands = append(commands, "put ./many/99/x")
		for _, c := range commands {
			line := "can " + strings.ReplaceAll(c, "'", "")
			if strings.HasPrefix(c, "get") {
				line = "can not " + strings.ReplaceAll(c, "'", "")
			}
			want = append(want, line)
		}
		w.expect(w.can(p, commands...), want...)
		w.expect(w.within(p, lines, "echo x > new; pwd"), lines)
		if _, err := os.Stat(lines + "/new"); err != nil {
			w.Error(err)
		}
	})
}

func TestPrivateCopiesAreKept(t *testing.T) {
	inWorlds(t, func(w world) {
		cache := w.dir("cache")
		w.file("cache/a")
		w.file("cache/deep/b")
		w.dir("cache/deep")
		if err := os.Chmod(cache, 0o750); err != nil {
			w.Fatal(err)
		}
		p := Policy{Private: []string{cache, cache + "/deep"}, Upper: w.dir("upper"), Hide: []string{w.dir("upper")}}
		w.expect(
			w.can(p, "put cache/a", "rm cache/deep/b", "put cache/new", "mkdir cache/folder", "mv cache/new cache/folder/new"),
			"can put cache/a", "can rm cache/deep/b", "can put cache/new", "can mkdir cache/folder", "can mv cache/new cache/folder/new")
		w.expect(
			w.can(p, "grep x cache/a", "test -e cache/deep/b", "get cache/folder/new", "sh -c 'ls -ld cache | grep ^drwxr-x---'"),
			"can grep x cache/a", "can not test -e cache/deep/b", "can get cache/folder/new", "can sh -c ls -ld cache | grep ^drwxr-x---")
		w.expectInUse(p)
		b, err := os.ReadFile(cache + "/a")
		if _, gone := os.Stat(cache + "/deep/b"); err != nil || string(b) != "a\n" || gone != nil {
			w.Errorf("the cache itself was changed: %q, %v, %v", b, err, gone)
		}
	})
}

// expectInUse takes the changes in use, as another fence would.
func (w world) expectInUse(p Policy) {
	w.Helper()
	found, err := filepath.Glob(p.Upper + "/*")
	if err != nil || len(found) != 1 {
		w.Fatalf("the changes are in %q, %v", found, err)
	}
	dir, err := os.Open(found[0])
	if err != nil {
		w.Fatal(err)
	}
	defer dir.Close()
	if err := unix.Flock(int(dir.Fd()), unix.LOCK_SH); err != nil {
		w.Fatal(err)
	}
	if got := w.within(p, "/", "echo started"); !strings.Contains(got, "another sandbox uses "+found[0]) {
		w.Errorf("got %q, want to be told that it is in use", got)
	}
}

func TestAPrivateCopyThatCanNotBeIsAnError(t *testing.T) {
	inWorlds(t, func(w world) {
		for why, p := range map[string]Policy{
			"make a private copy of " + w.root + "/file: it is not a folder": {Private: []string{w.file("file")}, Upper: w.dir("upper")},
			"the policy has no place for what is changed":                    {Private: []string{w.dir("cache")}},
			"Read-only file system":                                          {Private: []string{w.dir("cache")}, Upper: "/proc/self"},
		} {
			got := w.within(p, "/", "echo started")
			if strings.Contains(got, "started") || !strings.HasPrefix(got, "sandbox namespaces: make a private copy of ") {
				w.Errorf("got %q, want an error: %s", got, why)
			}
		}
	})
}

func TestSocketsOfOthersAreClosed(t *testing.T) {
	inWorlds(t, func(w world) {
		p := Policy{
			Write: []string{w.dir("tree")}, Keep: []string{w.dir("tree/.git/run")}, Show: []string{w.dir("shown")},
			Sockets: []string{w.dir("let")}, Private: []string{w.dir("cache")}, Upper: w.dir("upper"),
		}
		var commands []string
		for _, dir := range []string{"home", "shown", "cache", "tree/.git/run", "tree", "let"} {
			w.dir(dir)
			for _, kind := range []string{"unix", "unixgram"} {
				path := filepath.Join(w.root, dir, kind)
				w.listen(kind, path)
				commands = append(commands, fmt.Sprintf("env %s=dial \"$PROGRAM\" %s %s", stageName, kind, filepath.Join(dir, kind)))
			}
		}
		got := w.can(p, commands...)
		for i, line := range strings.Split(strings.TrimSpace(got), "\n") {
			if can, want := strings.HasPrefix(line, "can env"), i >= 8; can != want {
				w.Error(line)
			}
		}
	})
}

// Sockets of others come and go while the mounts are made.
func TestASocketThatIsGoneIsClosed(t *testing.T) {
	inWorlds(t, func(w world) {
		file := w.file("file")
		w.expect(w.run(errand{Gone: []string{w.root + "/gone", file + "/gone", w.root + "/gone/too"}}), "made")
	})
}

// listen serves a socket of the test's own.
func (w world) listen(kind, path string) {
	w.Helper()
	var closer interface{ Close() error }
	var err error
	if kind == "unix" {
		closer, err = net.Listen(kind, path)
	} else {
		closer, err = net.ListenPacket(kind, path)
	}
	if err != nil {
		w.Fatal(err)
	}
	w.Cleanup(func() { _ = closer.Close() })
	if err := os.Chmod(path, 0o777); err != nil {
		w.Fatal(err)
	}
}

func TestDevicesAreFew(t *testing.T) {
	inWorlds(t, func(w world) {
		shared := filepath.Join("/dev/shm", filepath.Base(w.root))
		if err := os.WriteFile(shared, []byte("x"), 0o644); err != nil {
			w.Skip(err)
		}
		defer os.Remove(shared)
		commands := []string{
			"put /dev/null", "head -c1 /dev/zero", "head -c1 /dev/urandom", "put /dev/shm/new", "get " + "'" + shared + "'",
			"chmod 666 /dev/null", "sh -c ': < /dev/ptmx'", "test -e /dev/pts/0",
		}
		got := w.can(Policy{Write: []string{"/dev/shm", "/dev/null", "/dev/pts"}}, commands...)
		w.expect(got,
			"can put /dev/null", "can head -c1 /dev/zero", "can head -c1 /dev/urandom", "can put /dev/shm/new", "can not get "+shared,
			"can not chmod 666 /dev/null", "can sh -c : < /dev/ptmx", "can not test -e /dev/pts/0")
		w.expect(w.can(Policy{}, "head -c0 /dev/hwrng", "head -c0 /dev/loop0"), "can not head -c0 /dev/hwrng", "can not head -c0 /dev/loop0")
	})
}

func TestNobodyOutsideIsSeen(t *testing.T) {
	inWorlds(t, func(w world) {
		got := w.within(Policy{}, "/", "for p in /proc/[0-9]*; do grep -q . $p/environ && echo ${p#/proc/}; done 2>/dev/null | grep -c '^1$'; ls /run")
		w.expect(got, "0")
		if w.uid == 0 {
			w.expect(w.can(Policy{}, "open /proc/sys/kernel/core_pattern", "open /sys/kernel/rcu_expedited", "sh -c 'echo 1 > /proc/self/oom_score_adj'"),
				"can not open /proc/sys/kernel/core_pattern", "can not open /sys/kernel/rcu_expedited", "can sh -c echo 1 > /proc/self/oom_score_adj")
		}
	})
}

func TestNamespacesWithinUndoNothing(t *testing.T) {
	if _, err := exec.LookPath("unshare"); err != nil {
		t.Skip(err)
	}
	inWorlds(t, func(w world) {
		p := Policy{Write: []string{w.dir("tree")}, Keep: []string{w.dir("tree/kept")}, Hide: []string{w.dir("hidden")}, Temp: w.dir("tmp")}
		p.Show = []string{w.dir("home")}
		w.file("hidden/key")
		w.file("home/rc")
		script := `unshare -Urm sh -c 'mount -t tmpfs none /mnt && echo mounted
cd "$0"
for m in / home tree/kept hidden /tmp /run /proc /dev/shm; do umount -l $m; mount -o remount,bind,rw $m; mount -o remount,rw $m; done
mount --bind / /mnt; mount --bind "$0/home" tree; mount --make-rprivate /
cat hidden/key; echo x > tree/kept/new; echo x > home/rc; true >> /etc/passwd && echo opened; echo x > tree/new' '` + w.root + `' 2>/dev/null; true`
		got := w.within(p, w.root, script)
		if w.uid == 0 {
			w.expect(got) // the superuser needs a right for it that is given up
		} else {
			w.expect(got, "mounted")
		}
		for _, name := range []string{"tree/kept/new", "home/new"} {
			if _, err := os.Stat(filepath.Join(w.root, name)); err == nil {
				w.Errorf("%s was written", name)
			}
		}
		if b, _ := os.ReadFile(w.root + "/home/rc"); string(b) != "rc\n" {
			w.Errorf("what is shown was changed: %q", b)
		}
	})
}

// Whatever the policy names, nothing changes but what it lets be changed.
func TestOfAnyFoldersOnlyThoseNamedAreChanged(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	dice := rand.New(rand.NewPCG(seed, 0))
	names := []string{"a", "b", "a/a", "a/b", "b/a", "b/b", "a/a/a", "a/a/b", "a/b/a", "b/b/b", "a/a/a/a", "a/a/b/b"}
	for range 5 {
		inWorlds(t, func(w world) {
			var p Policy
			lists := []*[]string{nil, &p.Write, &p.Keep, &p.Hide, &p.Show}
			roles := map[string]int{}
			for _, name := range names {
				path := w.dir(name)
				if roles[name] = dice.IntN(len(lists)); roles[name] > 0 {
					*lists[roles[name]] = append(*lists[roles[name]], path)
				}
			}
			w.within(p, w.root, "for d in "+strings.Join(names, " ")+"; do echo x > $d/new; done")
			for _, name := range names {
				_, err := os.Stat(filepath.Join(w.root, name, "new"))
				if got, want := err == nil, stateOf(name, roles) == 1; got != want {
					w.Errorf("%s: written %v, want %v; 1 write, 2 keep, 3 hide, 4 show: %v", name, got, want, roles)
				}
			}
		})
	}
}

// stateOf is what a folder is, by its list and by the folder above it.
func stateOf(name string, roles map[string]int) int {
	if name == "." {
		return 4
	}
	above := stateOf(filepath.Dir(name), roles)
	switch is := roles[name]; {
	case is == 1 || is == 3:
		return is
	case is == 2 && above == 1:
		return 2
	case is == 4 && above == 3:
		return 4
	}
	return above
}
