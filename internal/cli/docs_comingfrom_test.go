package cli

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// atHome is a command of ours in the text of a page.
var atHome = regexp.MustCompile("`(refrain(?: [^`]*)?)`")

// toldBy are commands of docs/coming-from.md that only a story can run, and the
// story that does.
var toldBy = map[string]string{
	"refrain watch":  "full-screen", // has the whole screen of a terminal
	"refrain serve":  "serve",       // until somebody ends it
	"refrain import": "import",      // in projects of those systems
}

// withALiveRun are those that are about one.
var withALiveRun = []string{"refrain stop", "refrain stop --now", "refrain pause"}

// meant are values for the words that stand for any.
var meant = strings.NewReplacer("[", "", "]", "", "…", "go", "RUN/N", "last/1", "RUN", "last", "FILE", "PLAN.md")

// Who comes from another tool types what the tables of docs/coming-from.md have for
// the commands that they know. Every one of them is run here, or by a story.
func TestCommandsOfComingFromRun(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/coming-from.md")
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	for _, m := range atHome.FindAllStringSubmatch(string(page), -1) {
		if !slices.Contains(commands, m[1]) {
			commands = append(commands, m[1])
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
		if slices.Contains(withALiveRun, command) {
			w.must(w.program, "run", "--detach", "-p", "go", "-n", "99", "-a", "slow", "--set", "agents.slow.command=sleep 1")
		}
		w.play(meant.Replace(command))
		if command == "refrain pause" { // the others have ended it
			w.must(w.program, "stop", "--now")
		}
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
