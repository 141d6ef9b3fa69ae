package detect

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestSummaries(t *testing.T) {
	tool := &loop.AgentTool{Name: "Bash"}
	tests := []struct {
		name   string
		events []loop.Payload
		want   string
	}{
		{"a section", say("Hi.\n\n## Summary\n\nFixed it.\nTwice.\n\n## Next\nMore."), "Fixed it.\nTwice."},
		{"a smaller section", say("### Summary\nFixed it."), "Fixed it."},
		{"a label with its text", say("Summary: fixed it.\nTwice."), "fixed it.\nTwice."},
		{"a bold label", say("**Summary:** fixed it."), "fixed it."},
		{"a label alone on its line", say("Summary:\n- fixed it"), "- fixed it"},
		{"the last marker wins", say("## Summary\nthe prompt's own\n## Work\n…\n## Summary\nFixed it."), "Fixed it."},
		{"line by line", say("## Summary", "", "Fixed it.", "", "Twice."), "Fixed it.\n\nTwice."},
		{"a marker in a fence is none", say("## Summary\nFixed it.\n```\n## Summary\n# x\n```\nSo."), "Fixed it.\n```\n## Summary\n# x\n```\nSo."},
		{"a section ends with its message", append(append(say("## Summary\nFixed it."), tool), say("Now more.")...), "Fixed it."},
		{"an empty section gives way to the last paragraph", say("All well.\n\n## Summary\n"), "All well."},
		{"the last paragraph", say("First.\n\nThen\nmore.\n\n"), "Then\nmore."},
		{"the claim is not part of it", say("Fixed it.\n\n" + tagDone), "Fixed it."},
		{"nor in a section", say("## Summary\nFixed it.\n" + tagDone), "Fixed it."},
		{"a tool call parts paragraphs", append(append(say("First."), tool), say("Then.")...), "Then."},
		{"the result goes before the text", append(say("Text."), &loop.AgentResult{Text: "One.\n\nResult."}), "Result."},
		{"a section goes before the result", append(say("Summary: text."), &loop.AgentResult{Text: "Result."}), "text."},
		{"an empty result does not", append(say("Text."), &loop.AgentResult{OK: true}), "Text."},
		{"colours are left out", say("\x1b[1mFixed\x1b[0m it."), "Fixed it."},
		{"nothing said", nil, ""},
		{"only white space said", say(" \n\t"), ""},
		{"tool results are not the agent's words", []loop.Payload{&loop.AgentToolResult{Output: "## Summary\nx"}}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if o, _ := listen(Summaries(), tt.events...); o.Summary != tt.want {
				t.Errorf("summary = %q, want %q", o.Summary, tt.want)
			}
		})
	}
}

func TestSummariesAreBounded(t *testing.T) {
	for _, text := range []string{
		"## Summary\n" + strings.Repeat("ä", 9000), "## Summary\n" + strings.Repeat("äöü\n", 9000),
		strings.Repeat("x", 9000), "Summary: " + strings.Repeat("long words ", 9000),
	} {
		o, _ := listen(Summaries(), say(text)...)
		if len(o.Summary) > maxSummary || len(o.Summary) < maxSummary-8 || !utf8.ValidString(o.Summary) || !strings.HasSuffix(o.Summary, "…") {
			t.Errorf("summary of %.20q… has %d bytes and ends in %q", text, len(o.Summary), o.Summary[len(o.Summary)-4:])
		}
	}
}

func FuzzSummaries(f *testing.F) {
	f.Add("## Summary\nx\n```\n# y", true)
	f.Add("Summary: \xff\x1b[1m", false)
	f.Fuzz(func(t *testing.T, text string, parts bool) {
		events := say(text)
		if parts {
			events = say(strings.Split(text, "\n")...)
		}
		o, _ := listen(Summaries(), events...)
		if len(o.Summary) > maxSummary || !utf8.ValidString(o.Summary) {
			t.Errorf("summary %q of %q is too long or no text", o.Summary, text)
		}
	})
}
