package dispatch

import (
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/plan"
)

func TestANameIsMadeOfWhatARunIsAbout(t *testing.T) {
	for words, want := range map[string]string{
		"Fix the failing tests":                            "fix-the-failing-tests",
		"  Füge `refrain ls` hinzu!":                       "f-ge-refrain-ls-hinzu",
		"Rewrite the importer so that it takes everything": "rewrite-the-importer-so-that",
		"Donaudampfschifffahrtsgesellschaftskapitän":       "donaudampfschifffahrtsgesell",
		"---": "",
		"":    "",
	} {
		if got := slug(words); got != want {
			t.Errorf("slug(%q) = %q, want %q", words, got, want)
		}
	}
}

func TestEveryNameIsGood(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &site{names: map[string]bool{}, branches: map[string]bool{}}
		name, err := s.name(wanted{about: rapid.String().Draw(t, "about")}, "loop_01234567-89ab")
		if err != nil {
			t.Fatal(err)
		}
		if branch, err := s.branchOf("refrain/{{name}}", name, "id"); err != nil {
			t.Fatalf("the name %q makes the branch %q: %v", name, branch, err)
		}
	})
}

// What is taken for the name of a branch, git takes for one, too.
func TestGitTakesTheBranchesThatWeTake(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("needs git")
	}
	names := []string{
		"refrain/x", "a", "a/b.c", "feature/ü", "a.lock", "a/.b", "a..b", "a b", "-a", "a@{b", "a//b", "/a", "a/", "a.", "a~", "a^", "a:b", "a?", "a*", "a[", `a\b`, "a\tb", "a\x7f", "",
	}
	for _, name := range names {
		git := exec.Command("git", "check-ref-format", "--branch", name)
		git.Dir = t.TempDir()
		taken := git.Run() == nil
		if bad := badBranch(name); (bad == "") != taken {
			t.Errorf("%q: git takes it: %v, and we say %q", name, taken, bad)
		}
	}
}

func TestWhenARunMayBeHandedIn(t *testing.T) {
	for when, good := range map[string]bool{
		"0 3 * * *": true, "*/5 1-3 * JAN MON-FRI": true, "every 6h": true, "every 2d": true, "every 1m": true,
		"": false, "every": false, "every 59s": false, "every -6h": false, "tomorrow": false, "0 3 * *": false, "0 3 * * * *": false, "0 3 * * $(x)": false,
	} {
		if got := badWhen(when); (got == "") != good {
			t.Errorf("badWhen(%q) = %q, want that it is good: %v", when, got, good)
		}
	}
}

func TestUntilWhenNobodyWorks(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for said, want := range map[string]time.Time{
		"now": {}, "90m": now.Add(90 * time.Minute), "2d": now.Add(48 * time.Hour),
		"2026-02-03T04:05:06Z": time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC),
		"2026-02-03T04:05":     time.Date(2026, 2, 3, 4, 5, 0, 0, time.Local).UTC(),
		"2026-02-03":           time.Date(2026, 2, 3, 0, 0, 0, 0, time.Local).UTC(),
	} {
		if got, err := untilTime(said, now); err != nil || !got.Equal(want) {
			t.Errorf("untilTime(%q) = %v, %v, want %v", said, got, err, want)
		}
	}
	for _, said := range []string{"", "soon", "25:00", "-"} {
		if got, err := untilTime(said, now); err == nil {
			t.Errorf("untilTime(%q) = %v, want an error", said, got)
		}
	}
}

func TestTasksThatAreDoneInOneGo(t *testing.T) {
	tasks := plan.Parse([]byte("- [ ] a\n  - [ ] b\n  - [x] c\n- [ ] d\n  - [x] e\n- [~] f\n  - [ ] g\n- [x] h\n"))
	var got []string
	for _, task := range single(tasks) {
		got = append(got, task.Text)
	}
	if diff := cmp.Diff([]string{"b", "d", "g"}, got); diff != "" {
		t.Errorf("runs (-want +got):\n%s", diff)
	}
}

func FuzzJobs(f *testing.F) {
	f.Add("jobs.jsonl", "{\"sentence\": \"a\"}\n# b\n\n{")
	f.Add("jobs.toml", "[[job]]\nsentence = \"a\"\n[[job]]\n")
	f.Add("jobs.toml", "job = [1, {}]")
	f.Fuzz(func(t *testing.T, path, data string) {
		list, err := jobsIn(path, []byte(data))
		if err != nil {
			return
		}
		last := 0
		for _, j := range list {
			if j.line < last || j.line > strings.Count(data, "\n")+1 || filepath.Ext(path) != ".toml" && j.line == last {
				t.Errorf("a job on line %d after %d, of %q", j.line, last, data)
			}
			last = j.line
			if j.values == nil && j.err == nil {
				t.Errorf("line %d is no job, and nothing is said to be wrong with it: %q", j.line, data)
			}
		}
	})
}

func TestHealth(t *testing.T) {
	h := &health{worker: "w", queue: "q", live: func() int { return 2 }}
	look := func() (int, string) {
		r := httptest.NewRecorder()
		h.ServeHTTP(r, httptest.NewRequest(http.MethodGet, "/healthz", nil))
		return r.Code, strings.TrimSpace(r.Body.String())
	}
	for _, tt := range []struct {
		set  string
		code int
		body string
	}{
		{working, 200, `{"worker":"w","queue":"q","state":"working","legs":2}`},
		{unserved, 503, `{"worker":"w","queue":"q","state":"no server answers","legs":2}`},
		{leaving, 503, `{"worker":"w","queue":"q","state":"leaving","legs":2}`},
		{working, 503, `{"worker":"w","queue":"q","state":"leaving","legs":2}`}, // who leaves does not come back
	} {
		h.set(tt.set)
		if code, body := look(); code != tt.code || body != tt.body {
			t.Errorf("%s: %d %s, want %d %s", tt.set, code, body, tt.code, tt.body)
		}
	}
	at, end, err := h.serve("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	for path, want := range map[string]int{"/healthz": 503, "/": 404} {
		answer, err := http.Get("http://" + at + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = answer.Body.Close()
		if answer.StatusCode != want {
			t.Errorf("GET %s: %d, want %d", path, answer.StatusCode, want)
		}
	}
	if _, _, err := h.serve(at); err == nil {
		t.Error("two listen at one address")
	}
}

func TestTheNameOfAMachineIsGood(t *testing.T) {
	name, err := machineName()
	if host, _ := os.Hostname(); err != nil || !goodName().MatchString(strings.ReplaceAll(name, ".", "-")) {
		t.Errorf("the machine %q is the worker %q: %v", host, name, err)
	}
}
