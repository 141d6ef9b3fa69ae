package web

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

// What a program prints is no Markdown: its lines, spaces, signs and colours stay.
func TestWhatAProgramPrintsIsShownAsItIs(t *testing.T) {
	s := newScene(t)
	r := s.run()
	r.add(1, 1, &loop.IterationStarted{Max: 10})
	r.add(1, 1, &loop.AgentText{Plain: true, Text: "# total 2\n  - __init__.py\n10%\r\x1b[31m99%\x1b[0m\n<promise>DONE</promise>"})
	r.add(1, 1, &loop.AgentText{Text: "# Title"})
	at := "/api/runs/" + r.Meta().ID
	for _, path := range []string{"/story", "/iterations/1/transcript"} {
		var told transcript
		s.get(at+path, &told)
		var texts []Entry
		for _, e := range told.Entries {
			if e.Kind == "text" {
				texts = append(texts, e)
			}
		}
		if len(texts) != 2 {
			t.Fatalf("%s has %+v", path, told.Entries)
		}
		if want := "# total 2\n  - __init__.py\n<span class=\"t-fg1\">99%</span>\n&lt;promise&gt;DONE&lt;/promise&gt;"; texts[0].HTML != want || !texts[0].Plain {
			t.Errorf("%s: printed %q, want %q", path, texts[0].HTML, want)
		}
		if want := "<h1>Title</h1>\n"; texts[1].HTML != want || texts[1].Plain {
			t.Errorf("%s: written %q, want %q", path, texts[1].HTML, want)
		}
	}
}
