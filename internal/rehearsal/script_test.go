package rehearsal

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestParseNamesTheMistakeAndItsLine(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"no iteration", "", "no [[iteration]]"},
		{"broken TOML", "[[iteration]]\nsteps = [", "line 2: "},
		{"an unknown key", "finale = 1\n[[iteration]]", `line 1: unknown key "finale"`},
		{"an unknown key in an iteration", "[[iteration]]\nstep = []", `line 2: unknown key "iteration.step"`},
		{"a wrong type", "final = 3\n[[iteration]]", "line 1: "},
		{"an unknown final", "final = \"stop\"\n[[iteration]]", `write "repeat" or "fail"`},
		{"two verbs", "[[iteration]]\nsteps = [\n  { text = \"a\" },\n  { text = \"a\", run = \"b\" },\n]", "line 4: iteration 1, step 2: it has run and text: a step does one thing"},
		{"no verb", "[[iteration]]\n[[iteration]]\nsteps = [{ attempt = 1 }]", "line 3: iteration 2, step 1: it says nothing to do"},
		{"an unknown verb", "[[iteration]]\nsteps = [{ shout = \"a\" }]", "line 2: iteration 1, step 1: it says nothing to do: write one of claim, "},
		{"a field of another verb", "[[iteration]]\nsteps = [{ run = \"a\", content = \"b\" }]", "content does not go with run"},
		{"steps as tables", "[[iteration]]\n[[iteration.steps]]\ntext = \"a\"\n\n[[iteration.steps]]\nhang = false", "line 5: iteration 1, step 2: hang is not true"},
		{"iterations inline", "iteration = [\n{ steps = [{ text = \"a\" }] },\n{ steps = [{ text = 1 }] }]", "line 3: iteration 2, step 1: text is 1: write a text in quotes"},
		{"one bracket", "final = \"fail\"\n[iteration]\nsteps = [{ text = \"a\" }]", "line 2: [iteration] has one bracket: write [[iteration]]"},
		{"one bracket around a step", "[[iteration]]\n[iteration.steps]\ntext = \"a\"", "line 2: [iteration.steps] has one bracket"},
		{"a part of a step that is not there", "[[iteration]]\n[iteration.steps.usage]\ninput = 1", "iteration 1: write its steps as"},
		{"keys in capitals", "[[Iteration]]\nSteps = [{ text = 1 }]", "line 2: iteration 1, step 1: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.script))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse = %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestParseRefusesWrongValues(t *testing.T) {
	tests := []struct{ step, want string }{
		{`text = 1`, "text is 1"},
		{`claim = ""`, "claim is empty"},
		{`run = ""`, "run is empty"},
		{`commit = ""`, "commit is empty"},
		{`daemon = ""`, "daemon is empty"},
		{`limit = ""`, "limit is empty"},
		{`limit = "weekly", resets_in = "soon"`, "resets_in"},
		{`sleep = "2"`, "write a duration"},
		{`sleep = "-2s"`, "write a duration"},
		{`sleep = 2`, "sleep is 2"},
		{`error = "overlaoded"`, "write one of agent, "},
		{`hang = false`, "hang is not true"},
		{`crash = "yes"`, "crash is yes"},
		{`exit = 256`, "from 0 to 255"},
		{`exit = -1`, "from 0 to 255"},
		{`exit = 1.5`, "exit is 1.5"},
		{`flood_mb = 0`, "flood_mb is 0"},
		{`flood_mb = 9223372036854775807`, "flood_mb is 9223372036854775807"},
		{`flood_mb = 1, stderr = 1`, "stderr is 1"},
		{`endless_line_mb = -1`, "endless_line_mb is -1"},
		{`write = ""`, "write is empty"},
		{`write = "/etc/passwd"`, "below the working directory"},
		{`write = "../a"`, "below the working directory"},
		{`write = "a/../../b"`, "below the working directory"},
		{`write = "a", mode = "rwx"`, "octal"},
		{`write = "a", mode = "4755"`, "octal"},
		{`delete = "."`, "below the working directory"},
		{`delete = "a/.."`, "below the working directory"},
		{`text = "a", attempt = 0`, "attempt is 0"},
		{`text = "a", attempt = "1"`, "attempt is 1"},
		{`usage = 5`, "usage is 5"},
		{`usage = { inputs = 5 }`, "inputs does not go with usage"},
		{`usage = { input = -5 }`, "input is -5"},
		{`usage = { cost_usd = nan }`, "cost_usd is NaN"},
		{`usage = { cost_usd = inf }`, "cost_usd is +Inf"},
		{`usage = { cost_usd = -0.1 }`, "cost_usd is -0.1"},
		{`usage = { cost_usd = "1" }`, "cost_usd is 1"},
		{`usage = { context_percent = 101 }`, "from 0 to 100"},
	}
	for _, tt := range tests {
		t.Run(tt.step, func(t *testing.T) {
			_, err := Parse([]byte("[[iteration]]\nsteps = [{ " + tt.step + " }]"))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "line 2") {
				t.Errorf("Parse(%s) = %v, want an error with %q and its line", tt.step, err, tt.want)
			}
		})
	}
}

var fenced = regexp.MustCompile("(?s)```toml\n(.*?)```")

func TestTheDocumentedScriptsAreRight(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join("..", "..", "docs", "rehearsal.md"))
	if err != nil {
		t.Fatal(err)
	}
	scripts := fenced.FindAllSubmatch(doc, -1)
	if len(scripts) < 3 {
		t.Errorf("%d scripts in docs/rehearsal.md, want the language and two examples", len(scripts))
	}
	for _, script := range scripts {
		if _, err := Parse(script[1]); err != nil {
			t.Errorf("%v in:\n%s", err, script[1])
		}
	}
	for verb := range verbs {
		if !strings.Contains(string(doc), "`"+verb+"`") {
			t.Errorf("docs/rehearsal.md does not explain `%s`", verb)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add("[[iteration]]\nsteps = [{ text = \"a\" }, { write = \"a\", content = \"b\", mode = \"0755\" }]")
	f.Add("final = \"fail\"\n[[iteration]]\n[[iteration.steps]]\nlimit = \"weekly\"\nresets_in = \"1h\"\n[iteration.steps.usage]\n")
	f.Add("iteration = [{ steps = [{ usage = { cost_usd = 1 } }] }]")
	f.Add("expect.state = \"done\"\n[expect.more]\nwaits = 1\n[[iteration]]")
	f.Add("[expect]\nmax_time = \"8h\"\nState = 1\n[[iteration]]\nsteps = [{ crash_runner = true }, { full_disk = \"20m\" }]")
	f.Add("[[Iteration]]\nSTEPS = [{ sleep = \"1s\" }, {}]")
	f.Fuzz(func(t *testing.T, text string) {
		script, err := Parse([]byte(text))
		if err != nil {
			return
		}
		for n := range 3 {
			steps, err := script.at(n + 1)
			if err != nil && !script.fail {
				t.Errorf("iteration %d: %v", n+1, err)
			}
			for _, step := range steps {
				if step.do == nil {
					t.Errorf("iteration %d has a step that does nothing", n+1)
				}
			}
		}
	})
}

const anIteration = "\n[[iteration]]\nsteps = []\n"

func TestExpectIsStrict(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"an unknown key", "[expect]\nstate = \"done\"\nsate = \"done\"" + anIteration, `line 3: unknown key "expect.sate": write one of iterations, `},
		{"an unknown state", "final = \"fail\"\n[expect]\nstate = \"finished\"" + anIteration, `line 3: expect: state is "finished": write one of done `},
		{"an unknown level", "[expect]\nlevel = \"sure\"" + anIteration, `line 2: expect: level is "sure": write one of proven kept tests_changed claimed`},
		{"a number in quotes", "[expect]\nproven = true\niterations = \"3\"" + anIteration, "line 3: expect: iterations is 3: write a whole number"},
		{"a time without its unit", "expect.max_time = \"8\"" + anIteration, `line 1: expect: max_time is "8"`},
		{"inline", "expect = { waits = 1, refused = -1 }" + anIteration, "line 1: expect: refused is -1"},
		{"in capitals", "[expect]\nState = \"done\"" + anIteration, `line 2: unknown key "expect.State"`},
		{"two brackets", "[[expect]]\nstate = \"done\"" + anIteration, "line 1: "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := Parse([]byte(tt.script))
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("Parse = %v, want an error with %q", err, tt.want)
			}
		})
	}
}

func TestMet(t *testing.T) {
	script, err := Parse([]byte(`
[expect]
state = "done"
reason = "promise"
proven = true
level = "kept"
iterations = 3
max_iterations = 2
waits = 1
refused = 0
max_time = "8h"
max_cost_usd = 1
` + anIteration))
	if err != nil {
		t.Fatal(err)
	}
	got := script.Expect.Met(loop.RunFinished{
		State: loop.Done, Reason: loop.ByPromise, Proof: &loop.Proof{Level: loop.LevelKept}, Elapsed: loop.Millis(9*time.Hour + 300*time.Millisecond),
		Totals: loop.Totals{Iterations: 3, Waits: 1, CostUSD: 0.5},
	})
	want := []Met{
		{"state is done", "done", true},
		{"reason is promise", "promise", true},
		{"proven is true", "false", false},
		{"level is kept", "kept", true},
		{"iterations is 3", "3", true},
		{"max_iterations is 2", "3", false},
		{"waits is 1", "1", true},
		{"refused is 0", "0", true},
		{"max_time is 8h0m0s", "9h0m0s", false},
		{"max_cost_usd is 1", "0.5", true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("met (-want +got):\n%s", diff)
	}
}
