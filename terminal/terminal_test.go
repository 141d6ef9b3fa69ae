// Package terminal walks through the first minutes of a new user on a real
// terminal, in tmux: from an empty project and one sentence to work that is proven.
//
// They run with "make test-terminal". What the screen shows at each step is kept in testdata, to be looked at by
// people. "go test ./terminal -update" writes it anew.
package terminal

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the screens anew")

// refrain is the folder of the program that is tried.
var refrain string

func TestMain(m *testing.M) {
	flag.Parse()
	if os.Getenv("TERMINAL_TESTS") == "" && !*update {
		os.Exit(m.Run()) // they skip, so there is nothing to build
	}
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "refrain-terminal-*")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		defer os.RemoveAll(dir)
		build := exec.Command("go", "build", "-o", filepath.Join(dir, "refrain"), "../cmd/refrain")
		build.Env = append(os.Environ(), "CGO_ENABLED=0")
		if out, err := build.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "build refrain: %v\n%s", err, out)
			return 1
		}
		refrain = dir
		return m.Run()
	}())
}

// languages are the projects: what they need, and the files that they begin with.
var languages = []struct {
	name, needs string
	files       map[string]string
}{
	{"go", "go", map[string]string{
		"go.mod":        "module example.com/greet\n\ngo 1.24\n",
		"greet.go":      "package greet\n\n// Greet says hello to somebody.\nfunc Greet(name string) string { return \"\" }\n",
		"greet_test.go": "package greet\n\nimport \"testing\"\n\nfunc TestGreet(t *testing.T) {\n\tif got := Greet(\"Ada\"); got != \"Hello, Ada!\" {\n\t\tt.Errorf(\"got %q\", got)\n\t}\n}\n",
	}},
	{"node", "node", map[string]string{
		"package.json":  "{\n  \"name\": \"greet\",\n  \"version\": \"1.0.0\",\n  \"scripts\": { \"test\": \"node --test\" }\n}\n",
		"greet.js":      "exports.greet = (name) => '';\n",
		"greet.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { greet } = require('./greet.js');\n\ntest('greets by name', () => assert.strictEqual(greet('Ada'), 'Hello, Ada!'));\n",
	}},
	{"python", "python3", map[string]string{
		".gitignore":     "__pycache__/\n",
		"pyproject.toml": "[project]\nname = \"greet\"\nversion = \"1.0.0\"\n",
		"greet.py":       "def greet(name):\n    return \"\"\n",
		"test_greet.py":  "import unittest\n\nfrom greet import greet\n\n\nclass TestGreet(unittest.TestCase):\n    def test_by_name(self):\n        self.assertEqual(greet(\"Ada\"), \"Hello, Ada!\")\n",
	}},
}

// leave is the key that leaves the full screen.
const leave = "q"

// fullScreen begins what is awaited anywhere on the screen.
const fullScreen = `(?s)\A`

// step is something that is typed, and what the screen then says.
type step struct {
	name  string
	typed string
	await string // a line of the screen, as a regular expression
}

// walk is what a new user types. Only what follows a prompt of the shell is a
// command; the rest is answers.
var walk = []step{
	{"init", "refrain init --yes", shellPrompt},
	{"plan", "refrain plan 'Greet people by their name'", `^\[.*\] > ?$`},
	{"answer", "Hello, stranger!", `\[q\]uit\?`},
	{"build", "b", fullScreen + `.*\bdone, proven\b.*\btasks 2/2\b.*\bq leave\b`}, // with its keys, once a note has gone
	{"leave", leave, shellPrompt},
	{"card", "refrain", shellPrompt},
	{"review", "refrain review", shellPrompt + `|\? ?$`},
}

const (
	shellPrompt = `^\$ ?$`
	emptyScreen = `\A\$ ?\z`
	maxTyped    = 4 // commands
)

func TestFromASentenceToAProvenChange(t *testing.T) {
	wanted(t)
	commands := 0
	for _, s := range walk {
		if strings.HasPrefix(s.typed, "refrain") {
			commands++
		}
	}
	if commands > maxTyped {
		t.Errorf("%d commands are typed, and %d are the most", commands, maxTyped)
	}
	for _, size := range []struct{ width, height int }{{80, 24}, {120, 40}} {
		for n, l := range languages {
			t.Run(fmt.Sprintf("%s-%dx%d", l.name, size.width, size.height), func(t *testing.T) {
				if _, err := exec.LookPath(l.needs); err != nil {
					t.Skipf("SKIPPED: there is no %s", l.needs)
				}
				w := newWorld(t, n, l.files)
				w.open(size.width, size.height)
				var screens strings.Builder
				for _, s := range walk {
					shown := w.play(s)
					for i, line := range strings.Split(shown, "\n") {
						if cells := len([]rune(line)); cells > size.width {
							t.Errorf("%s: line %d has %d cells", s.name, i+1, cells)
						}
					}
					fmt.Fprintf(&screens, "%s\n%s\n", rule(s.name, size.width), w.normal(shown))
				}
				fmt.Fprintf(&screens, "%s\n", strings.Repeat("─", size.width))
				compare(t, fmt.Sprintf("testdata/%s-%dx%d.txt", l.name, size.width, size.height), screens.String())
				if got := w.run("refrain", "status", "build-1", "--json"); !strings.Contains(got, `"proven": true`) {
					t.Errorf("it is not proven: %s", got)
				}
			})
		}
	}
}

// Whoever leaves with Ctrl+C in the middle of the talk loses nothing, and hears how
// it goes on.
func TestCtrlCLosesNothing(t *testing.T) {
	wanted(t)
	w := newWorld(t, len(languages), languages[0].files)
	w.open(80, 24)
	leaves := func(s step, says string) {
		t.Helper()
		w.play(s)
		w.tmux("send-keys", "C-c")
		if shown := w.await(shellPrompt); !strings.Contains(shown, says) {
			t.Errorf("%s: want %q on\n%s", s.name, says, shown)
		}
		if shown := w.play(step{"status", "echo status $?", shellPrompt}); !strings.Contains(shown, "status 130") {
			t.Errorf("%s: want the status 130 on\n%s", s.name, shown)
		}
	}
	question, menu := `^\[.*\] > ?$`, `\[q\]uit\?`
	leaves(step{"question", "refrain plan 'Greet people by their name'", question}, "Nothing is lost. Go on with: refrain plan")
	w.play(step{"again", "refrain plan", question}) // before anything is planned anew
	leaves(step{"menu", "Hello, stranger!", menu}, "The plan is kept. Go on with: refrain build")
	if got := w.run("cat", "specs/greet-people-by-their-name.md"); strings.Count(got, "Hello, stranger!") != 1 {
		t.Errorf("the answer is not kept:\n%s", got)
	}
	w.play(step{"third", "refrain plan", menu})
	leaves(step{"remark", "a", `different\? ?$`}, "The plan is kept. Go on with: refrain build")
	if got := w.run("refrain", "ls"); strings.Count(got, "plan-") != 3 {
		t.Errorf("want three runs:\n%s", got)
	}
}

// wanted skips where nobody has asked for minutes in tmux, or where it is not there.
func wanted(t *testing.T) {
	t.Helper()
	switch _, err := exec.LookPath("tmux"); {
	case os.Getenv("TERMINAL_TESTS") == "" && !*update:
		t.Skip("SKIPPED: \"make test-terminal\" plays this")
	case runtime.GOOS != "linux":
		t.Skip("SKIPPED: the screens are those of Linux")
	case err != nil:
		t.Skip("SKIPPED: there is no tmux")
	}
}

func rule(name string, width int) string {
	return "── " + name + " " + strings.Repeat("─", width-len(name)-4)
}

func compare(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) == got {
		return
	}
	wanted, shown := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range max(len(wanted), len(shown)) {
		switch {
		case i >= len(wanted) || i >= len(shown):
			t.Fatalf("%s has %d lines, and the screens %d: look at them, then -update", path, len(wanted), len(shown))
		case wanted[i] != shown[i]:
			t.Fatalf("%s:%d has\n%s\nand the screen\n%s\nall of them are:\n%s\nlook at them, then -update", path, i+1, wanted[i], shown[i], got)
		}
	}
}

// world is a new user's home, their project and their terminal.
type world struct {
	t    *testing.T
	dir  string
	env  []string
	sock string
}

// newWorld makes a project that is under git. The names of its folders are always
// as long, for they decide where lines break.
func newWorld(t *testing.T, n int, files map[string]string) *world {
	t.Helper()
	dir := fmt.Sprintf("/tmp/r%07d%d", os.Getpid()%10_000_000, n)
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, dir: dir, sock: filepath.Join(dir, "tmux")}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for _, key := range []string{"GOCACHE", "GOMODCACHE", "GOROOT"} {
		out, err := exec.Command("go", "env", key).Output()
		if err != nil {
			t.Fatal(err)
		}
		w.env = append(w.env, key+"="+strings.TrimSpace(string(out)))
	}
	w.env = append(w.env,
		"REFRAIN_SANDBOX_MODE=none", // which sandbox there is depends on the machine, and the screens do not
		"HOME="+filepath.Join(dir, "home"), "XDG_STATE_HOME="+filepath.Join(dir, "state"), "PATH="+refrain+":"+os.Getenv("PATH"), "TERM=xterm-256color", "LANG=C.UTF-8", "LC_ALL=C.UTF-8",
		"PS1=$ ", "SHELL=/bin/sh", "PAGER=cat", "GOPROXY=off", "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local", "NO_COLOR=1", "TZ=UTC",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.com",
	)
	for _, name := range []string{"agent.toml", "agent.sh"} {
		text, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		w.write(filepath.Join("home", name), string(text))
	}
	w.write("home/.config/refrain/config.toml", fmt.Sprintf("agent = \"rehearsal\"\n[agents.rehearsal]\nscript = %q\n", filepath.Join(dir, "home", "agent.toml")))
	for name, text := range files {
		w.write(filepath.Join("greet", name), text)
	}
	w.run("git", "init", "-q", "-b", "main")
	w.run("git", "add", "-A")
	w.run("git", "commit", "-qm", "start")
	return w
}

func (w *world) write(name, text string) {
	w.t.Helper()
	path := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// run runs a program in the project.
func (w *world) run(program string, args ...string) string {
	w.t.Helper()
	if program == "refrain" {
		program = filepath.Join(refrain, program)
	}
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = filepath.Join(w.dir, "greet"), w.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s: %v\n%s", cmd, err, out)
	}
	return string(out)
}

// open opens the terminal, with a shell in the project.
func (w *world) open(width, height int) {
	w.t.Helper()
	if _, err := os.Stat(filepath.Join(w.dir, "greet")); err != nil {
		w.t.Fatal(err)
	}
	// A test that is ended from outside cleans nothing up; then the terminal goes by itself.
	w.tmux("-f", "/dev/null", "new-session", "-d", "-x", fmt.Sprint(width), "-y", fmt.Sprint(height), "timeout --foreground 10m sh")
	w.t.Cleanup(func() { _ = exec.Command("tmux", "-S", w.sock, "kill-server").Run() })
	w.await(shellPrompt)
}

func (w *world) tmux(args ...string) string {
	w.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", w.sock}, args...)...)
	cmd.Dir, cmd.Env = filepath.Join(w.dir, "greet"), w.env
	var out, complaints bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("tmux %s: %v\n%s", strings.Join(args, " "), err, complaints.String())
	}
	return out.String()
}

// play types, and gives what the screen says then. A command begins with an empty
// screen, as whoever types it looks at what follows.
func (w *world) play(s step) string {
	w.t.Helper()
	if strings.HasPrefix(s.typed, "refrain") {
		w.tmux("send-keys", "-l", "clear")
		w.tmux("send-keys", "Enter")
		w.await(emptyScreen)
	}
	before := len(w.history())
	w.tmux("send-keys", "-l", s.typed)
	if s.typed != leave { // the screen hears it at once
		w.tmux("send-keys", "Enter")
	}
	deadline := time.Now().Add(patience)
	for len(w.history()) == before { // the Enter is on its way
		if time.Now().After(deadline) {
			w.t.Fatalf("%s: nothing happens", s.name)
		}
		time.Sleep(20 * time.Millisecond)
	}
	return w.await(s.await)
}

// patience is how long a screen may take to come.
const patience = 90 * time.Second

// history is all that the terminal has shown.
func (w *world) history() string { return w.tmux("capture-pane", "-p", "-S", "-") }

// await waits until the last line of the screen is as wanted, and stays so.
func (w *world) await(last string) string {
	w.t.Helper()
	wanted, before := regexp.MustCompile(last), ""
	for deadline := time.Now().Add(patience); ; {
		shown := strings.TrimRight(w.tmux("capture-pane", "-p"), "\n")
		line := shown[strings.LastIndex(shown, "\n")+1:]
		if last == emptyScreen || strings.HasPrefix(last, fullScreen) {
			line = shown
		}
		if wanted.MatchString(line) && shown == before {
			return shown
		}
		before = shown
		if time.Now().After(deadline) {
			w.t.Fatalf("the screen does not come to %s:\n%s", last, shown)
		}
		time.Sleep(100 * time.Millisecond)
	}
}

var normalised = []struct {
	pattern *regexp.Regexp
	by      string
}{
	{regexp.MustCompile(`\d+m\d\ds|\d+(\.\d+)?s\b`), "0s"},
	{regexp.MustCompile(`0s ± 0s`), "0s"},
	{regexp.MustCompile(`0s {2,}`), "0s  "}, // how much room is left beside it
	{regexp.MustCompile(` +│`), " │"},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d`), "2026-01-31"},
	{regexp.MustCompile(`\d\d:\d\d:\d\d`), "08:00:00"},
	{regexp.MustCompile(`\b[0-9a-f]{8,40}\b`), "########"},
}

// normal is a screen without what is different every time.
func (w *world) normal(screen string) string {
	screen = strings.ReplaceAll(screen, filepath.Base(w.dir), "r########")
	for _, n := range normalised {
		screen = n.pattern.ReplaceAllString(screen, n.by)
	}
	return screen
}
