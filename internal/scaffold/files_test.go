package scaffold

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestFilesSayWhatAPersonChose(t *testing.T) {
	goProject, gradle := Detect(samples[Go]), Detect(samples[Gradle])
	for _, tt := range []struct {
		name    string
		project Project
		options Options
		path    string
		with    string
		without string
	}{
		{"no agent leaves it to the user's settings", goProject, Options{}, settingsFile, "\n# agent = ", "\nagent = "},
		{"an agent is named", goProject, Options{Agent: "codex"}, settingsFile, "\nagent = \"codex\"\n", "# agent"},
		{"no schema, no line about it", goProject, Options{}, settingsFile, "# How refrain works", "schema"},
		{"a schema by reference", goProject, Options{SchemaURL: "https://example.com/s.json", Schema: "{}"}, settingsFile, "#:schema https://example.com/s.json\n# How", ".refrain"},
		{"a schema beside it", goProject, Options{Full: true, SchemaURL: "https://example.com/s.json", Schema: "{}"}, settingsFile, "#:schema ./.refrain/schema.json\n# How", "example"},
		{"a test command of one's own", goProject, Options{Test: `make "x"`}, settingsFile, `test = "make \"x\""`, "go test"},
		{"its words in AGENTS.md", goProject, Options{Full: true, Test: "make check"}, "AGENTS.md", "- test: `make check`\n", "go test"},
		{"AGENTS.md is for readers", goProject, Options{Full: true}, "AGENTS.md", "- test: `go test ./...`\n", "-json"},
		{"a blank test command is none of one's own", goProject, Options{Test: " "}, settingsFile, "\ntest = \"go test", "\" \""},
		{"no test command", goProject, Options{Test: "none"}, settingsFile, "\n# test = \"COMMAND\"\n", "go test"},
		{"the command that was detected keeps its reason", gradle, Options{Test: gradle.Main.Test.Line}, settingsFile, gradle.Main.Test.Why, "# test = "},
		{"a goal", goProject, Options{Full: true, Goal: "A clock."}, "PROMPT.md", "# The task\n\nA clock.\n\n# How", "FILL IN"},
		{"no goal leaves a gap", goProject, Options{Full: true}, "PROMPT.md", "\nFILL IN: ", "<no value>"},
		{"a goal is no template", goProject, Options{Full: true, Goal: "Say {{hello}}."}, "PROMPT.md", `Say {{"{{"}}hello}}.`, "Say {{h"},
	} {
		got := textOf(t, Files(tt.project, tt.options), tt.path)
		if !strings.Contains(got, tt.with) {
			t.Errorf("%s: %q is missing in\n%s", tt.name, tt.with, got)
		}
		if strings.Contains(got, tt.without) {
			t.Errorf("%s: %q stands in\n%s", tt.name, tt.without, got)
		}
	}
}

func TestFilesThatSomeCommandsNeed(t *testing.T) {
	gradle := Detect(samples[Gradle])
	has := func(list []File, path string) bool {
		for _, f := range list {
			if f.Path == path {
				return true
			}
		}
		return false
	}
	if !has(Files(gradle, Options{}), countTests) {
		t.Error("the script that the test command names is missing")
	}
	if !has(Files(gradle, Options{Test: gradle.Main.Test.Line}), countTests) {
		t.Error("the script is missing when the command that was detected is given")
	}
	if has(Files(gradle, Options{Test: "./check"}), countTests) {
		t.Error("the script is there although no command names it")
	}
	if has(Files(gradle, Options{Schema: "{}"}), schemaFile) || !has(Files(gradle, Options{Full: true, Schema: "{}"}), schemaFile) {
		t.Error("the schema should be written with the samples")
	}
	if list := Files(Detect(samples[Go]), Options{}); len(list) != 1 {
		t.Errorf("%d files are written, want the settings alone", len(list))
	}
	if has(Files(gradle, Options{}), ".refrain/.gitignore") || !has(Files(gradle, Options{Bare: true}), ".refrain/.gitignore") {
		t.Error("records that are in the folder should be ignored, and only these")
	}
}

func TestQuoteKeepsTheText(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := rapid.StringMatching(`[ -~\n\r\tä→]*`).Draw(rt, "text")
		if got := parse(t, "x = "+quote(text))["x"]; got != text {
			rt.Errorf("quote(%q) is read as %q", text, got)
		}
	})
}

func TestQuestions(t *testing.T) {
	goProject, generic := Detect(samples[Go]), Detect(samples[Generic])
	for _, tt := range []struct {
		name     string
		project  Project
		options  Options
		agents   []string
		defaults []string
	}{
		{"several agents", goProject, Options{}, []string{"claude", "codex"}, []string{"claude", "go test -json ./...", ""}},
		{"one agent is no question", goProject, Options{}, []string{"claude"}, []string{"go test -json ./...", ""}},
		{"no tests were found", generic, Options{}, nil, []string{"none", ""}},
		{"what was said is not asked", goProject, Options{Agent: "pi", Test: "x", Goal: "y"}, []string{"claude", "codex"}, nil},
	} {
		o := tt.options
		list := o.Questions(tt.project, tt.agents)
		if len(list) != len(tt.defaults) {
			t.Errorf("%s: asks %d questions, want %d", tt.name, len(list), len(tt.defaults))
			continue
		}
		for i, q := range list {
			if q.Default != tt.defaults[i] {
				t.Errorf("%s: the default of %q is %q, want %q", tt.name, q.Text, q.Default, tt.defaults[i])
			}
			*q.Answer = "answered"
		}
		if o.Test == "" || o.Goal == "" || o.Agent == "" && len(tt.agents) > 1 {
			t.Errorf("%s: not every answer arrived: %+v", tt.name, o)
		}
	}
}
