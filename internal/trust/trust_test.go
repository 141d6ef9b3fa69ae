package trust

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func item(name, content string) Item {
	return Item{Name: name, What: content, Where: "refrain.toml:1", File: "refrain.toml", Sum: Sum(content)}
}

func TestNews(t *testing.T) {
	r := Record{}.with([]Item{item("gate test", "a"), item("gate lint", "b")}, time.Now())
	moved := item("gate test", "a")
	moved.Where = "refrain.toml:99"
	if got := r.News([]Item{moved, item("gate lint", "b")}); len(got) != 0 {
		t.Errorf("News of what is trusted = %v, want none", got)
	}
	got := r.News([]Item{item("gate test", "other"), item("hook started", "a")})
	if len(got) != 2 {
		t.Fatalf("News of two = %v", got)
	}
	if got[0].Before == nil || got[0].Before.What != "a" {
		t.Errorf("what was there before = %v, want a", got[0].Before)
	}
	if got[1].Before != nil {
		t.Errorf("what was there before a new one = %v, want none", got[1].Before)
	}
	// A yes is to a thing under its name: a gate that may run is no hook that may.
	if got := r.News([]Item{item("gate lint", "a")}); len(got) != 1 {
		t.Errorf("News of a trusted content under another name = %v, want one", got)
	}
}

func TestTheNewestIsWhatWasThereBefore(t *testing.T) {
	r := Record{}.with([]Item{item("g", "a")}, time.Now())
	r = r.with([]Item{item("g", "b")}, time.Now())
	r = r.with([]Item{item("g", "a")}, time.Now()) // said again, it is the newest
	if len(r.Items) != 2 {
		t.Errorf("%d items, want each once", len(r.Items))
	}
	if got := r.News([]Item{item("g", "c")}); got[0].Before.What != "a" {
		t.Errorf("before = %s, want the newest", got[0].Before.What)
	}
	var many []Item
	for i := range maxItems + 5 {
		many = append(many, item(fmt.Sprint(i), "x"))
	}
	if got := r.with(many, time.Now()).News(many); len(got) != 0 {
		t.Errorf("%d of what was just said are forgotten", len(got))
	}
	for i := range maxItems + 10 {
		r = r.with([]Item{item("g", fmt.Sprint(i))}, time.Now())
	}
	if len(r.Items) != maxItems {
		t.Errorf("%d items are kept, want %d", len(r.Items), maxItems)
	}
	if got := r.News([]Item{item("g", fmt.Sprint(maxItems+9))}); len(got) != 0 {
		t.Error("the newest was forgotten")
	}
}

// What was trusted in the place of a command is one that is gone, not one that is
// still there.
func TestWhatIsStillThereWasNotReplaced(t *testing.T) {
	r := Record{}.with([]Item{item("prompt", "a"), item("prompt", "b")}, time.Now())
	if got := r.News([]Item{item("prompt", "a"), item("prompt", "b"), item("prompt", "c")}); len(got) != 1 || got[0].Before != nil {
		t.Errorf("News = %+v, want one that is new", got)
	}
	if got := r.News([]Item{item("prompt", "a"), item("prompt", "c")}); len(got) != 1 || got[0].Before == nil || got[0].Before.What != "b" {
		t.Errorf("News = %+v, want one in the place of b", got)
	}
}

func FuzzSum(f *testing.F) {
	f.Add("a", "b", "ab", "")
	f.Add("1:a", "", "1", ":a")
	f.Fuzz(func(t *testing.T, a, b, c, d string) {
		if same := a == c && b == d; same != (Sum(a, b) == Sum(c, d)) {
			t.Errorf("Sum(%q, %q) and Sum(%q, %q) are wrongly alike or not", a, b, c, d)
		}
		if Sum(a, b) == Sum(a+b) {
			t.Errorf("Sum(%q, %q) is that of one part", a, b)
		}
	})
}

func TestWhatIsSaidIsKept(t *testing.T) {
	s := Store{filepath.Join(t.TempDir(), "state", "trust")}
	if r, err := s.Of("/p"); err != nil || len(r.Items) != 0 {
		t.Fatalf("Of where nobody was asked = %v, %v", r, err)
	}
	if err := s.Add("/p", []Item{item("g", "a")}, time.Now()); err != nil {
		t.Fatal(err)
	}
	r, err := s.Of("/p")
	if err != nil || len(r.News([]Item{item("g", "a")})) != 0 {
		t.Errorf("what was kept = %v, %v", r, err)
	}
	if other, err := s.Of("/q"); err != nil || len(other.Items) != 0 {
		t.Errorf("another place = %v, %v, want nothing", other, err)
	}
	info, err := os.Stat(s.file("/p"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file is %v, %v, want one that only we can read", info.Mode(), err)
	}
	if err := os.WriteFile(s.file("/p"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Of("/p"); err == nil {
		t.Error("a damaged file was believed")
	}
	if err := s.Add("/p", []Item{item("g", "b")}, time.Now()); err != nil {
		t.Errorf("a damaged file is not begun anew: %v", err)
	}
	// A file that was copied from another place says nothing of this one.
	data, err := os.ReadFile(s.file("/p"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.file("/q"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := s.Of("/q"); err == nil || len(r.Items) != 0 {
		t.Errorf("the file of another place = %v, %v, want an error", r, err)
	}
	if was, err := s.Forget("/p"); !was || err != nil {
		t.Errorf("Forget = %v, %v", was, err)
	}
	if was, err := s.Forget("/p"); was || err != nil {
		t.Errorf("Forget again = %v, %v", was, err)
	}
}

func git(t *testing.T, dir string, args ...string) {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@t"}, args...)...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func place(t *testing.T, dir string) string {
	t.Helper()
	p, err := Place(dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestPlace(t *testing.T) {
	top, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	mine, linked := filepath.Join(top, "mine"), filepath.Join(top, "linked")
	git(t, top, "init", "-q", "mine")
	git(t, mine, "commit", "-q", "--allow-empty", "-m", "x")
	git(t, mine, "worktree", "add", "-q", linked)
	below := filepath.Join(mine, "part")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	if place(t, mine) != place(t, linked) {
		t.Error("a linked work tree does not share what is trusted")
	}
	if place(t, mine) == place(t, below) {
		t.Error("a project below another shares what is trusted")
	}
	if err := os.Symlink(mine, filepath.Join(top, "link")); err != nil {
		t.Fatal(err)
	}
	if place(t, mine) != place(t, filepath.Join(top, "link")) {
		t.Error("another way to the folder is another place")
	}

	// Folders that say to be work trees of ours, and that our repository does not
	// know.
	common := filepath.Join(mine, ".git")
	for name, files := range map[string]map[string]string{
		"by file":        {".git": "gitdir: " + common + "\n"},
		"of a work tree": {".git": "gitdir: " + filepath.Join(common, "worktrees", "linked") + "\n"},
		"by commondir":   {".git/HEAD": "ref: refs/heads/x\n", ".git/commondir": common + "\n", ".git/gitdir": filepath.Join(top, "by commondir", ".git") + "\n"},
	} {
		hostile := filepath.Join(top, name)
		for file, text := range files {
			path := filepath.Join(hostile, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if place(t, hostile) == place(t, mine) {
			t.Errorf("%s: a stranger shares what is trusted in mine", name)
		}
	}
	// Work trees of two bare repositories that lie beside each other.
	var parts []string
	for _, name := range []string{"a", "b"} {
		git(t, top, "clone", "-q", "--bare", "mine", name+".git")
		git(t, filepath.Join(top, name+".git"), "worktree", "add", "-q", "-f", filepath.Join(top, name), "HEAD")
		part := filepath.Join(top, name, "part")
		if err := os.Mkdir(part, 0o700); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, place(t, part))
	}
	if parts[0] == parts[1] {
		t.Errorf("two repositories share what is trusted: %s", parts[0])
	}
	if _, err := Place(filepath.Join(top, "gone")); err == nil {
		t.Error("a folder that is not there has a place")
	}
}
