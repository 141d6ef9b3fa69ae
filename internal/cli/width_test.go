package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/doctor"
	lines "github.com/refrain-loop/refrain/internal/term"
)

var widths = []int{60, 80, 120}

// every calls f for a command and all below it.
func every(cmd *cobra.Command, f func(*cobra.Command)) {
	f(cmd)
	for _, below := range cmd.Commands() {
		every(below, f)
	}
}

// Help fits the screen: no line is longer, and no word is broken.
func TestHelpFits(t *testing.T) {
	root := newRoot(&shell{})
	every(root, func(cmd *cobra.Command) {
		for _, all := range []bool{false, true} {
			help := func(width int) string {
				var b bytes.Buffer
				helpPage{&b, lines.Options{Width: func() int { return width }}, all}.write(cmd)
				return b.String()
			}
			whole := help(0)
			for _, width := range widths {
				looksWell(t, fmt.Sprintf("%s --help, all %v", cmd.CommandPath(), all), help(width), whole, width)
			}
		}
	})
}

// looksWell compares what a screen shows with what there is to show.
func looksWell(t *testing.T, what, shown, whole string, width int) {
	t.Helper()
	words := map[string]bool{`\`: true}
	shown, whole = took.ReplaceAllString(shown, "0s"), took.ReplaceAllString(whole, "0s") // nothing takes as long twice
	for word := range strings.FieldsSeq(whole) {
		words[strings.ToLower(word)] = true
		words[strings.ToLower(word)+":"] = true // the head of a column, where rows are told cell by cell
	}
	for line := range strings.Lines(shown) {
		line = strings.TrimRight(line, "\n")
		if strings.HasSuffix(line, " ") {
			t.Errorf("%s at %d columns: blanks at the end of %q", what, width, line)
		}
		fields := strings.Fields(line)
		if ansi.StringWidth(line) > width && !oneLongWord(line, fields, width) {
			t.Errorf("%s at %d columns has a line of %d: %q", what, width, ansi.StringWidth(line), line)
		}
		for _, word := range fields {
			if !words[strings.ToLower(word)] {
				t.Errorf("%s at %d columns: %q is no word of it, in %q", what, width, word, line)
			}
		}
	}
}

var took = regexp.MustCompile(`\d+(\.\d+)?s\b`)

// oneLongWord tells a line that cannot be shorter: a path, perhaps behind its label.
func oneLongWord(line string, fields []string, width int) bool {
	last := fields[len(fields)-1]
	before := ansi.StringWidth(line) - ansi.StringWidth(last)
	return ansi.StringWidth(last) > width-24 && before < 24
}

// Whoever reads help learns what a flag takes, and finds the flags of a run in
// groups.
func TestHelpNamesValues(t *testing.T) {
	root := newRoot(&shell{})
	known := map[string]helpFlag{}
	for _, g := range flagGroups {
		for _, f := range g.flags {
			if _, twice := known[f.name]; twice {
				t.Errorf("--%s stands in two groups", f.name)
			}
			known[f.name] = f
		}
	}
	every(root, func(cmd *cobra.Command) {
		for _, set := range []*pflag.FlagSet{cmd.Flags(), cmd.PersistentFlags()} {
			set.VisitAll(func(f *pflag.Flag) {
				_, listed := known[f.Name]
				takes := f.Value.Type() != "bool"
				switch {
				case f.Hidden || cmd.Parent() != nil && cmd.Parent().Name() == "completion":
				case takes && known[f.Name].value == "" && f.Name != "commit":
					t.Errorf("%s --%s takes a value, and flagGroups does not say what", cmd.CommandPath(), f.Name)
				case cmd.Name() == "run" && !listed:
					t.Errorf("run --%s stands in no group of flagGroups", f.Name)
				case strings.ToLower(f.Usage[:1]) != f.Usage[:1] && !strings.HasPrefix(f.Usage, strings.ToUpper(f.Usage[:2])):
					t.Errorf("%s --%s begins with a capital: %q", cmd.CommandPath(), f.Name, f.Usage)
				}
			})
		}
	})
}

// The first page of help is ten commands in five groups.
func TestFirstPageOfHelp(t *testing.T) {
	often := 0
	for _, f := range families {
		often += len(f.often)
		if len(f.often) == 0 {
			t.Errorf("%s has no command on the first page", f.title)
		}
	}
	if len(families) != 5 || often != 10 {
		t.Errorf("%d commands in %d groups, want 10 in 5", often, len(families))
	}
}

// Every table fits the screen, with runs to show.
func TestTablesFit(t *testing.T) {
	w := newWorld(t)
	sample(w)
	for _, v := range w.env {
		name, value, _ := strings.Cut(v, "=")
		t.Setenv(name, value)
	}
	for _, args := range [][]string{
		{},
		{"status"},
		{"ls"},
		{"ls", "-l"},
		{"show"},
		{"show", "run-1"},
		{"show", "run-1/1"},
		{"show", "--later"},
		{"show", "--refused"},
		{"stats"},
		{"agents"},
		{"agents", "--prices"},
		{"config", "show"},
		{"config", "show", "--changed"},
		{"config", "explain", "loop.max_iterations"},
		{"config", "explain", "permissions.mode"},
		{"procedures"},
		{"trust", "--show"},
		{"check", "--trust"},
		{"verify"},
		{"whatif", "run-1", "--set", "loop.max_iterations=1"},
		{"prune", "--dry-run", "--keep", "0"},
		{"prune", "--dry-run", "--keep", "0", "--resumable"},
	} {
		print := func(width int) string {
			var out bytes.Buffer
			sh := &shell{console: console{in: strings.NewReader(""), out: &out, err: io.Discard, wide: width}}
			root := newRoot(sh)
			root.SetArgs(append([]string{"-C", w.tree}, args...))
			if err := root.ExecuteContext(t.Context()); err != nil {
				t.Errorf("refrain %s: %v", strings.Join(args, " "), err)
			}
			return out.String()
		}
		whole := print(0)
		if whole == "" {
			t.Errorf("refrain %s shows nothing", strings.Join(args, " "))
		}
		for _, width := range widths {
			looksWell(t, "refrain "+strings.Join(args, " "), print(width), whole, width)
		}
	}
}

// What doctor has found fits, too. It is not run here: it would start the program of
// the tests.
func TestChecksFit(t *testing.T) {
	checks := []doctor.Check{
		{Name: "git", Level: doctor.Fine, Found: "git version 2.39.5"},
		{
			Name: "gate test", Level: doctor.Problem, Found: "the program pytest of \"pytest -q --maxfail 1\" is found nowhere on PATH",
			Remedy: "install it, or write the path of the one that you mean into refrain.toml: run = \".venv/bin/pytest -q\"",
		},
	}
	print := func(width int) string {
		var out bytes.Buffer
		tellChecks(&shell{console: console{out: &out, wide: width}}, checks)
		return out.String()
	}
	for _, width := range widths {
		looksWell(t, "doctor", print(width), print(0), width)
	}
}

// sample leaves a project with a plan, gates and two runs.
func sample(w *world) {
	w.Helper()
	for name, content := range map[string]string{
		"IMPLEMENTATION_PLAN.md": "# A plan with a heading that is rather long, as they are when somebody has written them\n- [ ] one\n- [x] two (specs/export.md)\n",
		"specs/export.md":        "# Export\n- Names that lead out of the folder MUST be refused before anything is written at all.\n",
		"refrain.toml": "[[gate]]\nname = \"test\"\nrun = \"test -e work && test ! -e broken && echo a gate with a command that does not fit in one line of a narrow screen\"\n" +
			"[agents.mine]\ncommand = \"sh agent.sh\"\n",
		"agent.sh": "cat >/dev/null; date +%N >>work; echo 'I have written a file, and I think that this is a sentence of some length.'; echo '<promise>DONE</promise>'\n",
	} {
		path := filepath.Join(w.tree, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			w.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			w.Fatal(err)
		}
	}
	w.must("git", "init", "-q")
	w.must("git", "add", "-A")
	w.must("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "first")
	w.must("refrain", "trust")
	if out, err := w.command("refrain", "run", "-a", "mine", "-p", "Write a file", "-n", "2", "--until", "NEVER").CombinedOutput(); err == nil {
		w.Fatalf("nobody says NEVER, and the run is done:\n%s", out)
	}
	w.must("refrain", "run", "-a", "mine", "-p", "Write a file", "-n", "2", "--until", "DONE")
}

// Every command that has something to say says it to scripts, too, and -f follows a
// run wherever it is shown.
func TestOneGrammar(t *testing.T) {
	without := map[string]string{
		"events":     "its output is JSON",
		"schema":     "its output is JSON",
		"mcp":        "it speaks a protocol of its own",
		"watch":      "it is a screen",
		"config":     "it only has commands",
		"carry":      "it only has commands",
		"fleet":      "it only has commands, and they are another program's",
		"completion": "its output is for a shell, and so is that of those below",
		"help":       "help is for people",
	}
	every(newRoot(&shell{}), func(cmd *cobra.Command) {
		if f := cmd.Flags().ShorthandLookup("f"); f != nil && !f.Hidden && f.Name != "follow" {
			t.Errorf("%s -f is --%s, and elsewhere it follows a run", cmd.CommandPath(), f.Name)
		}
		_, excused := without[cmd.Name()]
		if cmd.HasParent() {
			_, below := without[cmd.Parent().Name()]
			excused = excused || below && cmd.Parent().Name() == "completion"
		}
		if has := cmd.Flags().Lookup("json") != nil; has == excused {
			t.Errorf("%s has --json: %v", cmd.CommandPath(), has)
		}
	})
}
