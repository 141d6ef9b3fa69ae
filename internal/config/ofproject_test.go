package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/setting"
)

// A setting that names files says so in its row. Who adds one, adds it here.
func TestWhichSettingsNameFiles(t *testing.T) {
	var keys []string
	add := func(table string, rows []setting.Row) {
		for _, r := range rows {
			if r.File {
				keys = append(keys, table+r.Key)
			}
		}
	}
	add("", settings())
	add(gateKey+".", gateSettings())
	add("agents.NAME.", agentSettings())
	add("prices.MODEL.", priceSettings())
	add("procedures.NAME.", promptSettings())
	want := strings.Fields(`prompt loop.dir done.plan done.written stop.scripts notify.log metrics.file log.file
		agents.NAME.script procedures.NAME.parts procedures.NAME.observe procedures.NAME.orient procedures.NAME.decide procedures.NAME.act`)
	if !slices.Equal(keys, want) {
		t.Errorf("files are named by %q, want %q", keys, want)
	}
}

func TestFilesThatAProjectNames(t *testing.T) {
	tests := []struct{ name, toml, want string }{
		{"in the project", `log.file = "logs/a"`, ""},
		{"in the project, the long way", `log.file = "logs/../a"`, ""},
		{"none", `log.file = ""`, ""},
		{"above", `log.file = "../a"`, `refrain.toml:1:1: log.file must be a path in the project, not "../a"`},
		{"above, the long way", `log.file = "a/../../b"`, `refrain.toml:1:1: log.file must be a path in the project, not "a/../../b"`},
		{"a whole path", `log.file = "/a"`, `refrain.toml:1:1: log.file must be a path in the project, not "/a"`},
		{"one of several", `stop.scripts = ["a", "../b"]`, `refrain.toml:1:1: stop.scripts must be paths in the project, not "../b"`},
		{"in a procedure", "[procedures.x]\nprompt = \"../a\"", `refrain.toml:2:1: procedures.x.prompt must be a path in the project, not "../a"`},
		{"a part", "[procedures.x]\nact = [{ file = \"../a\" }]", `refrain.toml:2:1: procedures.x.act must be paths in the project, not "../a"`},
		{"a text and a fragment are no files", "[procedures.x]\nparts = [{ text = \"../a\" }, \"builtin:act/plan\"]", ""},
		{"a rehearsal", `agents.rehearsal.script = "/a"`, `refrain.toml:1:1: agents.rehearsal.script must be a path in the project, not "/a"`},
		{"a link that leads out", `done.plan = "out/a"`, `refrain.toml:1:1: done.plan must be a path in the project, and "out/a" is a link out of it`},
		{"a link that stays", `done.plan = "in/a"`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := treeWith(t, tt.toml)
			for name, target := range map[string]string{"out": "..", "in": "."} {
				if err := os.Symlink(target, filepath.Join(s.Tree, name)); err != nil {
					t.Skip("no links here:", err)
				}
			}
			got := ""
			for _, p := range problems(t, s) {
				got += p.String()
			}
			if got != tt.want {
				t.Errorf("problems: %s\nwant: %s", got, tt.want)
			}
		})
	}
}

func TestFilesThatTheUserNames(t *testing.T) {
	s := treeWith(t, `metrics.file = "a"`)
	s.UserFile = filepath.Join(t.TempDir(), "config.toml")
	write(t, s.UserFile, "notify.log = \"/a\"\n[procedures.x]\ndone.plan = \"../a\"\nact = [\"../a\"]")
	s.Environ = []string{"REFRAIN_DONE_WRITTEN=../a"}
	s.Flags = []Flag{{Name: setFlag, Key: "log.file", Value: "/a"}}
	s.Procedure, s.Procedures = "x", []string{"x"}
	r := load(t, s)
	for key, want := range map[string]bool{"metrics.file": true, "notify.log": false, "done.plan": false, "done.written": false, "log.file": false, "prompt": false} {
		if got := r.OfProject(key); got != want {
			t.Errorf("OfProject(%s) = %v, want %v", key, got, want)
		}
	}
	s = treeWith(t, "[procedures.x]\ndone.plan = \"a\"")
	s.Procedure = "x"
	if r := load(t, s); !r.OfProject("done.plan") {
		t.Error("what the table of a procedure says in refrain.toml is not taken for the project's word")
	}
}
