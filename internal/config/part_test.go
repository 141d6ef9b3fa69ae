package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/procedure"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/tomlfile"
)

func TestProblemsOfParts(t *testing.T) {
	tests := []struct {
		name, parts string
		want, hint  string
	}{
		{"one text", `"a.md"`, `must be a list of parts, not "a.md"`, `write ["a.md"]`},
		{"a number", `["a.md", 1]`, `has neither text nor a table in part 2`, procedure.HowAPartLooks},
		{"a list", `[["a.md"]]`, `has neither text nor a table in part 1`, procedure.HowAPartLooks},
		{"none", `[]`, `is empty, so there would be no prompt`, procedure.HowAPartLooks},
		{"a blank file", `[" "]`, `has no name in part 1`, procedure.HowAPartLooks},
		{"a fragment without its name", `["builtin:"]`, `has no name in part 1`, procedure.HowAPartLooks},
		{"a text for a file", `["Look\nfirst."]`, `has a name of several lines in part 1`, "write { text = … } for a text"},
		{"an empty table", `[{}]`, `has nothing in part 1`, "add one of file, text and builtin"},
		{"only a section", `["a.md", { section = "ACT" }]`, `has nothing in part 2`, "add one of file, text and builtin"},
		{"two at once", `[{ file = "a.md", text = "b" }]`, `has both file and text in part 1`, "make it two parts"},
		{"a misspelt key", `[{ fil = "a.md" }]`, `has an unknown key "fil" in part 1`, `did you mean "file"?`},
		{"a key like no other", `[{ colour = "a.md" }]`, `has an unknown key "colour" in part 1`, procedure.HowAPartLooks},
		{"a number for a text", `[{ text = 1 }]`, `has a text without quotes in part 1`, "write one text in quotes"},
		{"a blank text", `[{ text = " " }]`, `has a blank text in part 1`, "write a text, or leave it out"},
		{"a section of two lines", `[{ section = "A\nB", text = "x" }]`, `has a section of several lines in part 1`, "write it on one line"},
		{"a section that is a heading", `[{ section = "## ACT", text = "x" }]`, `has a section that begins with # in part 1`, "write its words alone: the heading is made of them"},
		{"a NUL", `[{ text = "a\u0000" }]`, `must not contain a NUL character`, "no program can be given one"},
		{"no such fragment", `["builtin:act/committ"]`, `has "builtin:act/committ", which is not a built-in fragment`, `did you mean "builtin:act/commit"?`},
		{"no such fragment in a folder", `["builtin:act/dance"]`, `has "builtin:act/dance", which is not a built-in fragment`, "there are act/commit, act/tick"},
		{"a fragment of no folder", `["builtin:dance"]`, `has "builtin:dance", which is not a built-in fragment`, "there are act/commit, act/tick, observe/plan"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := treeWith(t, "[procedures.p]\nparts = "+tt.parts)
			s.Fragments = []string{"act/commit", "act/tick", "observe/plan"}
			got := problems(t, s)
			want := "refrain.toml:2:1: procedures.p.parts " + tt.want
			if len(got) != 1 || got[0].String() != want || got[0].Hint != tt.hint {
				t.Errorf("%s\ngave %#v\nwant %s\nhint %s", tt.parts, got, want, tt.hint)
			}
		})
	}
}

// A part that is shown is the part that was written.
func TestPartsAreShownAsWritten(t *testing.T) {
	word := rapid.StringMatching(`(builtin:)?[a-zA-Z"\\ é-]{1,9}x`)
	rapid.Check(t, func(t *rapid.T) {
		want := Parts{}
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			var p PromptPart
			if rapid.Bool().Draw(t, "in a section") {
				p.Section = word.Draw(t, "section")
			}
			*rapid.SampledFrom([]*string{&p.File, &p.Text, &p.Builtin}).Draw(t, "kind") = word.Draw(t, "content")
			want = append(want, p)
		}
		v, ok := tomlfile.Value(setting.Render(want))
		if !ok {
			t.Fatalf("%s is no TOML", setting.Render(want))
		}
		if got, ok := procedure.ReadParts(v); !ok || !cmp.Equal(got, want) {
			t.Fatalf("%s reads as %#v, want %#v", setting.Render(want), got, want)
		}
	})
}
