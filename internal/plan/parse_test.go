package plan

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
)

// short writes tasks as "line status depth text", one a line.
func short(tasks Tasks) string {
	var b strings.Builder
	for _, t := range tasks {
		fmt.Fprintf(&b, "%d %s %d %s\n", t.Line, t.Status, t.Depth, t.Text)
	}
	return b.String()
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"boxes say how far a task is", "- [ ] a\n- [~] b\n- [x] c\n- [X] d", "1 open 0 a\n2 in progress 0 b\n3 done 0 c\n4 done 0 d\n"},
		{"any bullet or number will do", "* [ ] a\n+ [ ] b\n1. [ ] c\n12) [ ] d", "1 open 0 a\n2 open 0 b\n3 open 0 c\n4 open 0 d\n"},
		{"any other mark is open", "- [?] a\n- [-] b\n- [✓] c", "1 open 0 a\n2 open 0 b\n3 open 0 c\n"},
		{"a box may be narrow or wide", "- [] a\n- [ x ] b\n- [\u00a0] c", "1 open 0 a\n2 done 0 b\n3 open 0 c\n"},
		{"a box may lack the space after it", "- [ ]a\n- [x]b", "1 open 0 a\n2 done 0 b\n"},
		{"a task may have no text", "- [ ]\n- [x] ", "1 open 0 \n2 done 0 \n"},
		{"white space in a text is folded, comments are dropped", "-  [ ]  a   b <!-- why --> c ", "1 open 0 a b c\n"},
		{"a box needs a list marker", "[ ] a\n\n| [ ] b |", ""},
		{"a box must come first", "- see [ ] a", ""},
		{"words and links in brackets are no boxes", "- [x](a.md)\n- [x][y]\n- [x]: a.md\n- [](a.md)\n- [todo] b", ""},
		{"no link is blank", "- [ ](a)", "1 open 0 (a)\n"},
		{"Windows line ends", "- [ ] a\r\n\r\n- [x] b\r\n", "1 open 0 a\n3 done 0 b\n"},
		{"a byte order mark", "\uFEFF- [ ] a", "1 open 0 a\n"},

		{"nesting by spaces", "- [ ] a\n  - [ ] b\n    - [ ] c\n- [ ] d", "1 open 0 a\n2 open 1 b\n3 open 2 c\n4 open 0 d\n"},
		{"nesting by four spaces", "- [ ] a\n    - [ ] b\n        - [ ] c", "1 open 0 a\n2 open 1 b\n3 open 2 c\n"},
		{"nesting by tabs", "- [ ] a\n\t- [ ] b\n\t\t- [ ] c", "1 open 0 a\n2 open 1 b\n3 open 2 c\n"},
		{"nesting under numbers", "1. [ ] a\n   - [ ] b\n2. [ ] c", "1 open 0 a\n2 open 1 b\n3 open 0 c\n"},
		{"nesting after a blank line", "- [ ] a\n\n    - [ ] b", "1 open 0 a\n3 open 1 b\n"},
		{"nesting on one line", "- 1. [ ] a", "1 open 1 a\n"},
		{"a tab after the bullet", "-\t[ ] a\n\t- [ ] b", "1 open 0 a\n2 open 1 b\n"},
		{"text set in less than its item goes on with it", "- [ ] a\nmore\n  - [ ] b", "1 open 0 a\n3 open 1 b\n"},
		{"set in very far, right after another task", "- [ ] a\n          - [ ] b", "1 open 0 a\n2 open 1 b\n"},
		{"a rule is no list", "* * *\n- - -\n- [ ] a", "3 open 0 a\n"},

		{"a fence hides", "```\n- [ ] a\n```\n- [x] b", "4 done 0 b\n"},
		{"a fence with an info string", "~~~ markdown `x`\n- [ ] a\n~~~\n- [x] b", "4 done 0 b\n"},
		{"a longer fence holds a shorter one", "````\n```\n- [ ] a\n```\n- [ ] b\n````\n- [x] c", "7 done 0 c\n"},
		{"a fence of the other kind does not end it", "```\n~~~\n- [ ] a\n```\n- [x] b", "5 done 0 b\n"},
		{"a fence ends without info only", "```\n```go\n- [ ] a\n```\n- [x] b", "5 done 0 b\n"},
		{"a fence within an item", "- [x] a\n  ```\n  - [ ] b\n  ```\n- [x] c", "1 done 0 a\n5 done 0 c\n"},
		{"a fence right after the bullet", "- ```\n  - [ ] a\n  ```\n- [x] b", "4 done 0 b\n"},
		{"a fence within an item, after its box", "1. [x] a\n\n   ```sh\n- [ ] b\n", "1 done 0 a\n4 open 0 b\n"},
		{"code within a line is no fence", "```a``` b\n- [ ] c", "2 open 0 c\n"},
		{"a fence that nobody closed hides nothing", "- [x] a\n```\n- [ ] b", "1 done 0 a\n3 open 0 b\n"},
		{"nor does one that its item ends", "- a\n  ```\n  - [ ] b\n- [x] c", "3 open 1 b\n4 done 0 c\n"},

		{"indented code", "Like this:\n\n    - [ ] a\n    - [ ] b\n\n- [x] c", "6 done 0 c\n"},
		{"indented code within an item", "- [x] a\n\n      - [ ] b", "1 done 0 a\n"},
		{"code after a heading", "# A\n    - [ ] a", ""},
		{"a tab is code", "\t- [ ] a", ""},

		{"a comment", "<!-- - [ ] a -->\n- [x] b", "2 done 0 b\n"},
		{"a comment over lines", "<!--\n- [ ] a\n\n- [ ] b\n-->\n- [x] c", "6 done 0 c\n"},
		{"a comment within an item", "- [x] a\n  <!--\n  - [ ] b\n  -->\n- [ ] c", "1 done 0 a\n5 open 0 c\n"},
		{"a comment right after the bullet", "- <!-- [ ] a\n  - [ ] b -->\n- [x] c", "3 done 0 c\n"},
		{"a comment that nobody closed hides nothing", "<!-- note\n- [ ] a", "2 open 0 a\n"},
		{"a comment's beginning in a text hides nothing", "- [x] drop `<!--`\n- [ ] a\n\n-->", "1 done 0 drop `<!--`\n2 open 0 a\n"},
		{"an arrow in a fence ends no comment outside", "```\n<!--\n```\n- [ ] a\n-->", "4 open 0 a\n"},

		{"a quote", "> - [ ] a\n\n- [x] b\n  > - [ ] c", "3 done 0 b\n"},
		{"a task right after a quote", "> a\n- [ ] b", "2 open 0 b\n"},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := short(Parse([]byte(tt.text))); got != tt.want {
				t.Errorf("Parse(%q) =\n%swant\n%s", tt.text, got, tt.want)
			}
		})
	}
}

func TestSections(t *testing.T) {
	text := `- [ ] before any
# One #
- [ ] in one
## Two
#no heading
- [ ] in two
  # within the item
  - [ ] still in two

Three is
longer
===
- [ ] in three
---
- [ ] a rule is no heading

Four
----
- [ ] in four
`
	got := []string{}
	for _, task := range Parse([]byte(text)) {
		got = append(got, task.Section)
	}
	want := []string{"", "One", "Two", "Two", "Three is longer", "Three is longer", "Four"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("sections differ (-want +got):\n%s", diff)
	}
}

func TestCountAndFinished(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		count      loop.Plan
		finished   bool
	}{
		{"no task is not finished", "# Plan", loop.Plan{}, false},
		{"all done", "- [x] a\n- [X] b", loop.Plan{Done: 2}, true},
		{"one open", "- [x] a\n- [ ] b", loop.Plan{Open: 1, Done: 1}, false},
		{"one in progress", "- [x] a\n- [~] b", loop.Plan{InProgress: 1, Done: 1}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tasks := Parse([]byte(tt.text))
			if diff := cmp.Diff(tt.count, tasks.Count()); diff != "" {
				t.Errorf("Count() differs (-want +got):\n%s", diff)
			}
			if got := tasks.Finished(); got != tt.finished {
				t.Errorf("Finished() = %v, want %v", got, tt.finished)
			}
		})
	}
}

// What is written as a plain list is read as it was written.
func TestParseReadsWhatWasWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		boxes := map[Status]string{Open: "[ ]", InProgress: "[~]", Done: "[x]"}
		var text strings.Builder
		var want Tasks
		depth := 0
		for n := range rapid.IntRange(0, 20).Draw(t, "tasks") {
			task := Task{
				Text:   rapid.StringMatching(`[a-z]([a-z ]*[a-z])?`).Draw(t, "text"),
				Status: rapid.SampledFrom([]Status{Open, InProgress, Done}).Draw(t, "status"),
				Line:   n + 1,
			}
			task.Text = fold(task.Text)
			if n > 0 {
				depth = rapid.IntRange(0, depth+1).Draw(t, "depth")
			}
			task.Depth = depth
			want = append(want, task)
			bullet := rapid.SampledFrom([]string{"-", "*", "+"}).Draw(t, "bullet")
			fmt.Fprintf(&text, "%s%s %s %s\n", strings.Repeat("  ", depth), bullet, boxes[task.Status], task.Text)
		}
		if diff := cmp.Diff(want, Parse([]byte(text.String()))); diff != "" {
			t.Fatalf("%s\nread differently (-want +got):\n%s", text.String(), diff)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"# Plan\n\n- [ ] a\n  - [x] b\n\t- [~] c\n", "```\n- [ ] a\n```", "~~~~\n```\n- [ ] a", "<!-- - [ ] a\n--> - [x]",
		"1) [x] a\r\n2) [ ]\r\n", "> - [ ] a\n- - - [ ] b", "a\n===\n    - [ ] b", "- ```\n  <!--\n - [ ]\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tasks := Parse([]byte(text))
		count := tasks.Count()
		if got := count.Open + count.InProgress + count.Done; got != len(tasks) {
			t.Errorf("counted %d of %d tasks", got, len(tasks))
		}
		if lines := strings.Count(text, "\n") + 1; len(tasks) > lines*maxNested {
			t.Errorf("%d tasks on %d lines", len(tasks), lines)
		}
		if lost := Lost(tasks, tasks); len(lost) > 0 {
			t.Errorf("lost %+v without a change", lost)
		}
		if got := len(Lost(tasks, nil)); got != count.Open+count.InProgress {
			t.Errorf("lost %d with everything gone, want %d", got, count.Open+count.InProgress)
		}
		fence := strings.Repeat("`", longestRun(text, '`')+3)
		if hidden := Parse([]byte(fence + "\n" + text + "\n" + fence)); len(hidden) > 0 {
			t.Errorf("tasks within a fence: %+v", hidden)
		}
	})
}

func longestRun(text string, c byte) int {
	longest, run := 0, 0
	for i := range len(text) {
		if run++; text[i] != c {
			run = 0
		}
		longest = max(longest, run)
	}
	return longest
}
