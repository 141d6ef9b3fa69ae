//go:build unix

package sandbox

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOfAFileThatIsWrittenAllTheTimeSomeKeysArePutBack(t *testing.T) {
	const before = `{"numStartups": 3, "mcpServers": {"mine": {"command": "mine"}}, "projects": {"/p": {"history": ["a"], "hasTrustDialogAccepted": true, "allowedTools": []}}}`
	for _, tt := range []struct {
		name, before, after, want string
		told                      string
	}{
		{"what it counts is its own", before, strings.Replace(before, "3", "4", 1), strings.Replace(before, "3", "4", 1), ""},
		{"a new project is", before, strings.Replace(before, `"/p"`, `"/q": {"history": [], "allowedTools": [], "hasTrustDialogAccepted": false}, "/p"`, 1), strings.Replace(before, `"/p"`, `"/q": {"history": [], "allowedTools": [], "hasTrustDialogAccepted": false}, "/p"`, 1), ""},
		{"a server was added", before, strings.Replace(strings.Replace(before, `"mine": {`, `"x": {"command": "evil"}, "mine": {`, 1), "3", "4", 1), strings.Replace(before, "3", "4", 1), "mcpServers"},
		{"a server was changed", before, strings.Replace(before, `"command": "mine"`, `"command": "evil"`, 1), before, "mcpServers"},
		{"servers were taken away", before, `{"numStartups": 3, "projects": {}}`, `{"numStartups": 3, "mcpServers": {"mine": {"command": "mine"}}, "projects": {"/p": {"hasTrustDialogAccepted": true}}}`, "mcpServers, projects./p.hasTrustDialogAccepted"},
		{"a project was trusted", before, strings.Replace(before, `"/p"`, `"/q": {"hasTrustDialogAccepted": true, "history": []}, "/p"`, 1), strings.Replace(before, `"/p"`, `"/q": {"history": []}, "/p"`, 1), "projects./q.hasTrustDialogAccepted"},
		{"there was nothing", "", `{"mcpServers": {"x": {"command": "evil"}}, "numStartups": 1}`, `{"numStartups": 1}`, "mcpServers"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGuarded(t)
			path := filepath.Join(g.place.Home, ".claude.json")
			write(t, g.place.Home, ".claude.json", tt.before)
			was, err := os.Stat(path)
			g.do(err)
			g.note()
			write(t, g.place.Home, ".claude.json", tt.after)
			warnings := g.PutBack(t.Context())
			var got, want any
			text, err := os.ReadFile(path)
			g.do(err, json.Unmarshal(text, &got), json.Unmarshal([]byte(tt.want), &want))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("the file (-want +got):\n%s", diff)
			}
			if tt.told == "" && string(text) != tt.after {
				t.Errorf("it was written: %s", text)
			}
			if now, err := os.Stat(path); err != nil || !os.SameFile(was, now) {
				t.Error("it is another file, which no sandbox is open for")
			}
			told := ""
			for _, w := range warnings {
				told += strings.TrimSuffix(w.Text, " in "+path+" was changed while an agent worked that acts on it in later sessions; it was put back")
				kept, err := os.ReadFile(strings.TrimPrefix(w.Hint, "if that was you, take what you wrote from "))
				if err != nil || string(kept) != tt.after {
					t.Errorf("kept %q, %v", kept, err)
				}
			}
			if told != tt.told {
				t.Errorf("told %q, want %q", told, tt.told)
			}
		})
	}
}

func TestAFileThatCannotBeReadIsTold(t *testing.T) {
	g := newGuarded(t)
	write(t, g.place.Home, ".claude.json", "{}")
	g.note()
	write(t, g.place.Home, ".claude.json", "{")
	if w := g.PutBack(t.Context()); len(w) != 1 || !strings.Contains(w[0].Text, ".claude.json is not put back: ") {
		t.Errorf("told %v", w)
	}
}
