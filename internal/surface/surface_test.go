package surface

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/story"
)

// tree makes a work tree with these files; a text that begins with "-> " is a link.
func tree(t *testing.T, settings string, files map[string]string) string {
	t.Helper()
	dir := story.NewTree(t, settings)
	t.Setenv("REFRAIN_TRUST_FOLDERS", "[]")
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if to, ok := strings.CutPrefix(text, "-> "); ok {
			if err := os.Symlink(to, path); err != nil {
				t.Fatal(err)
			}
			continue
		}
		story.WriteFile(t, path, text)
	}
	return dir
}

func of(t *testing.T, dir string, req request.Request) []string {
	t.Helper()
	a, err := request.In(dir, req)
	if err != nil {
		t.Fatal(err)
	}
	items, err := Of(t.Context(), a, nil)
	if err != nil {
		t.Fatal(err)
	}
	list := []string{}
	for _, i := range items {
		list = append(list, i.Name+" | "+i.What+" | "+i.Where)
	}
	return list
}

func TestOf(t *testing.T) {
	dir := tree(t, `
[[gate]]
name = "test"
run = "make"
[stop]
scripts = ["stop.sh", "gone.sh"]
[procedures.mine]
parts = ["part.md", { text = "{{run \"inline\"}}" }, "builtin:observe/plan"]
`, map[string]string{
		".refrain/hooks/started":        "#!/bin/sh\n",
		".refrain/hooks/lib.sh":         "x\ny",
		".refrain/hooks/failed.sample":  "#!/bin/sh\n",
		".refrain/hooks/out":            "-> /bin/true",
		".refrain/hooks/folder/x":       "x",
		".refrain/prompts/deep/more.md": "{{run \"included\"}}",
		"stop.sh":                       "#!/bin/sh\n",
		"PROMPT.md":                     "x\n{{run \"make list\"}}\n",
		"part.md":                       "{{run \"part\"}}",
		"specs/a.md":                    "{{run \"nobody runs this\"}}",
	})
	always := []string{
		"gate test | make | refrain.toml:2",
		"hook lib | a script, 2 lines | .refrain/hooks/lib.sh",
		"hook out | a link that leads out of the work tree | .refrain/hooks/out",
		"hook started | a script, 1 line | .refrain/hooks/started",
		"stop script | a script, 1 line | stop.sh",
	}
	scripts := `stop.scripts | ["stop.sh", "gone.sh"] | refrain.toml:6`
	included := `prompt | {{run "included"}} | .refrain/prompts/deep/more.md:1`
	base := append([]string{always[0], scripts}, always[1:]...)
	for name, tt := range map[string]struct {
		req  request.Request
		want []string
	}{
		"a prompt that was typed": {request.Request{Prompt: "{{run \"x\"}}"}, base},
		"a command alone":         {request.Request{Command: []string{"true"}}, base},
		"the prompt's file":       {request.Request{}, append(base[:len(base):len(base)], `prompt | {{run "make list"}} | PROMPT.md:2`, included)},
		"a procedure": {
			request.Request{Procedure: "mine"},
			append(base[:len(base):len(base)], `prompt | {{run "part"}} | part.md:1`, `prompt | {{run "inline"}} | procedures.mine.parts:1`, included),
		},
		"nothing of it": {request.Request{Untrusted: true}, []string{}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, of(t, dir, tt.req)); diff != "" {
				t.Errorf("Of (-want +got):\n%s", diff)
			}
		})
	}
}

// A command that is put together is another when anything of its text is.
func TestWhatIsPutTogether(t *testing.T) {
	sum := func(text string) string {
		dir := tree(t, "", map[string]string{"PROMPT.md": text})
		a, err := request.In(dir, request.Request{})
		if err != nil {
			t.Fatal(err)
		}
		items, err := Of(t.Context(), a, nil)
		if err != nil || len(items) != 1 {
			t.Fatalf("Of = %v, %v", items, err)
		}
		return items[0].Sum
	}
	const front = "---\ndefaults:\n  what: %s\n---\n"
	if sum(strings.ReplaceAll(front, "%s", "list")+"{{run .Vars.what}}") == sum(strings.ReplaceAll(front, "%s", "clean")+"{{run .Vars.what}}") {
		t.Error("another line for the shell is the same command")
	}
	if sum("{{run \"make\"}} a") != sum("{{run \"make\"}} b") {
		t.Error("another text around a line is another command")
	}
}

func TestNews(t *testing.T) {
	dir := tree(t, "[[gate]]\nname = \"test\"\nrun = \"make\"\n", nil)
	news := func(req request.Request) int {
		t.Helper()
		a, err := request.In(dir, req)
		if err != nil {
			t.Fatal(err)
		}
		list, err := News(t.Context(), a, nil)
		if err != nil {
			t.Fatal(err)
		}
		return len(list)
	}
	if n := news(request.Request{}); n != 1 {
		t.Errorf("%d are new, want the gate", n)
	}
	if n := news(request.Request{Consent: request.Given}); n != 0 {
		t.Errorf("%d are new to whoever has just agreed", n)
	}
	if n := news(request.Request{Consent: request.OnlyLooking}); n != 1 {
		t.Errorf("%d are new to whoever looks, want the gate", n)
	}
	for folders, want := range map[string]int{
		dir: 0, filepath.Dir(dir): 0, "/": 0, dir + "x": 1, filepath.Join(dir, "below"): 1,
	} {
		t.Setenv("REFRAIN_TRUST_FOLDERS", `["`+folders+`"]`)
		if n := news(request.Request{}); n != want {
			t.Errorf("with %s trusted %d are new, want %d", folders, n, want)
		}
	}
	t.Setenv("HOME", filepath.Dir(dir))
	t.Setenv("REFRAIN_TRUST_FOLDERS", `["~/`+filepath.Base(dir)+`"]`)
	if n := news(request.Request{}); n != 0 {
		t.Errorf("with a folder of the home trusted %d are new", n)
	}
}
