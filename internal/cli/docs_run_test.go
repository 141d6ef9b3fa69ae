package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// notRun is what cannot be run here, by how it begins, and why.
var notRun = []struct{ begin, why string }{
	{"go install", "needs the network"},
	{"go run ./cmd/refrain demo", "needs our own source; the story demo plays it"},
	{"refrain run -a claude", "needs a real agent"},
	{"refrain run -a codex", "needs a real agent"},
	{"refrain run -a rehearsal", "lasts as long as its script says, which is a night"},
	{"refrain serve", "serves until somebody ends it"},
	{"printf '%s.%s'", "has variables in it for what a receiver got"},
	{"socket=", "needs a live run; the story talk has one"},
	{"refrain import", "needs a project of another system; the story import has several"},
	{"refrain pause", "needs a live run; the story talk has one"},
	{"refrain park", "needs a live run; the story park has one"},
	{"refrain note", "needs a live run; the story talk has one"},
	{"refrain raise", "needs a live run; the story talk has one"},
	{"refrain skip", "needs a live run; the story talk has one"},
	{"refrain stop", "needs a live run; the story talk has one"},
	{"refrain rollback", "asks a person; the story rollback has an answer"},
	{"temporal server", "works until somebody ends it; make test-fleet has one"},
	{"refrain fleet", "needs a server; the stories of package dispatch have one"},
	{"refrain-worker work", "works until somebody ends it; the story worker does"},
	{"refrain bisect", "needs a run that broke a gate; the story ratchet has one"},
}

// Every command of the docs that a test can run does run, in a project that has
// what the pages speak of. It may end as a run can end, and not with a complaint
// about how it was called.
func TestCommandsOfTheDocsRun(t *testing.T) {
	for _, program := range []string{"git", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("needs", program)
		}
	}
	told := map[string]bool{}
	for _, page := range docPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		var here []string
	scripts:
		for _, script := range scripts(string(text)) {
			for _, n := range notRun {
				if strings.HasPrefix(script, n.begin) {
					told[n.begin] = true
					continue scripts
				}
			}
			here = append(here, script)
		}
		if len(here) == 0 {
			continue
		}
		t.Run(filepath.Base(page), func(t *testing.T) {
			t.Parallel()
			w := docsWorld(t)
			for _, script := range here {
				w.play(script)
			}
		})
	}
	for _, n := range notRun {
		if !told[n.begin] {
			t.Errorf("no page has %q any more: take it off the list", n.begin)
		}
	}
}

// scripts are what a page has people type: a block for the shell, or, if all its
// lines are commands of ours, each line; and each line after a prompt.
func scripts(page string) []string {
	var all []string
	open, shell, block := false, false, []string(nil)
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		f := fence.FindStringSubmatch(line)
		switch {
		case f != nil && open && shell:
			all = append(all, parted(block)...)
			open = false
		case f != nil:
			open, shell, block = !open, f[1] == "sh", nil
		case open && shell:
			block = append(block, line)
		case open && strings.HasPrefix(line, "$ "):
			all = append(all, line[2:])
		}
	}
	return all
}

// A command of ours stands in a block for the shell, or after a prompt: elsewhere
// nobody would run it.
func TestCommandsStandWhereTheyAreRun(t *testing.T) {
	for _, page := range docPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		open, first := "", false
		for line := range strings.Lines(string(text)) {
			line = strings.TrimRight(line, "\n")
			switch f := fence.FindStringSubmatch(line); {
			case f != nil && open != "":
				open = ""
			case f != nil:
				open, first = "```"+f[1], true
			case open == "```" && first && strings.HasPrefix(line, "refrain ") && !strings.ContainsAny(line, "[…"):
				t.Errorf("%s: %s\n\tis in a block without \"sh\"", filepath.Base(page), line)
				fallthrough
			default:
				first = false
			}
		}
	}
}

func parted(block []string) []string {
	for _, line := range block {
		if !strings.HasPrefix(line, "refrain ") || strings.HasSuffix(line, "|") || strings.Count(line, "'")%2 != 0 {
			return []string{strings.Join(block, "\n")}
		}
	}
	return block
}

// docsWorld is a project as the pages have it, with a run that is over.
func docsWorld(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	w.unpack("testdata/docs/world.txtar")
	w.must("sh", "-c", "mkdir docs && cp -r \"$1\" docs/examples && cp docs/examples/night.toml .", "-", examples(t))
	w.env = append(w.env, "PATH="+filepath.Join(w.tree, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	w.must("git", "init", "-q", "-b", "main")
	w.must("git", "add", ".")
	w.must("git", "commit", "-qm", "start")
	w.must(w.program, "run", "-o", "quiet")
	return w
}

// unpack puts the files of an archive into the work tree.
func (w *world) unpack(archive string) {
	w.Helper()
	files, err := txtar.ParseFile(archive)
	if err != nil {
		w.Fatal(err)
	}
	for _, f := range files.Files {
		path := filepath.Join(w.tree, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			w.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o755); err != nil {
			w.Fatal(err)
		}
	}
}

func examples(t *testing.T) string {
	t.Helper()
	path, err := filepath.Abs("../../docs/examples")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// named is a run that a page speaks of. Here there is one, whatever its name.
var named = regexp.MustCompile(`\b(run|build)-[0-9]+`)

func (w *world) play(script string) {
	w.Helper()
	var out bytes.Buffer
	cmd := w.command("sh", "-c", named.ReplaceAllString(script, "last"))
	cmd.Stdout, cmd.Stderr = &out, &out
	err := cmd.Run()
	var exit *exec.ExitError
	if errors.As(err, &exit) && exit.ExitCode() <= 2 {
		err = nil // as a run can end
	}
	if err != nil || strings.Contains(out.String(), ": not found\n") || strings.HasPrefix(out.String(), "refrain: ") {
		w.Errorf("%s\n\t%v\n%s", script, err, out.String())
	}
}

// The card in docs/night.md is the one that the program prints after that night.
func TestTheCardOfTheNight(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the card cannot say whether anything is left running")
	}
	page, err := os.ReadFile("../../docs/night.md")
	if err != nil {
		t.Fatal(err)
	}
	_, want, _ := strings.Cut(string(page), "\n$ refrain\n")
	want, _, ok := strings.Cut(want, "```")
	if !ok {
		t.Fatal("docs/night.md has no card")
	}
	w := newWorld(t)
	w.must("sh", "-c", `echo 'Greet everybody.' >PROMPT.md
		printf '%s\n' '[done]' 'promise = "DONE"' '[[gate]]' 'name = "test"' 'run = "test -f done.txt"' 'when = "claim"' >refrain.toml
		git init -q -b main && git add . && git commit -qm start`)
	out := string(w.must(w.program, "rehearse", filepath.Join(examples(t), "night.toml"), "--start", "2026-11-14 22:00", "--commit", "--branch=greeting", "--keep"))
	copied := regexp.MustCompile(`/\S*refrain-rehearsal-\d+/tree`).FindString(out)
	if copied == "" {
		t.Fatalf("it does not say where the copy is:\n%s", out)
	}
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(copied)) })
	// What another machine, or another text in a file, makes different.
	own := regexp.MustCompile(`(?m)^(  files +).*$|(\(tree )\w+`)
	got := own.ReplaceAllString(string(w.must(w.program, "-C", copied)), "${1}${2}…")
	got = strings.Replace(got, "none (asked for)", "namespaces", 1) // a rehearsal has none, and a night has
	if want = own.ReplaceAllString(want, "${1}${2}…"); got != want {
		t.Errorf("the card of the night is\n%s\nand docs/night.md has\n%s", got, want)
	}
}
