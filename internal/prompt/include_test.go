package prompt

import (
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestIncludes(t *testing.T) {
	files := map[string]string{
		"specs/b.md":               "B {{.Iteration}}\n",
		"specs/a.md":               "\uFEFF---\ndefaults:\n  who: nobody\n---\n\nA {{.Vars.who}}\n\n",
		"specs/.hidden.md":         "hidden",
		"specs/deep/c.md":          `C with {{include "../b.md"}}`,
		"specs/deep/er/d.md":       "D",
		"specs/raw.txt":            "${{ secrets.X }}",
		".refrain/prompts/own.md":  `{{include "/specs/b.md"}} {{include "more.md"}}`,
		".refrain/prompts/more.md": "more",
		"[odd]/x.md":               `{{include "y*.md"}} {{include "y.md"}}`,
		"[odd]/y.md":               "Y",
	}
	tests := []struct{ name, text, want string }{
		{"a file", `{{include "specs/b.md"}}!`, "B 1!"},
		{"files in their order, with a blank line between", `{{include "specs/*.md"}}`, "A you\n\nB 1"},
		{"any number of folders", `{{include "specs/**/*.md"}}`, "A you\n\nB 1\n\nC with B 1\n\nD"},
		{"everything below", `{{include "specs/deep/**"}}`, "C with B 1\n\nD"},
		{"a folder in the middle", `{{include "specs/**/er/?.md"}}`, "D"},
		{"a hidden file, by name", `{{include "specs/.h*.md"}}`, "hidden"},
		{"from the root of the work tree", `{{include "/specs/deep/../b.md"}}`, "B 1"},
		{"from where the including file is", `{{include ".refrain/prompts/own.md"}}`, "B 1 more"},
		{"from a folder with an odd name", `{{include "\\[odd]/x.md"}}`, "Y Y"},
		{"a name from a variable", `{{range .Vars.files}}{{include .}}{{end}}`, "B 1hidden"},
		{"as it is", `{{includeText "specs/raw.txt"}}`, "${{ secrets.X }}"},
		{"where there may be none", `<{{includeIf "none.md"}}{{includeIf "none/*.md"}}{{includeIf "specs/b.md"}}>`, "<B 1>"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files["PROMPT.md"] = tt.text
			b := templated(tree(t, files))
			b.Vars = map[string]any{"who": "you", "files": []string{"specs/b.md", "specs/.hidden.md"}}
			if got := build(t, b, loop.State{}, 1).Text; got != tt.want {
				t.Errorf("%s gives %q, want %q", tt.text, got, tt.want)
			}
		})
	}
}

func TestIncludesThatAreRefused(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"a missing file", map[string]string{"PROMPT.md": "\n{{include \"none.md\"}}"}, `PROMPT.md:2: no file to include matches "none.md"`},
		{"a pattern without a match", map[string]string{"PROMPT.md": `{{include "specs/*.md"}}`}, `PROMPT.md:1: no file to include matches "specs/*.md"`},
		{"a bad pattern", map[string]string{"PROMPT.md": `{{include "[.md"}}`}, `PROMPT.md:1: the files that match "[.md" cannot be found: syntax error in pattern`},
		{"out of the work tree", map[string]string{"PROMPT.md": `{{include "../x.md"}}`}, `PROMPT.md:1: "../x.md" leads out of the work tree`},
		{"out of it by stars", map[string]string{"PROMPT.md": `{{includeIf "*/../../x*"}}`}, `PROMPT.md:1: "*/../../x*" leads out of the work tree`},
		{"out of it from the root", map[string]string{"PROMPT.md": `{{include "/../x.md"}}`}, `PROMPT.md:1: "/../x.md" leads out of the work tree`},
		{"a folder", map[string]string{"PROMPT.md": `{{include "specs"}}`, "specs/a.md": "a"}, `PROMPT.md:1: specs cannot be included: it is a folder`},
		{"nothing", map[string]string{"PROMPT.md": `{{include ""}}`}, `PROMPT.md:1: . cannot be included: it is a folder`},
		{"a picture", map[string]string{"PROMPT.md": `{{include "a.png"}}`, "a.png": "\x89PNG\x00"}, `PROMPT.md:1: a.png cannot be included: it is not text`},
		{"bytes of zero", map[string]string{"PROMPT.md": `{{includeText "a"}}`, "a": "a\x00b"}, `PROMPT.md:1: a cannot be included: it is not text`},
		{"a large file", map[string]string{"PROMPT.md": `{{include "a"}}`, "a": strings.Repeat("a", largestFile+1)}, `PROMPT.md:1: a cannot be included: it is larger than 1 MB`},
		{"many large files", map[string]string{"PROMPT.md": `{{range 9}}{{$x := includeText "a"}}{{end}}`, "a": strings.Repeat("a", largestFile)}, `PROMPT.md:1: the prompt takes in more than 8 MB`},
		{"itself", map[string]string{"PROMPT.md": "\n\n{{include \"PROMPT.md\"}}"}, `PROMPT.md:3: files include each other without end: PROMPT.md includes PROMPT.md`},
		{
			"a circle",
			map[string]string{"PROMPT.md": `{{include "a/b.md"}}`, "a/b.md": "x\n{{include \"../c.md\"}}", "c.md": `{{include "a/*.md"}}`},
			`c.md:1: files include each other without end: PROMPT.md includes a/b.md includes c.md includes a/b.md`,
		},
		{
			"too deep",
			map[string]string{
				"PROMPT.md": `{{include "1"}}`, "1": `{{include "2"}}`, "2": `{{include "3"}}`, "3": `{{include "4"}}`, "4": `{{include "5"}}`, "5": `{{include "6"}}`, "6": "x",
			},
			`5:1: files include each other more than 5 deep: PROMPT.md includes 1 includes 2 includes 3 includes 4 includes 5 includes 6`,
		},
		{"a mistake in an included file", map[string]string{"PROMPT.md": `{{include "a.md"}}`, "a.md": "---\nname: a\n---\n\n{{.Oops.x}}"}, `a.md:5: no variable "Oops.x"; there are: `},
		{"settings in an included file", map[string]string{"PROMPT.md": `{{include "a.md"}}`, "a.md": "---\nsettings:\n  agent: x\n---\n"}, `a.md:3: settings have no effect in a file that is included`},
		{"a command in an included file", map[string]string{"PROMPT.md": `{{include "a.md"}}`, "a.md": "\n{{run \"echo x\"}}"}, `a.md:2: the command "echo x" may not be run from here`},
		{"a command that may fail, likewise", map[string]string{"PROMPT.md": `{{include "a.md"}}`, "a.md": `{{runIf "echo x"}}`}, `a.md:1: the command "echo x" may not be run from here`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := refusal(t, templated(tree(t, tt.files))).Error()
			if !strings.HasPrefix(got, tt.want) {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestFiveDeepIsNotTooDeep(t *testing.T) {
	dir := tree(t, map[string]string{
		"PROMPT.md": `{{include "1"}}`, "1": `{{include "2"}}`, "2": `{{include "3"}}`, "3": `{{include "4"}}`, "4": `{{include "5"}}`, "5": "x",
	})
	if got := build(t, templated(dir), loop.State{}, 1).Text; got != "x" {
		t.Errorf("got %q", got)
	}
}

func TestLinksStayInTheWorkTree(t *testing.T) {
	outside := tree(t, map[string]string{"secret.md": "secret", "more/secret.md": "secret"})
	dir := tree(t, map[string]string{"specs/a.md": "A"})
	for name, target := range map[string]string{
		"inside.md": "specs/a.md", "out.md": filepath.Join(outside, "secret.md"), "folder": outside, "gone.md": "none.md", "loop": ".",
	} {
		if err := os.Symlink(target, filepath.Join(dir, name)); err != nil {
			t.Skip("no links here:", err)
		}
	}
	tests := []struct{ name, text, want, refused string }{
		{"a link within", `{{include "inside.md"}}`, "A", ""},
		{"a link to nothing", `<{{includeIf "gone.md"}}>`, "<>", ""},
		{"a link out", `{{include "out.md"}}`, "", "out.md cannot be included: it is a link that leads out of the work tree"},
		{"a link out, by pattern", `{{include "o*.md"}}`, "", "out.md cannot be included: it is a link that leads out of the work tree"},
		{"a file behind a linked folder", `{{include "folder/secret.md"}}`, "", "folder/secret.md cannot be included: it is a link that leads out of the work tree"},
		{"a pattern behind a linked folder", `{{include "folder/*.md"}}`, "", `the files that match "folder/*.md" cannot be found`},
		{"folders of stars follow no link", `{{include "**/a.md"}}`, "A", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := &Builder{Pieces: []Piece{{Text: tt.text}}, Template: true, Tree: dir}
			if tt.refused == "" {
				if got := build(t, b, loop.State{}, 1).Text; got != tt.want {
					t.Errorf("got %q, want %q", got, tt.want)
				}
				return
			}
			wantIn(t, refusal(t, b).Error(), tt.refused)
		})
	}
}

func TestWhereIncludesBegin(t *testing.T) {
	dir := tree(t, map[string]string{"a.md": "root", "sub/a.md": "sub", "sub/p.md": `{{include "a.md"}}`})
	outside := tree(t, map[string]string{"p.md": `{{include "a.md"}}`, "a.md": "secret"})
	tests := []struct {
		name  string
		piece Piece
		want  string
	}{
		{"at the folder of the file", Piece{Path: "sub/p.md", Dir: dir}, "sub"},
		{"at the folder that a text is given", Piece{Text: `{{include "a.md"}}`, Dir: filepath.Join(dir, "sub")}, "sub"},
		{"at the root for a text without one", Piece{Text: `{{include "a.md"}}`}, "root"},
		{"at the root for a file from elsewhere", Piece{Path: filepath.Join(outside, "p.md")}, "root"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := &Builder{Pieces: []Piece{tt.piece}, Template: true, Tree: dir}
			if got := build(t, b, loop.State{}, 1).Text; got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func TestWithoutAWorkTreeNothingIsIncluded(t *testing.T) {
	b := &Builder{Source: Source{Text: `{{include "a.md"}}`}, Template: true, Tree: filepath.Join(t.TempDir(), "none")}
	wantIn(t, refusal(t, b).Error(), "line 1 of the prompt: the work tree cannot be read: ")
}

// A secret lies next to the work tree, and links lead to it.
func FuzzIncludesNeverEscape(f *testing.F) {
	base := tree(f, map[string]string{"secret.md": "SECRET", "tree/in/a.md": "a", "tree/b.md": "b"})
	dir := filepath.Join(base, "tree")
	for name, target := range map[string]string{"out": base, "in/up": "../..", "in/secret.md": filepath.Join(base, "secret.md")} {
		if err := os.Symlink(target, filepath.Join(dir, filepath.FromSlash(name))); err != nil {
			f.Skip("no links here:", err)
		}
	}
	for _, seed := range []string{
		"../secret.md", "/../secret.md", "in/../../secret.md", "out/secret.md", "in/up/secret.md", "in/*.md", "**/secret.md", "*/*", "out/*", "in/**", `..\secret.md`, "./../*", "[.][.]/*", "in/up/tree/b.md", "//x", "\x00",
		path.Join(filepath.ToSlash(base), "secret.md"),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, pattern string) {
		for _, from := range []string{"", "in"} {
			b := &Builder{Source: Source{Text: "{{range .Vars.p}}{{include .}}{{includeText .}}{{end}}!"}, Template: true, Tree: dir, Vars: map[string]any{"p": []string{pattern}}}
			b.Source.Dir = filepath.Join(dir, from)
			if p, err := b.Build(t.Context(), loop.State{}, 1, nil); err == nil && strings.Contains(p.Text, "SECRET") {
				t.Errorf("include %q gives what is outside of the work tree: %q", pattern, p.Text)
			}
		}
	})
}
