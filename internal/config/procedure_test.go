package config

import (
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAProcedureOfTheUsers(t *testing.T) {
	s := treeWith(t, `
[procedures.nightly]
title = "# Night shift"
summary = "tidy up while nobody looks"
parts = ["prompts/first.md", "builtin:observe/plan", { section = "RULES", text = "Be quiet." }]
act = [{ file = "prompts/act.md" }]

[[procedures.listed.parts]]
section = "A"
builtin = "act/commit"

[[procedures.listed.parts]]
file = "docs/motd"
`)
	key := "procedures.nightly.parts"
	want := map[string]ProcedureTable{
		"nightly": {
			Title: "# Night shift", Summary: "tidy up while nobody looks",
			Parts: Parts{
				{File: "prompts/first.md", Dir: s.Tree, Key: key},
				{Builtin: "observe/plan", Dir: s.Tree, Key: key},
				{Section: "RULES", Text: "Be quiet.", Dir: s.Tree, Key: key},
			},
			Act: Parts{{Section: "ACT", File: "prompts/act.md", Dir: s.Tree, Key: "procedures.nightly.act"}},
		},
		"listed": {Parts: Parts{
			{Section: "A", Builtin: "act/commit", Dir: s.Tree, Key: "procedures.listed.parts"},
			{File: "docs/motd", Dir: s.Tree, Key: "procedures.listed.parts"},
		}},
	}
	if diff := cmp.Diff(want, load(t, s).Config.Procedures); diff != "" {
		t.Errorf("procedures (-want +got):\n%s", diff)
	}
}

func TestProcedureTablesMergePerKey(t *testing.T) {
	s := treeWith(t, "[procedures.p]\ntitle = \"# Project\"\nobserve = [\"project.md\"]\n")
	s.UserFile = filepath.Join(t.TempDir(), "config.toml")
	write(t, s.UserFile, "[procedures.p]\ntitle = \"# User\"\nobserve = [\"user.md\"]\norient = [\"user.md\"]\ndecide = []\n")
	s.Flags = []Flag{{"--act", "procedures.p.act", "flag.md"}}
	part := func(section, file, dir, phase string) Parts {
		return Parts{{Section: section, File: file, Dir: dir, Key: "procedures.p." + phase}}
	}
	want := ProcedureTable{
		Title:   "# Project",
		Observe: part("OBSERVE", "project.md", s.Tree, "observe"),
		Orient:  part("ORIENT", "user.md", filepath.Dir(s.UserFile), "orient"),
		Decide:  Parts{},
		Act:     part("ACT", "flag.md", s.Tree, "act"),
	}
	if diff := cmp.Diff(want, load(t, s).Config.Procedures["p"]); diff != "" {
		t.Errorf("table (-want +got):\n%s", diff)
	}
}

func TestPrompt(t *testing.T) {
	part := func(section, text string) PromptPart { return PromptPart{Section: section, Text: text} }
	builtin := Parts{part("", "0"), part("OBSERVE", "1"), part("OBSERVE", "2"), part("DECIDE", "3"), part("ACT", "4")}
	tests := []struct {
		name  string
		table ProcedureTable
		want  Parts
	}{
		{"nothing of its own", ProcedureTable{Title: "# T"}, builtin},
		{"all of its own", ProcedureTable{Parts: Parts{part("", "x")}}, Parts{part("", "x")}},
		{"a section", ProcedureTable{Observe: Parts{part("OBSERVE", "x")}}, Parts{part("", "0"), part("OBSERVE", "x"), part("DECIDE", "3"), part("ACT", "4")}},
		{"no section", ProcedureTable{Act: Parts{}}, builtin[:4]},
		{"a section that is new", ProcedureTable{Orient: Parts{part("ORIENT", "x"), part("ORIENT", "y")}}, Parts{part("", "0"), part("OBSERVE", "1"), part("OBSERVE", "2"), part("ORIENT", "x"), part("ORIENT", "y"), part("DECIDE", "3"), part("ACT", "4")}},
		{"a last section that is new", ProcedureTable{Parts: Parts{part("RULES", "x")}, Act: Parts{part("ACT", "y")}}, Parts{part("RULES", "x"), part("ACT", "y")}},
		{"sections in an order of their own", ProcedureTable{Parts: Parts{part("ACT", "x"), part("OBSERVE", "y"), part("ACT", "z")}, Observe: Parts{part("OBSERVE", "1")}, Act: Parts{part("ACT", "2")}}, Parts{part("ACT", "2"), part("OBSERVE", "1")}},
		{"all sections and nothing else", ProcedureTable{
			Parts:   Parts{},
			Observe: Parts{part("OBSERVE", "1")}, Orient: Parts{part("ORIENT", "2")}, Decide: Parts{part("DECIDE", "3")}, Act: Parts{part("ACT", "4")},
		}, Parts{part("OBSERVE", "1"), part("ORIENT", "2"), part("DECIDE", "3"), part("ACT", "4")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := append(Parts{}, builtin...)
			if diff := cmp.Diff(tt.want, tt.table.Prompt(builtin)); diff != "" {
				t.Errorf("prompt (-want +got):\n%s", diff)
			}
			if !cmp.Equal(builtin, before) {
				t.Errorf("the built-in parts became %+v", builtin)
			}
		})
	}
}

func TestAFileOrParts(t *testing.T) {
	const top = "prompt = \"top.md\"\n"
	tests := []struct {
		name, toml string
		variable   string
		want       Origin
	}{
		{"a procedure without parts has the file", top + "[procedures.p]\n", "", Origin{Value: `"top.md"`, Layer: "project", Where: "refrain.toml:1"}},
		{"one with parts has none", top + "[procedures.p]\nparts = [\"a.md\"]\nact = [\"b.md\"]\n", "", Origin{Value: `""`, Layer: "procedure p", Where: "refrain.toml:4"}},
		{"one with a section has none", top + "[procedures.p]\norient = [\"a.md\"]\n", "", Origin{Value: `""`, Layer: "procedure p", Where: "refrain.toml:3"}},
		{"one with a title has the file", top + "[procedures.p]\ntitle = \"# T\"\nsummary = \"s\"\n", "", Origin{Value: `"top.md"`, Layer: "project", Where: "refrain.toml:1"}},
		{"the environment is above parts", top + "[procedures.p]\nparts = [\"a.md\"]\n", "REFRAIN_PROMPT=e.md", Origin{Value: `"e.md"`, Layer: "environment", Where: "REFRAIN_PROMPT"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := treeWith(t, tt.toml)
			s.Procedure, s.Environ = "p", []string{tt.variable}
			got, err := load(t, s).Explain("prompt")
			if err != nil || got.Origin != tt.want {
				t.Errorf("prompt = %+v, %v, want %+v", got.Origin, err, tt.want)
			}
		})
	}
}

func TestProblemsOfProcedures(t *testing.T) {
	const one = "leave one of them out: a prompt is a file or made of parts"
	tests := []struct {
		name, toml string
		want, hint string
	}{
		{"a file and parts", "[procedures.p]\nprompt = \"a.md\"\nparts = [\"b.md\"]", `refrain.toml:3:1: procedures.p.parts is set, but so is the prompt's file, "a.md"`, one},
		{"a file and a section", "[procedures.p]\nact = [\"b.md\"]\nprompt = \"a.md\"", `refrain.toml:2:1: procedures.p.act is set, but so is the prompt's file, "a.md"`, one},
		{"a section in a section", "[procedures.p]\nact = [\"b.md\", { section = \"ACT\", file = \"a.md\" }]", `refrain.toml:2:1: procedures.p.act has a section in part 2, but is one itself`, "leave the section out, or write the part in parts"},
		{"a name of ours", "[procedures.building]\n", `refrain.toml:1:2: "building" is another name of the built-in procedure "build"`, "write [procedures.build], or give yours another name"},
		{"a blank title", "[procedures.p]\ntitle = \" \"", `refrain.toml:2:1: procedures.p.title must not be blank`, `write a text, or "" to take back what other layers say`},
		{"a long summary", "[procedures.p]\nsummary = \"a\\nb\"", `refrain.toml:2:1: procedures.p.summary must be on one line`, "shorten it"},
		{"a misspelt phase", "[procedures.p]\nobsreve = []", `refrain.toml:2:1: unknown key "procedures.p.obsreve"`, `did you mean "procedures.p.observe"?`},
		{"parts of no procedure", "parts = [\"a.md\"]", `refrain.toml:1:1: unknown key "parts"`, `"refrain config show" lists every key`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := treeWith(t, tt.toml)
			s.Procedures, s.Aliases = []string{"build"}, map[string]string{"building": "build"}
			got := problems(t, s)
			if len(got) != 1 || got[0].String() != tt.want || got[0].Hint != tt.hint {
				t.Errorf("%s\ngave %#v\nwant %s\nhint %s", tt.toml, got, tt.want, tt.hint)
			}
		})
	}
}

func TestExplainParts(t *testing.T) {
	s := treeWith(t, "[procedures.p]\nparts = ['a.md', { builtin = 'act/commit' }, { text = 'x', section = 'S' }]\n")
	got, err := load(t, s).Explain("procedures.p.parts")
	want := Setting{Key: "procedures.p.parts", Origin: Origin{Value: `["a.md", "builtin:act/commit", { section = "S", text = "x" }]`, Layer: "project", Where: "refrain.toml:2"}}
	if diff := cmp.Diff(want, got.Setting); err != nil || diff != "" || got.Type != "list of parts" || got.Env != "" || got.Default != "none" {
		t.Errorf("Explain = %+v, %v (-want +got):\n%s", got, err, diff)
	}
}
