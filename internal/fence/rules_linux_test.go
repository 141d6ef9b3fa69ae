package fence

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

func TestAllButTheHiddenIsSaidByWhatIsBesideIt(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"home/.ssh/id", "home/.ssh/config", "home/.config/gh/token", "home/.config/git/config", "home/rc", "usr/bin/sh"} {
		write(t, filepath.Join(root, name))
	}
	if err := os.Symlink(filepath.Join(root, "home/.ssh"), filepath.Join(root, "home/link")); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		hide []string
		want []string
	}{
		{"nothing", nil, []string{"."}},
		{"a folder", []string{"home/.ssh"}, []string{"home/.config", "home/rc", "usr"}},
		{"a file", []string{"home/.config/gh/token"}, []string{"home/.config/git", "home/.ssh", "home/rc", "usr"}},
		{"both", []string{"home/.ssh", "home/.config/gh"}, []string{"home/.config/git", "home/rc", "usr"}},
		{"one below another", []string{"home/.ssh/id", "home/.ssh"}, []string{"home/.config", "home/rc", "usr"}},
		{"all", []string{"."}, nil},
		{"elsewhere", []string{"../elsewhere"}, []string{"."}},
		{"what begins alike", []string{"home/.ss"}, []string{"home/.config", "home/.ssh", "home/rc", "usr"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var hide, got []string
			for _, name := range tt.hide {
				hide = append(hide, filepath.Join(root, name))
			}
			for _, path := range beside(root, hide) {
				rel, err := filepath.Rel(root, path)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, rel)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("beside %v = %v, want %v", tt.hide, got, tt.want)
			}
		})
	}
}

func TestWhatIsShownDoesNotShowWhatIsHiddenInIt(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"tools/run", "tools/secret/f", "ssh/known", "ssh/id"} {
		write(t, filepath.Join(root, name))
	}
	in := func(name string) string { return filepath.Join(root, name) }
	rules, err := rulesOf(Policy{Kind: Landlock, Hide: []string{in("tools/secret"), in("ssh")}, Show: []string{in("tools"), in("ssh/known")}})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"tools/run": true, "tools/secret/f": false, "ssh/known": true, "ssh/id": false} {
		got := slices.ContainsFunc(rules, func(r rule) bool { return r.rights&^list != 0 && within(in(name), r.path) })
		if got != want {
			t.Errorf("%s: can be read %v, want %v", name, got, want)
		}
	}
}

// Whatever is hidden, each file is either below exactly one of those that are
// listed, or hidden.
func TestNoFileIsBothHiddenAndListed(t *testing.T) {
	names := rapid.SliceOfN(rapid.StringMatching(`[ab]{1,2}(/[ab]{1,2}){0,3}`), 1, 8)
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(r *rapid.T) {
		n++
		root := filepath.Join(dir, strings.Repeat("x", n%200+1))
		defer os.RemoveAll(root)
		var files []string
		for _, name := range names.Draw(r, "files") {
			path := filepath.Join(root, name)
			if os.MkdirAll(filepath.Dir(path), 0o700) != nil || os.WriteFile(path, nil, 0o600) != nil {
				continue // a file is where a folder would be
			}
			files = append(files, path)
		}
		var hide []string
		for _, name := range names.Draw(r, "hide") {
			hide = append(hide, filepath.Join(root, name))
		}
		hide = resolve(hide) // those that are there
		listed := beside(root, hide)
		for _, file := range files {
			hidden := slices.ContainsFunc(hide, func(h string) bool { return within(file, h) })
			covers := 0
			for _, path := range listed {
				if within(file, path) {
					covers++
				}
			}
			if hidden && covers > 0 || !hidden && covers != 1 {
				r.Fatalf("%s: hidden %v, below %d of %v", file, hidden, covers, listed)
			}
		}
	})
}

func TestWithin(t *testing.T) {
	tests := []struct {
		path, folder string
		want         bool
	}{
		{"/a", "/a", true},
		{"/a/b", "/a", true},
		{"/ab", "/a", false},
		{"/a", "/a/b", false},
		{"/a", "/", true},
		{"/", "/", true},
	}
	for _, tt := range tests {
		if got := within(tt.path, tt.folder); got != tt.want {
			t.Errorf("within(%q, %q) = %v, want %v", tt.path, tt.folder, got, tt.want)
		}
	}
}

func TestWhatCanNotBeHiddenIsAnError(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "tree/.env"))
	write(t, filepath.Join(dir, "cache/secret/key"))
	write(t, filepath.Join(dir, "cache/other/x"))
	secret := filepath.Join(dir, "tree/.env")
	if _, err := rulesOf(Policy{Write: []string{filepath.Join(dir, "tree")}, Hide: []string{secret}}); err == nil || !strings.Contains(err.Error(), secret) {
		t.Errorf("err = %v, want it to name %s", err, secret)
	}
	rules, err := rulesOf(Policy{Private: []string{filepath.Join(dir, "cache")}, Hide: []string{filepath.Join(dir, "cache/secret")}})
	if err != nil {
		t.Fatal(err)
	}
	may := func(path string) (all uint64) {
		for _, r := range rules {
			if within(path, r.path) {
				all |= r.rights
			}
		}
		return all
	}
	if got := may(filepath.Join(dir, "cache/secret/key")); got != list {
		t.Errorf("what is hidden in a cache: %#x, want it listed at most", got)
	}
	if got := may(filepath.Join(dir, "cache/other/x")); got&change != change {
		t.Errorf("the rest of the cache: %#x, want it to be changed", got)
	}
	if got := may("/dev/sda"); got != list {
		t.Errorf("a disk: %#x, want it listed at most", got)
	}
}

func TestHandledGrowsWithTheKernel(t *testing.T) {
	tests := []struct {
		abi                     int
		truncate, ioctl, signal bool
	}{{2, false, false, false}, {3, true, false, false}, {4, true, false, false}, {5, true, true, false}, {6, true, true, true}, {9, true, true, true}}
	for _, tt := range tests {
		files, scoped := handled(tt.abi)
		if got := files&unix.LANDLOCK_ACCESS_FS_TRUNCATE != 0; got != tt.truncate {
			t.Errorf("version %d refuses to truncate: %v", tt.abi, got)
		}
		if got := files&unix.LANDLOCK_ACCESS_FS_IOCTL_DEV != 0; got != tt.ioctl {
			t.Errorf("version %d refuses what devices do: %v", tt.abi, got)
		}
		if got := scoped != 0; got != tt.signal {
			t.Errorf("version %d keeps signals inside: %v", tt.abi, got)
		}
		if lacks := (Facts{Landlock: tt.abi}).Lacks(); (len(lacks) == 0) != (tt.truncate && tt.signal) {
			t.Errorf("version %d lacks %v", tt.abi, lacks)
		}
	}
}

func write(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
}
