package detect

import (
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func heardReasons(result loop.Result, texts ...string) []string {
	d := Reasons(true)
	for _, text := range texts {
		d.Hear(&loop.AgentText{Text: text})
	}
	var said []string
	for _, p := range d.Report(&loop.Outcome{Result: result}) {
		e := p.(*loop.TestExplained)
		said = append(said, e.Name+": "+e.Why)
	}
	return said
}

func TestReasons(t *testing.T) {
	for _, tt := range []struct{ name, text, want string }{
		{"alone on its line", `<test-changed name="TestAdd">Add takes strings</test-changed>`, "TestAdd: Add takes strings"},
		{"single quotes, and space around it", "  <test-changed name='calc adds'>so  be it</test-changed> ", "calc adds: so be it"},
		{"several", "<test-changed name=\"A\">x</test-changed>\n<test-changed name=\"B\">y</test-changed>", "A: x, B: y"},
		{"in a sentence", `I would write <test-changed name="A">x</test-changed> here.`, ""},
		{"in code", "```\n<test-changed name=\"A\">x</test-changed>\n```", ""},
		{"quoted", `> <test-changed name="A">x</test-changed>`, ""},
		{"without a reason", `<test-changed name="A"> </test-changed>`, ""},
		{"without a name", `<test-changed name="">x</test-changed>`, ""},
		{"half of it", `<test-changed name="A">x`, ""},
		{"as the prompt has it", `write the tag <test-changed name="NAME">the reason</test-changed>, alone on its own line`, ""},
	} {
		if got := strings.Join(heardReasons(loop.OK, tt.text), ", "); got != tt.want {
			t.Errorf("%s: heard %q, want %q", tt.name, got, tt.want)
		}
	}
	if got := heardReasons(loop.Failed, `<test-changed name="A">x</test-changed>`); got != nil {
		t.Errorf("an agent that did not end well is heard: %q", got)
	}
	deaf := Reasons(false)
	deaf.Hear(&loop.AgentText{Text: `<test-changed name="A">x</test-changed>`})
	if got := deaf.Report(&loop.Outcome{Result: loop.OK}); got != nil {
		t.Errorf("where no gates judge, reasons are heard: %v", got)
	}
	if got := heardReasons(loop.OK, strings.Repeat("<test-changed name=\"A\">x</test-changed>\n", 1000)); len(got) != maxReasons {
		t.Errorf("%d reasons are heard, want at most %d", len(got), maxReasons)
	}
}
