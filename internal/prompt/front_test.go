package prompt

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const fullFront = `---
# What this prompt is
name: fix   # a comment
description: "Fix: one test at a time"
version: 1.10
tags: [tests, 'it''s', "a, b",]
required:
- target
defaults:
  package: ./...
  strict: False
  tries: 3
  share: 0.5
  odd: 007
  none:
  names:
    - a
    - "b c"
settings:
  loop.max_iterations: 5
  stop:
    failures: 2
    patterns: [ "x: y", z ]
---

Fix {{.Vars.target}}.
`

func TestFrontMatter(t *testing.T) {
	want := Front{
		Name: "fix", Description: "Fix: one test at a time", Version: "1.10",
		Tags: []string{"tests", "it's", "a, b"}, Required: []string{"target"},
		Defaults: map[string]any{
			"package": "./...", "strict": false, "tries": 3, "share": 0.5, "odd": "007", "none": "", "names": []any{"a", "b c"},
		},
		Settings: map[string]any{"loop.max_iterations": 5, "stop.failures": 2, "stop.patterns": []any{"x: y", "z"}},
		Lines:    map[string]int{"loop.max_iterations": 20, "stop.failures": 22, "stop.patterns": 23},
	}
	for name, text := range map[string]string{
		"as it is": fullFront, "with a byte order mark": "\uFEFF" + fullFront, "from Windows": strings.ReplaceAll(fullFront, "\n", "\r\n"),
	} {
		got, body, err := ReadFront("PROMPT.md", text)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Front{})); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if got := strings.ReplaceAll(body, "\r\n", "\n"); got != "\nFix {{.Vars.target}}.\n" {
			t.Errorf("%s: body = %q", name, body)
		}
	}
}

func TestTextsWithoutFrontMatter(t *testing.T) {
	texts := map[string]string{
		"plain text":                      "Fix it.",
		"nothing":                         "",
		"a line across the page":          "---\nFix it.\n",
		"two lines across the page":       "---\nFix it, please.\n---\nNow.\n",
		"a list between them":             "---\n- one\n---\n",
		"a line across the page alone":    "---",
		"the line after a blank one":      "\n---\nname: x\n---\n",
		"a longer line":                   "----\nname: x\n---\n",
		"a blank line, then plain text":   "---\n\nFix it.\n\nname: x\n",
		"an address is not a key":         "---\nhttps://example.org/\n---\n",
		"a heading after the page's line": "---\n# Fix it\n",
	}
	for name, text := range texts {
		front, body, err := ReadFront("PROMPT.md", text)
		if err != nil || body != text || !cmp.Equal(front, Front{}, cmpopts.IgnoreUnexported(Front{})) {
			t.Errorf("%s: ReadFront(%q) = %+v, %q, %v; want the text as it is", name, text, front, body, err)
		}
	}
}

// What people write who know YAML from elsewhere.
func TestMoreOfYAML(t *testing.T) {
	front, _, err := ReadFront("P.md", "---\n\"name\": two\n  lines\ndescription: |\n  a\n  b\ndefaults: {a: 1, b: 1_000, c: .inf}\n---\n")
	if err != nil {
		t.Fatal(err)
	}
	want := Front{Name: "two lines", Description: "a\nb\n", Defaults: map[string]any{"a": 1, "b": "1_000", "c": ".inf"}}
	if diff := cmp.Diff(want, front, cmpopts.IgnoreUnexported(Front{})); diff != "" {
		t.Error(diff)
	}
}

func TestEmptyFrontMatter(t *testing.T) {
	_, body, err := ReadFront("x", "---\n# only a comment\n\n---\nGo.")
	if err != nil || body != "Go." {
		t.Errorf("body = %q, %v", body, err)
	}
}

func TestFrontMatterThatCannotBeRead(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"no end", "---\nname: x\nGo.", "P.md:1: front matter begins here and does not end"},
		{"an unknown key", "---\nname: x\nnmae: y\n---\n", `P.md:3: front matter has no key "nmae"; there are: defaults, description, name, required, settings, tags, version`},
		{"a key twice", "---\nname: x\nname: y\n---\n", `P.md:3: "name" stands here a second time, after line 2`},
		{"a setting twice", "---\nsettings:\n  a.b: 1\n  a:\n    b: 2\n---\n", "P.md:5: the setting a.b is given a second time, after line 3"},
		{"plain text among keys", "---\nname: x\nFix it.\n---\n", `P.md:3: this cannot be read as YAML: non-map value is specified`},
		{"set in for nothing", "---\nname: x\n  version: 1\n---\n", "P.md:2: this cannot be read as YAML: mapping value is not allowed in this context"},
		{"set back to nowhere", "---\ndefaults:\n    a: 1\n  b: 2\n---\n", "P.md:4: this cannot be read as YAML: value is not allowed in this context"},
		{"a tab", "---\ndefaults:\n\ta: 1\n---\n", "P.md:3: this cannot be read as YAML: found character '\t' that cannot start any token"},
		{"an anchor", "---\nname: &a x\n---\n", `P.md:2: a value that begins with "&" is not read here`},
		{"an alias", "---\nname: *a\n---\n", `P.md:2: a value that begins with "*" is not read here`},
		{"a tag", "---\nname: !!str 5\n---\n", `P.md:2: a value that begins with "!!str" is not read here`},
		{"a key that is none", "---\nname: x\n5: x\n---\n", `P.md:3: "5" is not a key`},
		{"a second text", "---\nname: x\n--- # again\nname: y\n---\n", "P.md:3: a second text begins here"},
		{"more than anybody writes", "---\nname: " + strings.Repeat("x", maxFront) + "\n---\n", "P.md:2: front matter is longer than 16 KB"},
		{"an item that is missing", "---\ntags:\n  -\n---\n", "P.md:3: an item of this list is not a text"},
		{"a colon in a bare text", "---\nname: a: b\n---\n", "P.md:2: this cannot be read as YAML: mapping value is not allowed in this context"},
		{"a table in a list", "---\ntags:\n  - a: b\n---\n", "P.md:3: an item of this list is not a text"},
		{"a list in a list", "---\ntags:\n  - [a]\n---\n", "P.md:3: an item of this list is not a text"},
		{"brackets in brackets", "---\ntags: [a, [b]]\n---\n", "P.md:2: an item of this list is not a text"},
		{"a comma for nothing", "---\ntags: [a,,b]\n---\n", "P.md:2: this cannot be read as YAML: unexpected scalar value type"},
		{"an open bracket", "---\ntags: [a,\n---\n", "P.md:2: this cannot be read as YAML: sequence end token ']' not found"},
		{"an open list item", "---\ntags: [a\n---\n", "P.md:2: this cannot be read as YAML: sequence end token ']' not found"},
		{"an open quote", "---\nname: 'x\n---\n", "P.md:2: this cannot be read as YAML: could not find end character of single-quoted text"},
		{"an open double quote", "---\nname: \"x\n---\n", "P.md:2: this cannot be read as YAML: could not find end character of double-quoted text"},
		{"words after a quote", "---\nname: \"x\" y\n---\n", "P.md:2: this cannot be read as YAML: value is not allowed in this context. map key-value is pre-defined"},
		{"nothing, by name", "---\nname: null\n---\n", "P.md:2: null is no value"},
		{"a list for a text", "---\nname: [x]\n---\n", "P.md:2: this must be a text"},
		{"a table for a list", "---\ntags:\n  a: b\n---\n", "P.md:3: this must be a list of texts"},
		{"a text for a table", "---\nsettings: x\n---\n", "P.md:2: settings are keys, each with its value"},
		{"a list for variables", "---\ndefaults: [x]\n---\n", "P.md:2: defaults are variables, each with its value"},
		{"variables in variables", "---\ndefaults:\n  a:\n    b: 1\n---\n", `P.md:4: the variable "a" has others in it`},
		{"a variable that no template can name", "---\ndefaults:\n  a-b: 1\n---\n", `P.md:3: "a-b" is no name that a template can use`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := ReadFront("P.md", tt.text)
			var e *Error
			if !errors.As(err, &e) || e.Error() != tt.want || e.Hint == "" {
				t.Errorf("ReadFront(%q) gives %v, want %s with a hint", tt.text, err, tt.want)
			}
		})
	}
}

func FuzzReadFront(f *testing.F) {
	for _, seed := range []string{fullFront, "---\n---\n", "---\nname: [\n---\n", "---\na:\n- b\n---", "---\ntags: ['a', \"b\"] # c\n---\nx", "---\na: &x [*x, !!y {z: |\n  w}]\n? b\n: >-\n  c\n<<: *x\n...\n--- d\n---\n", "---\r\nname: x\r\n---\r\n"} {
		f.Add(seed)
	}
	check := func(t *testing.T, text string) {
		front, body, err := ReadFront("P.md", text)
		var e *Error
		switch {
		case err == nil && !strings.HasSuffix(text, body):
			t.Errorf("the body %q is not the end of %q", body, text)
		case err == nil && strings.Count(strings.TrimSuffix(text, body), "\n") > front.height:
			t.Errorf("%q has more lines than %d before its body", text, front.height)
		case err != nil && (!errors.As(err, &e) || e.Line < 1 || e.Line > 1+strings.Count(text, "\n") || e.Hint == ""):
			t.Errorf("ReadFront(%q) gives %v, want an *Error with a line of it", text, err)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		check(t, text)
		check(t, "---\nname: "+text+"\n---\n") // so that more of it is read as YAML
	})
}

// What lies deep in something else is read or refused, and soon.
func TestDeepFrontMatter(t *testing.T) {
	for _, open := range []string{"[", "{a: ", "- ", "? ", "&a ", "!a ", "a:\n"} {
		ReadFront("P.md", "---\nname: "+strings.Repeat(open, maxFront/len(open)-10)+"\n---\n")
	}
}
