package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	// inCode is what a page sets as code.
	inCode = regexp.MustCompile("`([^`]+)`")
	// keyWord is a key, as far as its looks tell.
	keyWord = regexp.MustCompile(`^[a-z_]+(\.[a-z_]+)*$`)
	// fileWord is no key, though it looks like one.
	fileWord = regexp.MustCompile(`\.(toml|md|json|jsonl|yml|log)$`)
)

// toldBy are commands of docs/coming-from.md that only a story can run, and the
// story that does.
var toldBy = map[string]string{
	"refrain watch":  "full-screen", // has the whole screen of a terminal
	"refrain serve":  "serve",       // until somebody ends it
	"refrain import": "import",      // in projects of those systems
}

// withALiveRun are those that are about one.
var withALiveRun = []string{"refrain stop", "refrain stop --now", "refrain pause", "refrain resume", "refrain skip", "refrain reboot"}

// meant are values for the words that stand for any.
var meant = strings.NewReplacer("[", "", "]", "", "…", "go", "RUN/N", "last/1", "RUN", "last", "FILE", "PLAN.md", "DIR", ".", "CMD", "true", "TEXT", "go",
	"--sandbox docker", "--sandbox none") // there need not be an engine

// valueOf are values for flags that stand there without one.
var valueOf = map[string]string{
	"-C": ".", "-m": "large -a claude", "--max-iterations": "5", "--plan": "PLAN.md", "--permissions": "work",
	"--observe": "PROMPT.md", "--orient": "PROMPT.md", "--decide": "PROMPT.md", "--act": "PROMPT.md",
}

// tableRow is one of a table.
type tableRow struct{ theirs, ours string }

// tablesOfThePage are the rows of docs/coming-from.md in tables whose title begins so.
func tablesOfThePage(t *testing.T, title string) []tableRow {
	t.Helper()
	page, err := os.ReadFile("../../docs/coming-from.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []tableRow
	head := ""
	for line := range strings.Lines(string(page)) {
		cells := strings.Split(strings.Trim(line, "|\n "), " | ")
		switch {
		case !strings.HasPrefix(line, "|"):
			head = ""
		case strings.HasPrefix(line, "|--"):
		case head == "":
			head = strings.TrimSpace(cells[0])
		case strings.HasPrefix(head, title):
			rows = append(rows, tableRow{cells[0], cells[len(cells)-1]})
		}
	}
	if len(rows) == 0 {
		t.Fatalf("the page has no table of %s", title)
	}
	return rows
}

// code is what a cell has as code.
func code(cell string) []string {
	var list []string
	for _, m := range inCode.FindAllStringSubmatch(cell, -1) {
		list = append(list, m[1])
	}
	return list
}

// Who comes from another tool types what the tables of docs/coming-from.md have for
// the commands that they know. Every one of them is run here, or by a story.
func TestCommandsOfComingFromRun(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/coming-from.md")
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for _, c := range code(strings.ReplaceAll(string(page), "```", "")) {
		if (c == "refrain" || strings.HasPrefix(c, "refrain ")) && !slices.Contains(commands, c) {
			commands = append(commands, c)
		}
	}
	if len(commands) < 20 {
		t.Errorf("only %d commands found", len(commands))
	}
	w := docsWorld(t)
	w.env = append(w.env, "REFRAIN_LOOP_ITERATION_DELAY=0s") // tachikoma's is 5 seconds
	w.must("cp", "PROMPT.md", "prompt.md")
	for _, command := range commands {
		if story, ok := toldBy[command]; ok {
			w.isTold(command, story)
			continue
		}
		w.must("git", "checkout", "-q", ".") // the tasks are open again
		if !slices.Contains(withALiveRun, command) {
			w.play(meant.Replace(command))
			continue
		}
		w.must("rm", "-f", "at-work")
		w.must(w.program, "run", "--detach", "--session", "keep", "-p", "go", "-n", "99", "--until", "NEVER",
			"-a", "slow", "--set", "agents.slow.command=sh -c 'touch at-work; sleep 1'", "--set", "agents.slow.resume_flag=--resume")
		w.must("sh", "-c", "until rm at-work; do sleep 0.05; done 2>/dev/null")
		if command == "refrain resume" {
			w.must(w.program, "pause")
		}
		w.play(command)
		if !strings.HasPrefix(command, "refrain stop") {
			w.must(w.program, "stop", "--now")
		}
	}
}

// So it is with what stands there for a flag, or for the rest of a command.
func TestFlagsOfComingFromRun(t *testing.T) {
	t.Parallel()
	w := docsWorld(t)
	seen := 0
	for _, row := range slices.Concat(tablesOfThePage(t, "their command"), tablesOfThePage(t, "tool")) {
		flags := code(row.ours)
		if strings.HasPrefix(row.ours, "the same") { // theirs is ours
			flags = append(flags, code(row.theirs)...)
		}
		for _, flag := range flags {
			if !strings.HasPrefix(flag, "-") {
				continue
			}
			seen++
			if value := valueOf[flag]; value != "" {
				flag += " " + value
			}
			line := "refrain run build --dry-run " + meant.Replace(flag)
			if !strings.HasPrefix(flag, "-- ") && !strings.HasPrefix(flag, "-a ") && !strings.HasPrefix(flag, "-m ") {
				line += " -- true"
			}
			w.play(line)
		}
	}
	if seen < 20 {
		t.Errorf("only %d flags found", seen)
	}
}

// A key of ours on the page is one, and a key of theirs is answered when somebody
// types it here.
func TestKeysOfComingFromAreAnswered(t *testing.T) {
	t.Parallel()
	w := docsWorld(t)
	asked := map[string]bool{}
	for _, row := range tablesOfThePage(t, "their ") {
		for _, key := range code(row.ours) {
			key, _, _ = strings.Cut(key, " = ")
			if asked[key] || !keyWord.MatchString(key) || fileWord.MatchString(key) || !strings.Contains(key, ".") || isEvent(key) {
				continue
			}
			asked[key] = true
			w.play("refrain config explain " + key)
		}
	}
	if len(asked) < 25 {
		t.Errorf("only %d keys of ours found", len(asked))
	}
	clear(asked)
	for _, row := range tablesOfThePage(t, "their key") {
		theirs, _, _ := strings.Cut(row.theirs, "(") // behind it stand values
		for _, key := range code(theirs) {
			key, _, _ = strings.Cut(key, " ")
			if key = strings.Trim(key, "[]"); asked[key] || !keyWord.MatchString(key) || slices.Contains([]string{"claude", "copilot"}, key) {
				continue
			}
			asked[key] = true
			out, err := w.command("sh", "-c", "refrain config explain "+key).CombinedOutput()
			if err != nil && (!strings.Contains(string(out), "hint: ") || strings.Contains(string(out), "lists every key")) {
				t.Errorf("%s, which the page says is %s, gets no answer:\n%s", key, row.ours, out)
			}
		}
	}
	if len(asked) < 40 {
		t.Errorf("only %d keys of theirs found", len(asked))
	}
}

// isEvent tells whether a word is the type of an event, which looks like a key.
func isEvent(word string) bool {
	kind, _, _ := strings.Cut(word, ".")
	return slices.Contains([]string{"run", "iteration", "agent", "claim"}, kind)
}

// A name of the library on the page is there.
func TestNamesOfComingFromAreInTheLibrary(t *testing.T) {
	var source strings.Builder
	for _, pattern := range []string{"../../*.go", "../loop/*.go", "../agent/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil || len(names) == 0 {
			t.Fatal(pattern, err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			source.Write(text)
		}
	}
	word, seen := regexp.MustCompile(`\b[A-Z][A-Za-z]+\b`), 0
	for _, row := range tablesOfThePage(t, "their library") {
		for _, name := range word.FindAllString(strings.Join(code(row.ours), " "), -1) {
			seen++
			if !regexp.MustCompile(`(?m)^(func (\([^)]*\) )?|type |\t)` + name + `\b`).MatchString(source.String()) {
				t.Errorf("the library has no %s, which the page names for %s", name, row.theirs)
			}
		}
	}
	if seen < 20 {
		t.Errorf("only %d names found", seen)
	}
}

func (w *world) isTold(command, story string) {
	w.Helper()
	text, err := os.ReadFile(filepath.Join("testdata/script", story+".txtar"))
	if err != nil {
		w.Fatal(err)
	}
	if !strings.Contains(string(text), command) {
		w.Errorf("the story %s does not run %s", story, command)
	}
}
