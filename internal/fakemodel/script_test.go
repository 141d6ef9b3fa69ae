package fakemodel

import (
	"io/fs"
	"strings"
	"testing"
)

func TestEveryScriptCanBePlayed(t *testing.T) {
	files, err := fs.Glob(scripts, "scripts/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "scripts/"), ".json")
		script := Load(t, name, map[string]string{"CWD": "/work"})
		if script.Comment == "" {
			t.Errorf("%s does not say what it is", name)
		}
		if strings.Contains(encode(script), "${") {
			t.Errorf("%s has a variable that nothing sets", name)
		}
	}
}

func TestVariablesAreFilledIn(t *testing.T) {
	text := []byte(`{"vars":{"A":"own","B":"own"},"turns":[{"text":"${A} ${B} ${C}"}]}`)
	got, err := parse(text, map[string]string{"B": "a \"quoted\"\nline", "C": "c"})
	if err != nil {
		t.Fatal(err)
	}
	if want := "own a \"quoted\"\nline c"; got.Turns[0].Text != want {
		t.Errorf("text = %q, want %q", got.Turns[0].Text, want)
	}
}

func TestAScriptThatMakesNoSenseIsRefused(t *testing.T) {
	tests := []struct{ name, script, want string }{
		{"no JSON", `{`, "unexpected end"},
		{"an unknown key", `{"turns":[{"txet":"a"}]}`, "txet"},
		{"nothing to play", `{"turns":[]}`, "no turns"},
		{"an unknown index", `{"index":"count","turns":[{}]}`, `unknown index "count"`},
		{"an unknown hang", `{"turns":[{"hang":"middle"}]}`, `unknown hang "middle"`},
		{"an unknown error", `{"turns":[{"error":{"kind":"oops"}}]}`, `unknown error kind "oops"`},
		{"an unknown word in a rule", `{"turns":[{}],"rules":[{"contains":"a","turn":{"stop":"now"}}]}`, `unknown stop "now"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := parse([]byte(tt.script), nil); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("parse(%s) = %v, want an error with %q", tt.script, err, tt.want)
			}
		})
	}
}
