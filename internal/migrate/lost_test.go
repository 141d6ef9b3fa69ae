package migrate

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// notes are the keys, or files, that an import lists.
func notes(im *Import) string {
	var list []string
	for _, n := range im.Notes {
		list = append(list, firstOf(n.Key, n.File))
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func TestAKeyThatNobodyKnowsIsListedHoweverDeepItIs(t *testing.T) {
	tests := []struct {
		system, file, text, want string
	}{
		{"fresher", fresherFile, "odd = 1\n[fresher]\nodd = 1\n[hooks]\nodd = {a = 1}\n", "fresher.odd hooks.odd odd"},
		{"rooda", roodaFile, "odd: 1\nloop: {odd: 1}\nprocedures:\n  x y:\n    odd: 1\n  a:\n    odd: {b: 1}\n    act:\n    - {content: Go, odd: 1}\n    - {content: Go, odd: 1}\n", `loop.odd odd procedures."x y" procedures."x y".odd procedures.a.act.odd procedures.a.act.odd procedures.a.odd`},
		{"descartes", descartesFile, `{"odd": 1, "started_at": 1, "config": {"odd": 1, "command": "x", "backend": {"odd": 1}, "git": {"odd": null}}}`, "config.backend.odd config.git.odd config.odd odd"},
		{"ralph-tui", ralphTUIFile, "odd = 1\ntracker = \"none\"\n[agentOptions]\nodd = 1\n[trackerOptions]\nodd = 1\n[errorHandling]\nodd = 1\n[[agents]]\nname = \"a\"\nodd = 1\n[[agents]]\nname = \"b\"\nodd = 1\n", "agentOptions.odd agents.a agents.b agents.odd errorHandling.odd odd tracker trackerOptions.odd"},
		{"ralphex", ralphexFile, "odd = 1\n[more]\nodder = 1\n", "docs/plans/ odd odder"},
		{"ralph-claude-code", ralphRC, "ODD=1\nexport ODDER=$(date)\nCLAUDE_MODEL=$MODEL\n", "CLAUDE_MODEL ODD ODDER"},
		{"ralph", "prd.json", `{"odd": 1, "userStories": [{"id": "a", "odd": 1, "priority": "high"}, {"id": "b", "odd": 1}]}`, "odd userStories.odd userStories.priority"},
	}
	for _, tt := range tests {
		im, err := Read(project(map[string]string{tt.file: tt.text}), tt.system)
		if err != nil {
			t.Errorf("%s: %v", tt.system, err)
		} else if got := notes(im); got != tt.want {
			t.Errorf("%s lists %s\nwant %s", tt.system, got, tt.want)
		}
	}
	if len(tests) != len(systems) {
		t.Errorf("%d systems are tried, want all %d", len(tests), len(systems))
	}
}

func TestWhatWasNotTakenIsListed(t *testing.T) {
	tests := []struct {
		what, system string
		files        map[string]string
		want         string
	}{
		{"another plan and another prompt", "ralph-claude-code", map[string]string{".ralph/fix_plan.md": "", ".ralph/@fix_plan.md": "", ".ralph/PROMPT.md": "", "PROMPT.md": ""}, ".ralph/@fix_plan.md EXIT_SIGNAL PROMPT.md"},
		{"another list of stories", "ralph", map[string]string{"scripts/ralph/prd.json": `{"userStories": [{"id": "a"}]}`, "prd.json": "{}"}, "prd.json"},
		{"another document", "rooda", map[string]string{roodaFile: "---\n# one\nloop: {}\n---\nloop: {default_max_iterations: 3}\n"}, roodaFile},
		{
			"what is said twice", "rooda",
			map[string]string{roodaFile: "loop: {ai_cmd: a, ai_cmd_alias: b, default_iterations: 1, default_max_iterations: 2}\nprocedures: {a: , b: {log_level: debug, iteration_mode: never, act: [{content: x}], description: \"One.\\nTwo.\"}}\n"},
			"loop.ai_cmd_alias loop.default_iterations procedures.a procedures.b.description procedures.b.iteration_mode procedures.b.log_level",
		},
		{"checks that are no commands", "ralphex", map[string]string{"docs/plans/a.md": "## Validation Commands\nRun all of:\n1. `a`\n- b c\n- `d` and `e`\n- `f` must pass\n## Tasks\n- [ ] one\n"}, "Validation Commands Validation Commands Validation Commands"},
		{"checks that need each other", "ralphex", map[string]string{"docs/plans/a.md": "## Validation Commands\n```sh\ncd web\nnpm test\n```\n```\nfor i in 1 2; do\n  a $i\ndone\n```\n## Tasks\n- [ ] one\n"}, "Validation Commands Validation Commands"},
		{"agents of which one is named, and another the default", "ralph-tui", map[string]string{ralphTUIFile: "agent = \"codex\"\ntracker = \"none\"\n[[agents]]\nname = \"mine\"\nplugin = \"claude\"\ndefault = true\n[[agents]]\nname = \"claude\"\nplugin = \"gemini\"\n"}, "agents.claude agents.mine tracker"},
		{"what has nothing here", "ralph-claude-code", map[string]string{ralphRC: "CLAUDE_AUTO_UPDATE=true\nCLAUDE_MIN_VERSION=2\nPROJECT_NAME=a\nPROJECT_TYPE=go\n"}, "CLAUDE_AUTO_UPDATE CLAUDE_MIN_VERSION PROJECT_NAME PROJECT_TYPE"},
		{"an agent that ralphex does not have", "ralphex", map[string]string{ralphexFile: "executor = gemini\n", "docs/plans/a.md": "- [ ] a\n"}, "executor"},
		{"a prompt in letters of old", "fresher", map[string]string{fresherBuilding: "na\xefve"}, fresherBuilding},
		{"a folder that is not there yet, and limits of a container", "fresher", map[string]string{fresherFile: "[paths]\nimpl_dir = \"todo\"\n[docker]\nmemory = \"4g\"\n"}, "docker paths.impl_dir"},
	}
	for _, tt := range tests {
		im, err := Read(project(tt.files), tt.system)
		if err != nil {
			t.Errorf("%s: %v", tt.what, err)
		} else if got := notes(im); got != tt.want {
			t.Errorf("%s: listed is %s\nwant %s", tt.what, got, tt.want)
		}
	}
}

func TestASecretIsListedAndNotWritten(t *testing.T) {
	const secret = "sk-ant-0123456789abcdefghij"
	tests := []struct {
		what, system, file, text, want string
	}{
		{"an argument", "descartes", descartesFile, `{"config": {"command": "a", "args": ["--api-key", "SECRET", "--token=SECRET", "-H", "Authorization: Bearer SECRET"]}}`, "agents.a.command agents.a.command agents.a.command"},
		{"a variable that does not look like it", "descartes", descartesFile, `{"config": {"command": "a", "backend": {"environment": {"ACCOUNT": "SECRET", "DB": "postgres://me:SECRET@host/db", "BIN": "/opt/x86linux64bit/a"}}}}`, "config.backend.environment.ACCOUNT config.backend.environment.DB"},
		{"an alias", "rooda", roodaFile, `ai_cmd_aliases: {a: "x --api-key SECRET", b: 'API_TOKEN="SECRET" y'}`, "agents.a.command agents.b.command"},
		{"a command of one procedure", "rooda", roodaFile, "procedures: {a: {ai_cmd: x --key SECRET, act: [{content: Go}]}}", "agents.a.command"},
		{"a text", "rooda", roodaFile, "procedures: {a: {summary: 'token: SECRET', act: [{content: 'Use password=SECRET, and a token: a word.'}]}}", "procedures.a.act procedures.a.summary"},
		{"an address", "rooda", roodaFile, "loop: {ai_cmd: 'x --proxy http://me:SECRET@host'}", "agents.ai.command"},
		{"a check", "ralphex", "docs/plans/a.md", "## Validation Commands\n- `API_KEY=SECRET make`\n- run TOKEN=SECRET make\n## Tasks\n- [ ] a\n", "Validation Commands gate.check-1"},
		{"what is inside an argument", "descartes", descartesFile, `{"config": {"command": "sh", "args": ["-c", "my --api-key SECRET; PASSWORD=SECRET x; curl https://u:SECRET@h/x"]}}`, "agents.sh.command agents.sh.command agents.sh.command"},
		{"a password inside an argument", "descartes", descartesFile, `{"config": {"command": "sh", "args": ["-c", "my; curl 'https://u:SECRET@h/x'"]}}`, "agents.sh.command"},
		{"a line as a program", "descartes", descartesFile, `{"config": {"command": "my --api-key SECRET"}}`, "agents.my.command"},
		{"a variable before a program", "descartes", descartesFile, `{"config": {"command": "KEY=SECRET my"}}`, "agents.KEY-----my.command"},
		{"a key without a name, as an argument", "descartes", descartesFile, `{"config": {"command": "a", "args": ["-k", "SECRET", "--header", "X-Auth:SECRET:x"]}}`, "agents.a.command"},
		{"a key without a name, inside an argument", "descartes", descartesFile, `{"config": {"command": "sh", "args": ["-c", "a -k 'SECRET'"]}}`, "agents.sh.command"},
		{"a key without a name, in a line", "rooda", roodaFile, "loop: {ai_cmd: 'x -k SECRET --header X-Auth:SECRET'}", "agents.ai.command"},
		{"a key without a name, in a check", "ralphex", "docs/plans/a.md", "## Validation Commands\n- `check -k SECRET`\n## Tasks\n- [ ] a\n", "gate.check-1"},
		{"a command of a project", "fresher", fresherFile, "[commands]\ntest = \"TOKEN=SECRET go test\"\n", "commands.test"},
	}
	for _, tt := range tests {
		im, err := Read(project(map[string]string{tt.file: strings.ReplaceAll(tt.text, "SECRET", secret)}), tt.system)
		if err != nil {
			t.Errorf("%s: %v", tt.what, err)
			continue
		}
		if got := notes(im); got != tt.want {
			t.Errorf("%s: listed is %s\nwant %s", tt.what, got, tt.want)
		}
		if !strings.Contains(im.TOML(), "***") && !strings.Contains(tt.want, "environment") {
			t.Errorf("%s: no mask is there:\n%s", tt.what, im.TOML())
		}
		if all := im.TOML() + fmt.Sprint(im.Notes); strings.Contains(all, secret) {
			t.Errorf("%s: the secret is told:\n%s", tt.what, all)
		}
	}
}

func TestANoteTellsNoSecret(t *testing.T) {
	const secret = "sk-ant-0123456789abcdefghij"
	for _, tt := range []struct{ system, file, text, want string }{
		{"ralph-tui", ralphTUIFile, "tracker = \"none\"\nagent = \"foo --api-key SECRET\"\n", "foo --api-key *** is not built in"},
		{"ralph-tui", ralphTUIFile, "tracker = \"none\"\n[[agents]]\nname = \"x -k SECRET\"\n", "agents.x -k ***"},
		{"rooda", roodaFile, "loop: {ai_cmd_alias: 'x -k SECRET'}", `no alias is called "x -k ***"`},
	} {
		im, err := Read(project(map[string]string{tt.file: strings.ReplaceAll(tt.text, "SECRET", secret)}), tt.system)
		if all := fmt.Sprint(im); err != nil || !strings.Contains(all, tt.want) || strings.Contains(all, secret) {
			t.Errorf("%s: %v\n%s\nwant %s, and no secret", tt.text, err, all, tt.want)
		}
	}
}

func TestAVariableOfTheShellIsNoSecret(t *testing.T) {
	im, err := Read(project(map[string]string{fresherFile: "[commands]\ntest = 'API_KEY=$KEY make --token \"$(cat t)\"'\n"}), "fresher")
	if err != nil || len(im.Notes) > 0 || strings.Contains(im.TOML(), "***") {
		t.Errorf("Read = %+v, %v, want the command as it is", im, err)
	}
}

func TestAVariableOfAnAgentIsNoSecretAndNotFilledIn(t *testing.T) {
	im, err := Read(project(map[string]string{roodaFile: "loop: {ai_cmd: 'foo --api-key $K'}\n"}), "rooda")
	if err != nil || notes(im) != "agents.ai.command" || !strings.Contains(im.Notes[0].What, "no shell fills in") || !strings.Contains(im.TOML(), `"foo --api-key $K"`) {
		t.Errorf("Read = %+v, %v, want the command as it is, and a note", im, err)
	}
	im, err = Read(project(map[string]string{roodaFile: "loop: {ai_cmd: 'foo --api-key $K --token hunter2'}\n"}), "rooda")
	if err != nil || strings.Contains(im.TOML(), "hunter2") {
		t.Errorf("Read = %+v, %v, want no secret beside a variable", im, err)
	}
}

func TestACopyThatMayHoldASecretIsListed(t *testing.T) {
	files := map[string]string{fresherHooks + "/started": "#!/bin/sh\nexport API_KEY=sk-ant-0123456789abcdefghij\n", fresherBuilding: "Ask for the token: nobody knows it."}
	im, err := Read(project(files), "fresher")
	if err != nil || notes(im) != fresherHooks+"/started" || im.Files[1].Text != files[fresherHooks+"/started"] {
		t.Errorf("Read = %+v, %v, want the hook as it is, and a note", im, err)
	}
}

func TestAByteOrderMarkIsPassedOver(t *testing.T) {
	for _, tt := range []struct{ system, file, text string }{
		{"fresher", fresherFile, "[fresher]\nmax_iterations = 7\n"},
		{"rooda", roodaFile, "loop:\n  default_max_iterations: 7\n"},
		{"descartes", descartesFile, `{"config": {"max_iterations": 7}}`},
		{"ralph-tui", ralphTUIFile, "maxIterations = 7\n"},
		{"ralphex", ralphexFile, "max_iterations = 7\n"},
		{"ralph-claude-code", ralphRC, "CB_NO_PROGRESS_THRESHOLD=7\n"},
	} {
		im, err := Read(project(map[string]string{tt.file: "\ufeff" + tt.text}), tt.system)
		if err != nil || !strings.Contains(said(im), " = 7") {
			t.Errorf("%s: %v, %+v, want the 7", tt.system, err, im)
		}
	}
}

func TestALinkIsFollowedOrRefused(t *testing.T) {
	link := func(to string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(to), Mode: 0o777 | fs.ModeSymlink}
	}
	for _, name := range []string{fresherFile, fresherBuilding, fresherHooks + "/started", fresherGuide} {
		root := fstest.MapFS{fresherPlanning: {Data: []byte("x")}, name: link("nowhere")}
		_, err := Read(root, "fresher")
		var wrong *Error
		if !errors.As(err, &wrong) || wrong.Error() != name+": it is a link to what is not there" {
			t.Errorf("%s leads nowhere: %v, want it refused by its name", name, err)
		}
	}
	im, err := Read(fstest.MapFS{fresherHooks + "/started": link("more/run"), fresherHooks + "/more/run": {Data: []byte("#!/bin/sh"), Mode: 0o755}}, "fresher")
	if err != nil || len(im.Files) != 1 || im.Files[0].Text != "#!/bin/sh" || im.Files[0].Mode != 0o755 || notes(im) != fresherHooks+"/more/" {
		t.Errorf("a hook that is a link = %+v, %v, want what it leads to, and the folder listed", im, err)
	}
}

func TestYAMLSaysWhatItSays(t *testing.T) {
	tests := []struct{ what, text, want string }{
		{"a merge of which a key is said anew", "b: &b {default_iterations: 3, ai_cmd: x}\nloop:\n  <<: *b\n  default_iterations: 9\n", "9 x"},
		{"a merge that comes last", "b: &b {default_iterations: 3, ai_cmd: x}\nloop:\n  default_iterations: 9\n  <<: *b\n", "9 x"},
		{"several merges, of which the first holds", "a: &a {default_iterations: 9}\nb: &b {default_iterations: 3, ai_cmd: x}\nloop:\n  <<: [*a, *b]\n", "9 x"},
		{"an alias", "a: &a {default_iterations: &n 9, ai_cmd: x}\nloop: *a\nprocedures: {p: {default_iterations: *n, act: [{content: Go}]}}\n", "9 x"},
		{"tags, and numbers as texts", "loop: {default_iterations: !!int 9, ai_cmd: !!str 7}\n", "9 7"},
		{"quotes and folds", "\"loop\":\n  ? default_iterations\n  : 9\n  'ai_cmd': >-\n    x\n    y\n", "9 x y"},
	}
	for _, tt := range tests {
		im, err := Read(project(map[string]string{roodaFile: tt.text}), "rooda")
		if err != nil {
			t.Errorf("%s: %v", tt.what, err)
			continue
		}
		var got []any
		for _, key := range []string{"loop.max_iterations", "agents.ai.command"} {
			at := slices.IndexFunc(im.Settings, func(s Setting) bool { return strings.Join(s.Key, ".") == key })
			if at < 0 {
				t.Fatalf("%s: there is no %s: %s", tt.what, key, said(im))
			}
			got = append(got, im.Settings[at].Value)
		}
		if said := fmt.Sprint(got[0], " ", got[1]); said != tt.want || len(im.Notes) > 0 {
			t.Errorf("%s = %s, want %s and no notes %v", tt.what, said, tt.want, im.Notes)
		}
	}
}

func TestYAMLThatSwellsIsRefused(t *testing.T) {
	text := "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 9; i++ {
		text += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 9), ", "))
	}
	for _, text := range []string{text, "loop: &l\n  more: *l\n"} {
		var wrong *Error
		if _, err := Read(project(map[string]string{roodaFile: text}), "rooda"); !errors.As(err, &wrong) || wrong.Line == 0 {
			t.Errorf("err = %v, want a line that says too much", err)
		}
	}
}

func TestWhereNothingIsNothingIsRead(t *testing.T) {
	for _, s := range systems {
		var nothing *NothingError
		if _, err := Read(project(map[string]string{"docs/plans/notes.md": "# Notes\n"}), s.name); !errors.As(err, &nothing) {
			t.Errorf("%s: %v, want a NothingError", s.name, err)
		}
	}
}
