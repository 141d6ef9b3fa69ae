package migrate

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pelletier/go-toml/v2"
)

// project is files by their names.
func project(files map[string]string) fs.FS {
	root := fstest.MapFS{}
	for name, text := range files {
		mode := fs.FileMode(0o644)
		if strings.Contains(name, "/hooks/") {
			mode = 0o755
		}
		root[name] = &fstest.MapFile{Data: []byte(text), Mode: mode}
	}
	return root
}

// said is the settings of an import, a line for each.
func said(im *Import) string {
	var lines []string
	for _, s := range im.Settings {
		lines = append(lines, strings.Join(s.Key, ".")+" = "+tomlValue(s.Value))
	}
	for _, g := range im.Gates {
		lines = append(lines, "gate "+g.Name+" = "+g.Run)
	}
	return strings.Join(lines, "\n")
}

func TestWhatOtherSystemsSayIsSaidAsSettings(t *testing.T) {
	tests := []struct {
		what   string
		system string
		files  map[string]string
		want   string // all settings, but for the profile
		copies string // from>to, all of them
		notes  string // the keys, or files, without a counterpart
	}{
		{
			"all of fresher", "fresher",
			map[string]string{
				".fresher/config.toml": `[fresher]
mode = "building"
max_iterations = 8
smart_termination = false
dangerous_permissions = false
max_turns = 20
model = "opus"
[commands]
test = "go test ./..."
[paths]
spec_dir = "wishes"
[hooks]
enabled = true
timeout = 45
[docker]
use_docker = true
[more]
own = 1
`,
				".fresher/PROMPT.planning.md":   "plan",
				".fresher/AGENTS.md":            "guide",
				".fresher/hooks/next_iteration": "#!/bin/sh",
				".fresher/hooks/other":          "#!/bin/sh",
			},
			`model = "opus"
agents.claude.max_turns = 20
permissions.mode = "work"
loop.max_iterations = 8
stop.no_progress = 0
procedures.build.done.plan = ""
procedures.build.done.failure_promise = ""
procedures.plan.done.promise = ""
commands.test = "go test ./..."
hooks.enabled = true
hooks.timeout = "45s"
sandbox.mode = "docker"
sandbox.options = ["--memory", "4g", "--cpus", "2"]`,
			".fresher/PROMPT.planning.md>.refrain/prompts/plan.md .fresher/AGENTS.md>AGENTS.md .fresher/hooks/next_iteration>.refrain/hooks/next_iteration",
			"docker fresher.mode more paths.spec_dir .fresher/hooks/other",
		},
		{
			"a plan of fresher's in a folder, and a guide that is there", "fresher",
			map[string]string{
				".fresher/config.toml": "[paths]\nimpl_dir = \"todo\"\n", "todo/README.md": "", "AGENTS.md": "", ".fresher/AGENTS.md": "",
			},
			`procedures.build.done.plan = "todo"`, "", ".fresher/AGENTS.md",
		},
		{
			"procedures of rooda with files", "rooda",
			map[string]string{
				"rooda-config.yml": `loop:
  default_max_iterations: 7
  iteration_timeout: 300
  failure_threshold: 2
  log_level: debug
  show_ai_output: true
  ai_cmd_alias: fast
ai_cmd_aliases:
  fast: "my-agent --model small"
procedures:
  build:
    display: Build
    summary: "Does it"
    observe: prompts/look.md
    act:
      - path: prompts/look.md
      - content: "Then {{go}}."
    default_iterations: 4
    ai_cmd: "other --x"
  mine:
    act: prompts/act
    iteration_mode: unlimited
extra: 1
`,
				"prompts/look.md": "look", "prompts/act": "act",
			},
			`agent = "fast"
loop.max_iterations = 7
loop.iteration_timeout = "300s"
stop.failures = 2
log.level = "debug"
agents.fast.command = "my-agent --model small"
procedures.build.summary = "Does it"
procedures.build.observe = [".refrain/prompts/rooda/look.md"]
procedures.build.act = [".refrain/prompts/rooda/look.md", { text = "Then {{\"{{\"}}go}}." }]
agents.build.command = "other --x"
procedures.build.agent = "build"
procedures.build.loop.max_iterations = 4
procedures.mine.act = [".refrain/prompts/rooda/act.md"]
procedures.mine.loop.max_iterations = 0`,
			"prompts/look.md>.refrain/prompts/rooda/look.md prompts/act>.refrain/prompts/rooda/act.md",
			"loop.show_ai_output procedures.build.display extra",
		},
		{
			"earlier names of procedures, and an alias of rooda's own", "rooda",
			map[string]string{"rooda-config.yml": "loop: {ai_cmd_alias: kiro-cli}\nprocedures:\n  draft-plan-bug-to-spec: {summary: s}\n"},
			`agents.kiro-cli.command = "kiro-cli chat --no-interactive --trust-all-tools"
agent = "kiro-cli"
procedures.draft-plan-spec-fix.summary = "s"`, "", "procedures.draft-plan-bug-to-spec",
		},
		{
			"a loop of descartes", "descartes",
			map[string]string{".descartes/loop-state.json": `{"iteration": 3, "config": {"command": "/opt/my agent", "args": ["--x"], "prompt": "Fix it",
"completion_promise": "OK", "max_iterations": 10, "iteration_timeout_secs": 60, "include_iteration_context": false,
"working_directory": "/there", "backend": {"backend_type": "generic", "prompt_mode": "stdin", "environment": {"API_KEY": "k", "SPEED": "9"}},
"git": {"auto_commit": true, "commit_template": "n {iteration}", "create_branch": true}}}`},
			`agent = "my-agent"
prompt = ".refrain/prompts/descartes.md"
done.promise = "OK"
loop.max_iterations = 10
loop.iteration_timeout = "60s"
loop.iteration_context = false
claims.tell = false
agents.my-agent.command = ["/opt/my agent", "--x"]
agents.my-agent.prompt = "stdin"
git.commit = true
git.commit_template = "n {iteration}"
git.branch = true
agents.my-agent.env.SPEED = "9"`,
			".descartes/loop-state.json>.refrain/prompts/descartes.md",
			"iteration config.working_directory config.backend.environment.API_KEY",
		},
		{
			"a backend of descartes that is built in, no limit and no promise", "descartes",
			map[string]string{".descartes/loop-state.json": `{"config": {"command": "claude", "prompt": "", "backend": {"backend_type": "claude"}}}`},
			"agent = \"claude\"\ndone.promise = \"\"\nloop.max_iterations = 0", "", "",
		},
		{
			"ralph-tui with its stories", "ralph-tui",
			map[string]string{
				".ralph-tui/config.toml": `configVersion = "2.0"
agent = "opencode"
command = "/opt/opencode"
tracker = "json"
maxIterations = 12
iterationDelay = 1500
autoCommit = true
fallbackAgents = ["claude", "nobody"]
prompt_template = "x.hbs"
[agentOptions]
model = "large"
[trackerOptions]
path = "tasks/prd.json"
[errorHandling]
strategy = "retry"
maxRetries = 2
[notifications]
enabled = true
[sandbox]
enabled = true
network = false
`,
				"tasks/prd.json": `{"userStories": [{"id": "US-1", "title": "One", "passes": true}]}`,
			},
			`agent = "opencode"
agents.opencode.program = "/opt/opencode"
model = "large"
loop.max_iterations = 12
loop.iteration_delay = "1.5s"
stop.failures = 3
limits.fallback = ["claude"]
git.commit = true
notify.desktop = true`,
			"tasks/prd.json>IMPLEMENTATION_PLAN.md", "fallbackAgents prompt_template sandbox",
		},
		{
			"ralphex with one open plan", "ralphex",
			map[string]string{
				".ralphex/config":         "# settings\nmax_iterations = 30\niteration_delay_ms = 2000\nsession_timeout = 1h\ntask_model = opus:high\nuse_worktree = true\nnotify_slack_token = xoxb\n",
				"docs/plans/a.md":         "# A\n\n## Validation Commands\n- `go test ./...`\n- `go vet ./...`\n\n### Task 1: do\n- [ ] it\n- [ ] `not this`\n",
				"docs/plans/done.md":      "- [x] all\n",
				".ralphex/agents/rev.txt": "review",
			},
			`model = "opus"
loop.max_iterations = 30
loop.iteration_delay = "2s"
loop.iteration_timeout = "1h0m0s"
procedures.build.done.plan = "docs/plans/a.md"
gate check-1 = go test ./...
gate check-2 = go vet ./...`, "", "task_model use_worktree notify_slack_token .ralphex/agents/rev.txt",
		},
		{
			"quotes in quotes", "ralph-claude-code",
			map[string]string{ralphRC: "CLAUDE_MODEL=\"a\\\"b\\\\\" # one\nSESSION_CONTINUITY='true'\t# two\nOWN=\"$(echo \"a\" b)\"\n"},
			"agent = \"claude\"\nmodel = \"a\\\"b\\\\\"\nsession.mode = \"keep\"", "", "OWN",
		},
		{
			"checks below smaller headings, and in blocks", "ralphex",
			map[string]string{"docs/plans/a.md": "## Validation Commands\n### Backend\n- `go test ./...`\n### Frontend\n```sh\n# all\ngo vet \\\n  ./...\nA=1 npm test\n```\n```\ncd web && make\n```\n### Task 1: do\n- [ ] it\n"},
			`procedures.build.done.plan = "docs/plans/a.md"
gate check-1 = go test ./...
gate check-2 = go vet ./...
gate check-3 = A=1 npm test
gate check-4 = cd web && make`, "", "",
		},
		{
			"ralph-tui with an agent that is named, and another default", "ralph-tui",
			map[string]string{ralphTUIFile: "agent = \"codex\"\ntracker = \"none\"\n[[agents]]\nname = \"mine\"\nplugin = \"claude\"\ndefault = true\n[[agents]]\nname = \"claude\"\nplugin = \"gemini\"\n"},
			`agent = "codex"`, "", "agents.mine agents.claude tracker",
		},
		{
			"prompts of rooda with one name", "rooda",
			map[string]string{"prompts/a.md": "1", "a.md": "2", "a": "3", roodaFile: "procedures:\n  mine:\n    observe: [{path: prompts/a.md}]\n    orient: [{path: a}]\n    decide: [{path: ./prompts/a.md}]\n    act: [{path: a.md}]\n"},
			`procedures.mine.observe = [".refrain/prompts/rooda/a.md"]
procedures.mine.orient = [".refrain/prompts/rooda/root/a.md"]
procedures.mine.decide = [".refrain/prompts/rooda/a.md"]
procedures.mine.act = [".refrain/prompts/rooda/root/root/a.md"]`,
			"prompts/a.md>.refrain/prompts/rooda/a.md a>.refrain/prompts/rooda/root/a.md a.md>.refrain/prompts/rooda/root/root/a.md", "",
		},
		{
			"commands of rooda that would have one name", "rooda",
			map[string]string{roodaFile: "loop: {ai_cmd: first}\nai_cmd_aliases: {x: third}\nprocedures: {ai: {ai_cmd: second, act: [{content: Go}]}, x: {ai_cmd: fourth, act: [{content: Go}]}}\n"},
			`agents.ai.command = "first"
agent = "ai"
agents.x.command = "third"
procedures.ai.act = [{ text = "Go" }]
agents.ai-ai.command = "second"
procedures.ai.agent = "ai-ai"
procedures.x.act = [{ text = "Go" }]
agents.x-ai.command = "fourth"
procedures.x.agent = "x-ai"`, "", "",
		},
		{
			"several open plans of ralphex", "ralphex",
			map[string]string{"docs/plans/a.md": "- [ ] a\n", "docs/plans/b.md": "- [ ] b\n"},
			"", "", "docs/plans/a.md docs/plans/b.md",
		},
		{
			"ralph-claude-code in its folder", "ralph-claude-code",
			map[string]string{
				".ralph/PROMPT.md": "Do {{it}}", ".ralph/fix_plan.md": "- [ ] a\n", ".ralph/AGENT.md": "",
				".ralphrc": "PROJECT_NAME=\"${PROJECT_NAME:-x}\"\nMAX_CALLS_PER_HOUR=100\nexport CLAUDE_TIMEOUT_MINUTES=15 # short\nSESSION_CONTINUITY=true\nSESSION_EXPIRY_HOURS=24\nCB_NO_PROGRESS_THRESHOLD='3'\nOWN=1\n",
			},
			`agent = "claude"
loop.iteration_timeout = "15m"
session.mode = "keep"
session.max_time = "24h"
stop.no_progress = 3
prompt = ".refrain/prompts/ralph.md"
done.plan = ".ralph/fix_plan.md"`,
			".ralph/PROMPT.md>.refrain/prompts/ralph.md", "PROJECT_NAME MAX_CALLS_PER_HOUR OWN EXIT_SIGNAL .ralph/AGENT.md",
		},
		{
			"ralph-claude-code at the root, whose prompt is read as it is", "ralph-claude-code",
			map[string]string{"PROMPT.md": "Do it", "@fix_plan.md": "- [ ] a\n"},
			"agent = \"claude\"\ndone.plan = \"@fix_plan.md\"", "", "EXIT_SIGNAL",
		},
		{
			"ralph", "ralph",
			map[string]string{"scripts/ralph/prd.json": `{"branchName": "ralph/x", "userStories": [{"id": "US-1", "title": "One"}]}`, "scripts/ralph/prompt.md": ""},
			"", "scripts/ralph/prd.json>IMPLEMENTATION_PLAN.md", "branchName scripts/ralph/prompt.md",
		},
	}
	for _, tt := range tests {
		t.Run(tt.what, func(t *testing.T) {
			found := Find(project(tt.files))
			if len(found) != 1 || found[0].System != tt.system {
				t.Errorf("Find = %v, want %s alone", found, tt.system)
			}
			im, err := Read(project(tt.files), tt.system)
			if err != nil {
				t.Fatal(err)
			}
			im.Settings = slices.DeleteFunc(im.Settings, func(s Setting) bool { return s.Key[0] == "profile" })
			if got := said(im); got != tt.want {
				t.Errorf("settings:\n%s\nwant:\n%s", got, tt.want)
			}
			var copies, notes []string
			for _, f := range im.Files {
				copies = append(copies, f.From+">"+f.Path)
			}
			for _, n := range im.Notes {
				notes = append(notes, firstOf(n.Key, n.File))
				if n.What == "" || n.File == "" {
					t.Errorf("the note %+v says nothing", n)
				}
			}
			if got := strings.Join(copies, " "); got != tt.copies {
				t.Errorf("copies:\n%s\nwant:\n%s", got, tt.copies)
			}
			if got := strings.Join(notes, " "); got != tt.notes {
				t.Errorf("notes:\n%s\nwant:\n%s", got, tt.notes)
			}
			if im.Next == "" || len(im.Read) == 0 {
				t.Errorf("Next = %q, Read = %v, want both", im.Next, im.Read)
			}
		})
	}
}

func TestABrokenFileIsToldWithItsLine(t *testing.T) {
	tests := []struct {
		what, system, file, text, want string
	}{
		{"TOML", "fresher", fresherFile, "[fresher]\nmode = \n", ".fresher/config.toml:2: "},
		{"a text for a number", "fresher", fresherFile, "[fresher]\n\nmax_iterations = \"x\"\n", ".fresher/config.toml:3: fresher.max_iterations must be a whole number, 0 or more, not a text"},
		{"a number that cannot be", "fresher", fresherFile, "[fresher]\nmax_iterations = -1\n", ".fresher/config.toml:2: "},
		{"YAML", "rooda", roodaFile, "loop:\n  a: [1\n", "rooda-config.yml:2: this cannot be read as YAML"},
		{"a text for a number", "rooda", roodaFile, "loop:\n  failure_threshold: many\n", "rooda-config.yml:2: loop.failure_threshold must be a whole number, 0 or more, not a text"},
		{"a phase that is none", "rooda", roodaFile, "procedures:\n  build:\n    act: 3\n", "rooda-config.yml:3: a phase is a path"},
		{"a phase with both", "rooda", roodaFile, "procedures:\n  build:\n    act:\n    - {path: a, content: b}\n", "rooda-config.yml:4: a phase is a path"},
		{"a prompt that is missing", "rooda", roodaFile, "procedures:\n  build:\n    act: prompts/a.md\n", "rooda-config.yml:3: prompts/a.md is missing"},
		{"a prompt out of the project", "rooda", roodaFile, "procedures:\n  build:\n    act: ../a.md\n", "rooda-config.yml:3: ../a.md is no path in the project"},
		{"a prompt of the machine", "rooda", roodaFile, "procedures:\n  build:\n    act: /etc/passwd\n", "rooda-config.yml:3: /etc/passwd is no path in the project"},
		{"JSON", "descartes", descartesFile, "{\n\"config\": {,\n", ".descartes/loop-state.json:2: this is no JSON"},
		{"a text for a number", "descartes", descartesFile, "{\n\"config\": {\n\"max_iterations\": \"x\"}}", ".descartes/loop-state.json:3: config.max_iterations must be a whole number, 0 or more, not a text"},
		{"a table for a text", "rooda", roodaFile, "ai_cmd_aliases:\n  k: {cmd: x}\n", "rooda-config.yml:2: ai_cmd_aliases.k must be a text, not a table"},
		{"a key that comes twice", "rooda", roodaFile, "loop:\n  ai_cmd: a\n  ai_cmd: b\n", "rooda-config.yml:3: "},
		{"an alias of nothing", "rooda", roodaFile, "loop:\n  ai_cmd: *x\n", `rooda-config.yml:2: no anchor before this is called "x"`},
		{"a number that is merged", "rooda", roodaFile, "a: &a 1\nloop:\n  <<: *a\n", "rooda-config.yml:3: only a table can be merged"},
		{"a list for a table", "descartes", descartesFile, "[]", ".descartes/loop-state.json: it must be a table"},
		{"a text for an item of a list", "descartes", descartesFile, "{\"config\": {\"args\": [\n\"a\",\n7]}}", ".descartes/loop-state.json:3: config.args.1 must be a text, not 7"},
		{"two documents in JSON", "descartes", descartesFile, "{}\n{}", ".descartes/loop-state.json:2: this is no JSON"},
		{"UTF-16", "fresher", fresherFile, "\xff\xfe[\x00", ".fresher/config.toml: it is UTF-16: save it as UTF-8"},
		{"no settings at all", "descartes", descartesFile, "{}", ".descartes/loop-state.json: it has no config"},
		{"no pair", "ralph-claude-code", ralphRC, "A=1\nrm -rf x\n", ".ralphrc:2: this is no KEY = VALUE"},
		{"what a shell would add", "ralph-claude-code", ralphRC, "A=1\nCLAUDE_MODEL='a'\"b\"\n", ".ralphrc:2: CLAUDE_MODEL: something stands behind the closing quote"},
		{"a command behind a value", "ralph-claude-code", ralphRC, "CLAUDE_MODEL=\"a\" rm x\n", ".ralphrc:1: CLAUDE_MODEL: something stands behind the closing quote"},
		{"minutes that are none", "ralph-claude-code", ralphRC, "CLAUDE_TIMEOUT_MINUTES=soon\n", `.ralphrc:1: CLAUDE_TIMEOUT_MINUTES cannot be "soon"`},
		{"time that is none", "ralphex", ralphexFile, "\nidle_timeout = long\n", `.ralphex/config:2: idle_timeout cannot be "long"`},
		{"no stories", "ralph", "scripts/ralph/prd.json", "{}", "scripts/ralph/prd.json: it has no userStories"},
		{"tasks elsewhere", "ralph-tui", ralphTUIFile, "[trackerOptions]\npath = \"../prd.json\"\n", ".ralph-tui/config.toml: trackerOptions.path: ../prd.json is no path in the project"},
	}
	for _, tt := range tests {
		t.Run(tt.system+": "+tt.what, func(t *testing.T) {
			_, err := Read(project(map[string]string{tt.file: tt.text}), tt.system)
			var wrong *Error
			if !errors.As(err, &wrong) || !strings.HasPrefix(wrong.Error(), tt.want) {
				t.Errorf("err = %v, want %s…", err, tt.want)
			}
			if err != nil && strings.Contains(err.Error(), "\n") {
				t.Errorf("err = %q, want one line", err)
			}
		})
	}
}

func TestStoriesBecomeAPlanInTheirOrder(t *testing.T) {
	im := &Import{}
	err := stories(im, "prd.json", []byte(`{"project": "Shop", "userStories": [
{"id": "US-2", "title": "Second\nline", "priority": 2, "acceptanceCriteria": ["it works", "[ ] no task"]},
{"id": "US-3", "title": "Last", "priority": "low"},
{"id": "US-1", "title": "First", "priority": 1, "passes": true, "notes": "done"}]}`))
	want := "# Shop\n\n## Tasks\n\n- [x] US-1: First\n  - done\n- [ ] US-2: Second line\n  - it works\n  - \\[ ] no task\n- [ ] US-3: Last\n"
	if err != nil || im.Files[0].Text != want {
		t.Errorf("plan = %v %q, want %q", err, im.Files, want)
	}
}

func TestAPlanHasAsManyTasksAsThereAreStories(t *testing.T) {
	block := regexp.MustCompile("(?m)^(?:[-*+> ]|\\d+[.)])*(?:\\[[ xX]\\]|```|~~~|<!--)")
	for _, said := range []string{"- [ ] nested", "1. [ ] x", "2) [x] x", "* [ ] x", "> - [ ] x", ">[ ] x", "- > 1. - [ ] x", "[ ] x", "```", "~~~ x", "<!-- x", "<pre>", "- ```", "# x", "---", "-", "plain"} {
		for _, story := range []string{
			`{"id": "a", "title": "t", "acceptanceCriteria": [%[1]q], "passes": true}, {"id": "b", "title": "t"}`,
			`{"title": %[1]q, "description": %[1]q, "notes": %[1]q, "passes": true}, {"title": "t"}`,
			`{"id": %[1]q, "passes": true}, {"title": "t"}`,
		} {
			im := &Import{}
			if err := stories(im, "prd.json", fmt.Appendf(nil, `{"description": %[1]q, "userStories": [`+story+`]}`, said)); err != nil {
				t.Fatal(err)
			}
			if got := block.FindAllString(im.Files[0].Text, -1); !slices.Equal(got, []string{"- [x]", "- [ ]"}) {
				t.Errorf("%s: the plan has %q, want one task done and one open:\n%s", said, got, im.Files[0].Text)
			}
		}
	}
}

func TestACopiedPromptSaysWhatItSaid(t *testing.T) {
	for text, want := range map[string]string{
		"plain":              "plain",
		"{{.Name}} {{":       `{{"{{"}}.Name}} {{"{{"}}`,
		"---\na: b\n---\nGo": "\n---\na: b\n---\nGo",
	} {
		if got := verbatim(text); got != want {
			t.Errorf("verbatim(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestAHookThatCouldNotRunIsNotMadeOneThatCan(t *testing.T) {
	root := fstest.MapFS{
		fresherFile:               {Data: []byte("")},
		".fresher/hooks/started":  {Data: []byte("#!/bin/sh"), Mode: 0o644},
		".fresher/hooks/finished": {Data: []byte("#!/bin/sh"), Mode: 0o744},
	}
	im, err := Read(root, "fresher")
	if err != nil {
		t.Fatal(err)
	}
	modes := map[string]fs.FileMode{}
	for _, f := range im.Files {
		modes[f.Path] = f.Mode
	}
	want := map[string]fs.FileMode{".refrain/hooks/started": 0o644, ".refrain/hooks/finished": 0o755}
	if !reflect.DeepEqual(modes, want) {
		t.Errorf("modes = %v, want %v", modes, want)
	}
}

func TestWhichSystemsWereUsed(t *testing.T) {
	tests := []struct {
		files []string
		want  string
	}{
		{nil, "[]"},
		{[]string{"docs/plans/README.md", "docs/plans/notes.md", "src/prd.json", ".fresher/notes.md", ".fresher/hooks/readme"}, "[]"},
		{[]string{"rooda-config.yml/x.md", ".fresher", ".ralph/PROMPT.md/x"}, "[]"},
		{[]string{".fresher/PROMPT.building.md"}, "[{fresher .fresher/PROMPT.building.md false}]"},
		{[]string{".fresher/hooks/finished"}, "[{fresher .fresher/hooks/finished false}]"},
		{[]string{"prd.json"}, "[{ralph prd.json true}]"},
		{[]string{"prd.json", ralphTUIFile}, "[{ralph-tui .ralph-tui/config.toml false}]"},
		{[]string{"docs/plans/open.md", "prd.json"}, "[{ralphex docs/plans/ true} {ralph prd.json true}]"},
		{[]string{"docs/plans/open.md", roodaFile}, "[{rooda rooda-config.yml false}]"},
		{[]string{"docs/plans/task.md", roodaFile}, "[{rooda rooda-config.yml false} {ralphex docs/plans/ false}]"},
		{[]string{"stories/prd.json", roodaFile}, "[{rooda rooda-config.yml false}]"},
		{[]string{fresherFile, roodaFile}, "[{fresher .fresher/config.toml false} {rooda rooda-config.yml false}]"},
	}
	contents := map[string]string{"notes.md": "# Notes\n- [x] done\n", "open.md": "- [ ] one\n", "task.md": "### Task 1: it\n- [ ] one\n"}
	for _, tt := range tests {
		files := map[string]string{}
		for _, name := range tt.files {
			files[name] = contents[path.Base(name)]
		}
		if got := fmt.Sprint(Find(project(files))); got != tt.want {
			t.Errorf("Find(%v) = %s, want %s", tt.files, got, tt.want)
		}
	}
}

// FuzzRead gives each reader files of any kind: it ends, with settings that are
// TOML, or with an error of one line.
func FuzzRead(f *testing.F) {
	f.Add(0, "[fresher]\nmax_iterations = 3\n")
	f.Add(1, "loop: {ai_cmd: x}\nprocedures:\n  build:\n    act:\n    - content: |\n        Go\n  b: {observe: p.md}\n")
	f.Add(2, `{"config": {"command": "a", "backend": {"environment": {"A": "b"}}}}`)
	f.Add(3, "agent = \"claude\"\n[[agents]]\nname = \"x\"\ndefault = true\n")
	f.Add(4, "max_iterations = 3\nmax_iterations = 4\n")
	f.Add(5, "CLAUDE_MODEL=\"x\"\n")
	f.Add(6, `{"userStories": [{"id": "a", "title": "b"}]}`)
	f.Fuzz(func(t *testing.T, which int, text string) {
		s := systems[((which%len(systems))+len(systems))%len(systems)]
		files := map[string]string{"p.md": text, "docs/plans/a.md": text}
		for _, name := range s.marks {
			files[name] = text
		}
		im, err := Read(project(files), s.name)
		var wrong *Error
		switch {
		case errors.As(err, &wrong):
			return
		case err != nil:
			t.Fatalf("%s: %v, want an *Error", s.name, err)
		}
		var parsed map[string]any
		if err := toml.Unmarshal([]byte(im.TOML()), &parsed); err != nil {
			t.Fatalf("%s made no TOML of %q: %v\n%s", s.name, text, err, im.TOML())
		}
	})
}
