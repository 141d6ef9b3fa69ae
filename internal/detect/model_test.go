package detect

import (
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestAnotherModelThanWasNamed(t *testing.T) {
	for _, tt := range []struct {
		name   string
		asked  string
		models []string
		want   string
	}{
		{"the one that was named", "", []string{"big"}, ""},
		{"another", "", []string{"big", "small", "big", "small"}, "the model small answers, and not big"},
		{"the agent was to choose", "", []string{"auto", "small"}, ""},
		{"and chose anew", "", []string{"auto-gemini-3", "small", "big"}, "the model big answers, and not small"},
		{"the one that was asked for", "big", []string{"the-big-one"}, ""},
		{"another than was asked for", "big", []string{"small", "small", "big"}, "the model small answers, and not big"},
		{"the one that was asked for, and then another", "big", []string{"big", "small"}, "the model small answers, and not big"},
		{"asked to choose", "auto", []string{"small"}, ""},
		{"the agent does not say which", "big", []string{"auto", "big"}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var got []string
			d := OtherModel(tt.asked, func(asked, named string) bool { return strings.Contains(named, asked) })
			d.Hear(&loop.AgentSession{Session: "s"})
			for _, model := range tt.models {
				for _, p := range d.Hear(&loop.AgentSession{Model: model}) {
					got = append(got, p.(*loop.Warning).Text)
				}
			}
			if tt.want == "" && len(got) > 0 || tt.want != "" && (len(got) != 1 || got[0] != tt.want) {
				t.Errorf("%q: warnings %q, want %q, once", tt.models, got, tt.want)
			}
		})
	}
}
