package cli

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
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
	{"printf '%s.%s'", "has variables in it for what a receiver got"},
	{"socket=", "needs a live run; the story talk has one"},
	{"refrain pause", "needs a live run; the story talk has one"},
	{"refrain note", "needs a live run; the story talk has one"},
	{"refrain raise", "needs a live run; the story talk has one"},
	{"refrain skip", "needs a live run; the story talk has one"},
	{"refrain stop", "needs a live run; the story talk has one"},
	{"refrain rollback", "asks a person; the story rollback has an answer"},
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
	world, err := txtar.ParseFile("testdata/docs/world.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range world.Files {
		path := filepath.Join(w.tree, f.Name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	w.must("sh", "-c", "mkdir docs && cp -r \"$1\" docs/examples", "-", examples(t))
	w.env = append(w.env, "PATH="+filepath.Join(w.tree, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	w.must("git", "init", "-q", "-b", "main")
	w.must("git", "add", ".")
	w.must("git", "commit", "-qm", "start")
	w.must(w.program, "run", "-o", "quiet")
	return w
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
