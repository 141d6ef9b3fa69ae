package fence

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// planOf gives the places of a plan below a folder, as "role path" with a star when
// there is nothing to mount.
func planOf(t *testing.T, root string, p Policy, sockets ...string) []string {
	t.Helper()
	pl, err := newPlan(p, sockets)
	if err != nil {
		t.Fatal(err)
	}
	words := map[role]string{
		emptied: "emptied", temporary: "temporary", shown: "shown", reached: "reached",
		copied: "copied", changed: "changed", kept: "kept", hidden: "hidden", sieved: "sieved",
	}
	var list []string
	for _, one := range pl.places {
		rel, ok := strings.CutPrefix(one.path, root+"/")
		if !ok || one.loose { // what is beside the hidden is another test's
			continue
		}
		if one.idle {
			rel += " *"
		}
		list = append(list, words[one.role]+" "+rel)
	}
	return list
}

func TestTheDeepestPlaceTells(t *testing.T) {
	root := t.TempDir()
	at := func(names ...string) (paths []string) {
		for _, name := range names {
			path := filepath.Join(root, name)
			if err := os.MkdirAll(path, 0o700); err != nil {
				t.Fatal(err)
			}
			paths = append(paths, path)
		}
		return paths
	}
	for _, tt := range []struct {
		name   string
		policy Policy
		want   []string
	}{
		{"nothing is named", Policy{}, nil},
		{"what is not there is left out", Policy{Write: []string{root + "/none"}, Hide: []string{root + "/none"}, Keep: []string{root + "/none"}}, nil},
		{"what may be changed already needs no mount", Policy{Write: at("a", "a/b/c")}, []string{"changed a", "changed a/b/c *"}},
		{"what is shown already needs none either", Policy{Show: at("a"), Sockets: at("b")}, []string{"shown a *", "reached b *"}},
		{"what is shown of the hidden", Policy{Hide: at("a"), Show: at("a/b", "a/b/c")}, []string{"hidden a *", "shown a/b", "shown a/b/c *"}},
		{"the hidden in the hidden is hidden", Policy{Hide: at("a", "a/b")}, []string{"hidden a *", "hidden a/b *"}},
		{"the hidden of the shown of the hidden", Policy{Hide: at("a", "a/b/c"), Show: at("a/b")}, []string{"hidden a *", "sieved a/b", "hidden a/b/c *"}},
		{"what may be changed in the hidden", Policy{Hide: at("a"), Write: at("a/b")}, []string{"hidden a *", "changed a/b"}},
		{"the hidden in what may be changed", Policy{Hide: at("a/b"), Write: at("a")}, []string{"changed a", "hidden a/b"}},
		{"to forbid comes first", Policy{Hide: at("a"), Write: at("a", "b"), Keep: at("b"), Private: at("c"), Show: at("a", "c")}, []string{"hidden a *", "kept b *", "copied c"}},
		{"what is kept is no place outside of what may be changed", Policy{Keep: at("a")}, []string{"kept a *"}},
		{"what is kept holds its folders in place", Policy{Write: at("a"), Keep: at("a/b/c/d")}, []string{"changed a", "changed a/b", "changed a/b/c", "kept a/b/c/d"}},
		{"also those that are named themselves", Policy{Write: at("a", "a/b"), Keep: at("a/b/c")}, []string{"changed a", "changed a/b", "kept a/b/c"}},
		{"what may be changed in what is kept", Policy{Write: at("a", "a/b/c"), Keep: at("a/b")}, []string{"changed a", "kept a/b", "changed a/b/c"}},
		{"names that begin alike are no relatives", Policy{Write: at("a", "a b", "a-b", "ab")}, []string{"changed a", "changed a b", "changed a-b", "changed ab"}},
		{"what lies below comes later", Policy{Write: at("a-b"), Hide: at("a"), Show: at("a/b")}, []string{"hidden a *", "shown a/b", "changed a-b"}},
		{"a private folder in one", Policy{Private: at("a", "a/b")}, []string{"copied a", "copied a/b *"}},
	} {
		if got := planOf(t, root, tt.policy); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestSocketsAreClosedWhereTheyCouldBeReached(t *testing.T) {
	root, err := os.MkdirTemp("", "s") // a short path, for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(root) })
	var sockets []string
	for _, name := range []string{"free", "tree", "tree/kept", "let", "hidden"} {
		dir := filepath.Join(root, name)
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		l, err := net.Listen("unix", dir+"/s")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		sockets = append(sockets, dir+"/s")
	}
	if err := os.WriteFile(root+"/file", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("free", root+"/link"); err != nil {
		t.Fatal(err)
	}
	sockets = append(sockets, root+"/file", root+"/none", root+"/none/none", root+"/link/s")
	p := Policy{
		Write: []string{root + "/tree"}, Keep: []string{root + "/tree/kept"}, Sockets: []string{root + "/let"}, Hide: []string{root + "/hidden"},
	}
	got := planOf(t, root, p, sockets...)
	want := []string{"hidden free/s", "hidden hidden *", "reached let", "changed tree", "kept tree/kept", "hidden tree/kept/s"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// All that is beside something hidden is shown by itself: the folder around it is
// another one, in which nothing appears later.
func TestWhatIsBesideTheHiddenIsShown(t *testing.T) {
	root := t.TempDir()
	home := filepath.Join(root, "home")
	for _, name := range []string{"tree", ".config/one"} {
		if err := os.MkdirAll(filepath.Join(home, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{".netrc", ".profile", ".config/secret"} {
		if err := os.WriteFile(filepath.Join(home, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("tree", filepath.Join(home, "link")); err != nil {
		t.Fatal(err)
	}
	pl, err := newPlan(Policy{Write: []string{home + "/tree"}, Hide: []string{home + "/.netrc", home + "/.config/secret", home + "/.later", home + "/tree/none"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, one := range pl.places {
		if rel, ok := strings.CutPrefix(one.path, home); ok && !one.idle {
			got = append(got, map[role]string{sieved: "sieved ", shown: "shown ", changed: "changed ", hidden: "hidden "}[one.role]+rel)
		}
	}
	want := []string{"sieved ", "sieved /.config", "shown /.config/one", "shown /.profile", "changed /tree"}
	if !slices.Equal(got, want) || pl.links[home+"/link"] != "tree" {
		t.Errorf("places %q, links %q, want %q, and the link", got, pl.links, want)
	}
}

func TestAPolicyForAllThereIsIsNone(t *testing.T) {
	for _, p := range []Policy{{Write: []string{"/"}}, {Write: []string{"/proc/self/root"}}, {Hide: []string{"/"}}} {
		if pl, err := newPlan(p, nil); err == nil {
			t.Errorf("newPlan(%+v) = %+v", p, pl)
		}
	}
}

func TestCovered(t *testing.T) {
	for path, want := range map[string]bool{
		"/tmp": true, "/tmp/x": true, "/tmpx": false, "/run/user/1000": true, "/home/x": false, "/": false, "/dev/shm/x": true, "/dev": false,
	} {
		if got := Covered(path); got != want {
			t.Errorf("Covered(%q) = %v", path, got)
		}
	}
}

const netUnix = `Num       RefCount Protocol Flags    Type St Inode Path
00000000352f1947: 00000003 00000000 00000000 0001 03 145712
000000004b3bc0d8: 00000002 00000000 00010000 0001 01 150529 /run/a
000000006363fe8f: 00000002 00000000 00010000 0001 01 52116 @/tmp/abstract
0000000053b2e1a7: 00000002 00000000 00000000 0002 01    77 /with a space
0000000053b2e1a8: 00000002 00000000 00000000 0002 01    78 /with
a line
0000000053b2e1a9: 00000002 00000000 00000000 0002 01    79 relative
not an entry
0000000053b2e1aa: 00000002 00000000 00000000 0002 01    80 /last
`

func TestTheListOfSocketsIsRead(t *testing.T) {
	got := boundIn(netUnix)
	want := []string{"/run/a", "/with a space", "/with\na line", "/last"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func FuzzTheListOfSockets(f *testing.F) {
	f.Add("/run/a", netUnix)
	f.Add("/a\nb", "")
	f.Fuzz(func(t *testing.T, path, before string) {
		for _, p := range boundIn(before) {
			if !strings.HasPrefix(p, "/") {
				t.Errorf("%q is no path", p)
			}
		}
		if strings.Contains(path, "\x00") || !strings.HasPrefix(path, "/") || strings.Contains(path, ":") {
			return
		}
		list := fmt.Sprintf("0000000053b2e1aa: 00000002 00000000 00010000 0001 01 %5d %s\n", 80, path)
		if got := boundIn(list); !slices.Equal(got, []string{path}) {
			t.Errorf("%q, want %q", got, path)
		}
	})
}

func FuzzPlan(f *testing.F) {
	f.Add("a a/b", "a/b/c", "a/c", "a/c/d")
	f.Add("a", "a", "a", "a")
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, write, keep, hide, show string) {
		paths := func(words string) (list []string) {
			for _, word := range strings.Fields(words) {
				path := filepath.Join(root, filepath.Join("/", strings.ToValidUTF8(word, "")))
				if len(word) < 40 && !strings.Contains(word, "\x00") && strings.Count(word, "/") < 6 && os.MkdirAll(path, 0o700) == nil {
					list = append(list, path)
				}
			}
			return list
		}
		pl, err := newPlan(Policy{Write: paths(write), Keep: paths(keep), Hide: paths(hide), Show: paths(show)}, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, one := range pl.places {
			for _, later := range pl.places[i+1:] {
				if below(one.path, later.path) {
					t.Fatalf("%q comes before %q, which is above it", one.path, later.path)
				}
			}
			if one.role == hidden && one.idle && pl.above(one.path).role == shown {
				t.Errorf("%q is not hidden", one.path)
			}
		}
	})
}
