package cli

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/files"
)

// dialogue is one about a plan, with a person who has typed everything already,
// and an agent that is a list of plans.
type dialogue struct {
	planning
	out    bytes.Buffer
	said   []string // to the agent
	built  int
	edited []string
}

const spec = "# Export\n\nAdd an export command\n"

func newTalk(t *testing.T, typed string, plans ...string) *dialogue {
	t.Helper()
	dir := t.TempDir()
	put(t, filepath.Join(dir, "specs", "export.md"), spec)
	k := &dialogue{}
	file := filepath.Join(dir, "PLAN.md")
	k.planning = planning{
		sh:   &shell{console: console{in: strings.NewReader(typed), out: &k.out, err: &k.out}},
		tree: dir, file: files.Named{Path: file}, talks: true, tells: true, sentence: "Add an export command", spec: "specs/export.md",
		plans: func(words string) (bool, error) {
			k.said = append(k.said, words)
			if len(plans) == 0 {
				return false, nil
			}
			put(t, file, plans[0])
			plans = plans[1:]
			return true, nil
		},
		build: func() error { k.built++; return nil },
		edit: func(path string) error {
			k.edited = append(k.edited, path)
			return errors.New("no editor here")
		},
	}
	return k
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (k *dialogue) specNow(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(k.tree, "specs", "export.md"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(string(b), strings.TrimSuffix(spec, "\n"))
}

const (
	simple = "## Export\n\n- [ ] Write a file (refs: specs/export.md)\n- [x] Read notes\n"
	asking = simple + "\n## Questions\n\n- Which format? Meanwhile: CSV.\n"
	four   = simple + "\n## Questions\n\n- a?\n- b?\n- c?\n- d?\n"
)

func TestATalkAboutAPlan(t *testing.T) {
	const asks = "[b]uild it  [e]dit it  [a]sk for changes  [q]uit? "
	const shown = "\nPLAN.md  1 open task, 1 done\n\n  Export\n  [ ] Write a file\n  [x] Read notes\n\n" + asks
	for _, tt := range []struct {
		name, typed string
		plans       []string
		want        string // on the screen
		runs        int
		built       int
		spec        string // what was added to it
	}{
		{"is short where nothing is asked", "\n", []string{simple}, shown + "Go on with: refrain build\n", 1, 0, ""},
		{"builds", "b\n", []string{simple}, shown, 1, 1, ""},
		{"plans again with an answer", "JSON\nq\n", []string{asking, simple}, "\nThe agent has 1 question. Enter takes its own guess.\n\n1/1  Which format?\n[CSV] > Planning goes on with your answers.\n" + shown + "Go on with: refrain build\n", 2, 0, "\n\n## Answers\n\n- Which format?\n  JSON\n"},
		{"does not plan again without one", "\nq\n", []string{asking}, "\nThe agent has 1 question. Enter takes its own guess.\n\n1/1  Which format?\n[CSV] > " + shown + "Go on with: refrain build\n", 1, 0, "\n\n## Answers\n\n- Which format?\n  Left open; meanwhile: CSV.\n"},
		{"keeps what was said before somebody left", "one\n", []string{four}, "\nThe agent has 3 questions. Enter takes its own guess.\n\n1/3  a?\n> \n2/3  b?\n> \nNothing is lost. Go on with: refrain plan\n", 1, 0, "\n\n## Answers\n\n- a?\n  one\n"},
		{"asks three times at most", "1\n2\n3\nq\n", []string{four, four}, "\nThe agent has 3 questions. Enter takes its own guess.\n\n1/3  a?\n> \n2/3  b?\n> \n3/3  c?\n> Planning goes on with your answers.\n" + shown + "Go on with: refrain build\n", 2, 0, "\n\n## Answers\n\n- a?\n  1\n- b?\n  2\n- c?\n  3\n"},
		{"takes remarks", "a\n\na\nFewer tasks\nb\n", []string{simple, simple}, shown + "What should be different? \n" + asks + "What should be different? " + shown, 2, 1, ""},
		{"ends where planning fails", "a\nFewer tasks\n", []string{simple}, shown + "What should be different? ", 2, 0, ""},
		{"is left with the end of the input", "", []string{simple}, shown + "\nThe plan is kept. Go on with: refrain build\n", 1, 0, ""},
		{"is left in a remark", "a\n", []string{simple}, shown + "What should be different? \nThe plan is kept. Go on with: refrain build\n", 1, 0, ""},
		{"edits", "e\nq\n", []string{simple}, shown + "no editor here\n" + shown + "Go on with: refrain build\n", 1, 0, ""},
		{"does not know all letters", "x\nQ\n", []string{simple}, shown + "Type one of the letters, then Enter. Enter alone leaves the plan as it is.\n\n" + asks + "Go on with: refrain build\n", 1, 0, ""},
		{"is none without a plan", "b\n", nil, "", 1, 0, ""},
		{"says what is wrong with the plan", "q\n", []string{"nothing\n"}, "", 1, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			k := newTalk(t, tt.typed, tt.plans...)
			if err := k.hold(); err != nil {
				t.Fatal(err)
			}
			got := k.out.String()
			if tt.plans != nil && tt.plans[0] == "nothing\n" {
				if !strings.Contains(got, "has no tasks") {
					t.Errorf("screen:\n%s", got)
				}
				return
			}
			if got != tt.want {
				t.Errorf("screen:\n%s\nwant:\n%s", got, tt.want)
			}
			if len(k.said) != tt.runs || k.built != tt.built {
				t.Errorf("%d runs and %d builds, want %d and %d", len(k.said), k.built, tt.runs, tt.built)
			}
			if added := k.specNow(t); strings.TrimSuffix(added, "\n") != strings.TrimSuffix(tt.spec, "\n") {
				t.Errorf("added to the spec:\n%s\nwant:\n%s", added, tt.spec)
			}
		})
	}
}

func TestARemarkIsSaidWithTheSentence(t *testing.T) {
	k := newTalk(t, "a\nFewer tasks\nq\n", simple, simple)
	if err := k.hold(); err != nil {
		t.Fatal(err)
	}
	if want := "Add an export command\n\nOf the plan as it is, they say: Fewer tasks"; k.said[1] != want {
		t.Errorf("said %q, want %q", k.said[1], want)
	}
}

func TestQuestionsFromTheLastTimeComeFirst(t *testing.T) {
	k := newTalk(t, "JSON\nq\n", simple)
	k.sentence, k.spec = "", ""
	put(t, k.file.Path, asking)
	if err := k.hold(); err != nil {
		t.Fatal(err)
	}
	if got := k.specNow(t); !strings.Contains(got, "JSON") || len(k.said) != 1 {
		t.Errorf("%d runs, spec:\n%s", len(k.said), got)
	}
}

func TestWithoutATerminalQuestionsAreTold(t *testing.T) {
	k := newTalk(t, "b\n", asking+"- Which folder?\n")
	k.talks = false
	if err := k.hold(); err != nil {
		t.Fatal(err)
	}
	want := "\nThe plan has 2 open questions, and goes by its own guess meanwhile:\n  1  Which format? [CSV]\n  2  Which folder?\nAnswer with: refrain plan --answer 1='…' --answer 2='…'\n"
	if got := k.out.String(); got != want || k.built > 0 {
		t.Errorf("screen:\n%s\nwant:\n%s", got, want)
	}
}

func TestWhereAnAnswerGoes(t *testing.T) {
	named := simple + "\n## Questions\n\n- Which format? (refs: specs/other.md)\n"
	k := newTalk(t, "JSON\nq\n", named, simple)
	put(t, filepath.Join(k.tree, "specs", "other.md"), "# Other\n")
	if err := k.hold(); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(k.tree, "specs", "other.md")); !strings.Contains(string(b), "JSON") {
		t.Errorf("the spec that it names: %s", b)
	}
	k = newTalk(t, "JSON\nq\n", simple+"\n## Questions\n\n- Which format? (refs: ../../etc/hosts.md)\n", simple)
	k.spec = ""
	put(t, filepath.Join(k.tree, "specs", "other.md"), "# Other\n")
	if err := k.hold(); err != nil {
		t.Fatal(err)
	}
	if b, _ := os.ReadFile(filepath.Join(k.tree, "specs", "answers.md")); !strings.Contains(string(b), "JSON") {
		t.Errorf("where no spec is named: %s", b)
	}
}

func TestThePlanFitsTheScreen(t *testing.T) {
	k := newTalk(t, "q\n", "## Names\n\n- [ ] Refuse names that lead out of the folder, and say which\n  - [ ] On every system, whatever its separators are called\n")
	k.sh.wide = 40
	if err := k.hold(); err != nil {
		t.Fatal(err)
	}
	want := "  [ ] Refuse names that lead out of the\n      folder, and say which\n    [ ] On every system, whatever its\n        separators are called\n"
	if !strings.Contains(k.out.String(), want) {
		t.Errorf("screen:\n%s\nwant:\n%s", k.out.String(), want)
	}
}

func TestThreeQuestionsAreTheMostBeforeAndAfter(t *testing.T) {
	k := newTalk(t, "1\n2\n3\nq\n", four)
	k.sentence = ""
	put(t, k.file.Path, four)
	if err := k.hold(); err != nil {
		t.Fatal(err)
	}
	if got := k.out.String(); strings.Contains(got, "d?") || !strings.Contains(got, "Go on with: refrain build") {
		t.Errorf("screen:\n%s", got)
	}
}

// Every flag of a plan holds for the build that follows, or for the plan alone.
func TestTheFlagsThatABuildGets(t *testing.T) {
	forOne := strings.Fields("act answer ask branch break-at break-on completion-promise context decide detach dry-run help idle-timeout " +
		"iteration-timeout json max-cost max-iterations max-time max-tokens observe orient plan prompt prompt-file replace-prompt serve " +
		"unlimited until var worktree yes")
	cmd := planCommand(&shell{})
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if slices.Contains(forOne, f.Name) == slices.Contains(passedOn, f.Name) {
			t.Errorf("--%s is for the plan alone, or it is passed on", f.Name)
		}
	})
	if err := cmd.ParseFlags([]string{"--gate", "go test ./...", "--gate", "make lint", "--commit", "--here=false", "-a", "claude", "-n", "3"}); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(runOptions{}.buildArgs(cmd), " ")
	if want := "build -a claude --here=false --gate go test ./... --gate make lint --commit"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
