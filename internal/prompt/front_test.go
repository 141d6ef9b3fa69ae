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

// Between words a tab is a part of the text, around them it is not.
func TestTabsInTexts(t *testing.T) {
	for text, want := range map[string]any{
		"make\tall": "make\tall", "\tmake \t all\t": "make \t all", "make\tall\t# it": "make\tall", "1\t2": "1\t2", "nu\tll": "nu\tll",
		"a\tb\n   c\td\n\n\n   e": "a\tb c\td\n\ne", "[a\tb, c]": []any{"a\tb", "c"}, "\"a\tb\"": "a\tb", "|\n   a\tb": "a\tb\n",
	} {
		front, _, err := ReadFront("P.md", "---\ndefaults:\n  a: "+text+"\n---\n")
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if diff := cmp.Diff(want, front.Defaults["a"]); diff != "" {
			t.Errorf("%q: %s", text, diff)
		}
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
		{"plain text among keys", "---\nname: x\nFix it.\n---\n", `P.md:3: "Fix it." is not a key with a value`},
		{"set in for nothing", "---\nname: x\n  version: 1\n---\n", "P.md:3: this line is set in too far"},
		{"set in below lines that go on", "---\nname: x\n\n  y\n  version: 1\n---\n", "P.md:5: this line is set in too far"},
		{"set back to nowhere", "---\ndefaults:\n    a: 1\n  b: 2\n---\n", "P.md:4: this line is not set in as far as the one above, and no key begins here"},
		{"a tab", "---\ndefaults:\n\ta: 1\n---\n", "P.md:3: a tab cannot indent"},
		{"a tab in a key", "---\nname: x\nver\tsion: x\n---\n", `P.md:3: "ver sion" is not a key`},
		{"an anchor", "---\nname: &a x\n---\n", `P.md:2: a value that begins with "&" is not read here`},
		{"an alias", "---\nname: *a\n---\n", `P.md:2: a value that begins with "*" is not read here`},
		{"a tag without a value", "---\nname: !x\n---\n", `P.md:2: a value that begins with "!x" is not read here`},
		{"a tag", "---\nname: !!str 5\n---\n", `P.md:2: a value that begins with "!!str" is not read here`},
		{"a key that is none", "---\nname: x\n5: x\n---\n", `P.md:3: "5" is not a key`},
		{"a second text", "---\nname: x\n--- # again\nname: y\n---\n", "P.md:3: a second text begins here"},
		{"more than anybody writes", "---\nname: " + strings.Repeat("x", maxFront) + "\n---\n", "P.md:2: front matter is longer than 16 KB"},
		{"an item that is missing", "---\ntags:\n  -\n---\n", "P.md:3: an item of this list is not a text"},
		{"a colon in a bare text", "---\nname: a: b\n---\n", "P.md:2: a colon in a text without quotes could be a key"},
		{"a table in a list", "---\ntags:\n  - a: b\n---\n", "P.md:3: an item of this list is not a text"},
		{"a list in a list", "---\ntags:\n  - [a]\n---\n", "P.md:3: an item of this list is not a text"},
		{"brackets in brackets", "---\ntags: [a, [b]]\n---\n", "P.md:2: an item of this list is not a text"},
		{"a comma for nothing", "---\ntags: [a,,b]\n---\n", "P.md:2: a value is missing"},
		{"an open bracket", "---\ntags: [a,\n---\n", "P.md:2: a list does not end"},
		{"an open list item", "---\ntags: [a\n---\n", "P.md:2: a list does not end"},
		{"an open brace", "---\ndefaults: {a: 1\n---\n", "P.md:2: a table in braces does not end"},
		{"a comma that is missing", "---\ntags: [\"a\" \"b\"]\n---\n", "P.md:2: a list lacks a comma, or its end"},
		{"an open quote", "---\nname: 'x\n---\n", "P.md:2: a text in quotes does not end"},
		{"an open double quote", "---\nname: \"x\n---\n", "P.md:2: a text in quotes does not end"},
		{"words after a quote", "---\nname: \"x\" y\n---\n", `P.md:2: "y" follows a value that has ended`},
		{"nothing, by name", "---\nname: null\n---\n", "P.md:2: null is no value"},
		{"a list for a text", "---\nname: [x]\n---\n", "P.md:2: this must be a text"},
		{"a table for a list", "---\ntags:\n  a: b\n---\n", "P.md:3: this must be a list of texts"},
		{"a text for a table", "---\nsettings: x\n---\n", "P.md:2: settings are keys, each with its value"},
		{"a list for variables", "---\ndefaults: [x]\n---\n", "P.md:2: defaults are variables, each with its value"},
		{"variables in variables", "---\ndefaults:\n  a:\n    b: 1\n---\n", `P.md:4: the variable "a" has others in it`},
		{"a variable that no template can name", "---\ndefaults:\n  a-b: 1\n---\n", `P.md:3: "a-b" is not a name that a template can use`},
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
