package detect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// OtherModel warns when another model answers than the agent has named, or when it
// names another than it was asked for, which may be none. meant tells whether a name
// of its own may stand for the one that it was asked for.
func OtherModel(asked string, meant func(asked, named string) bool) Detector {
	return &otherModel{asked: asked, meant: meant}
}

type otherModel struct {
	asked  string
	meant  func(asked, named string) bool
	named  string
	warned bool
}

// anyModel begins a name that leaves the choice to the agent, or to its provider.
var anyModel = []string{"auto", "default", "best"}

func free(name string) bool {
	return slices.ContainsFunc(anyModel, func(word string) bool { return strings.HasPrefix(name, word) })
}

func (d *otherModel) Hear(said loop.Payload) []loop.Payload {
	s, ok := said.(*loop.AgentSession)
	switch {
	case !ok || s.Model == "" || d.warned:
		return nil
	case d.named == "" && d.asked != "" && !free(d.asked) && !free(s.Model) && !d.meant(d.asked, s.Model):
		return d.warn(s.Model, d.asked)
	case d.named == "" || free(d.named):
		d.named = s.Model
		return nil
	}
	return d.warn(s.Model, d.named)
}

func (d *otherModel) warn(answers, wanted string) []loop.Payload {
	d.warned = true
	return []loop.Payload{&loop.Warning{
		Text: fmt.Sprintf("the model %s answers, and not %s", answers, wanted),
		Hint: "the agent or its provider has chosen it; what it costs is reckoned by its own price",
		Key:  "model " + wanted + " " + answers,
	}}
}

func (*otherModel) Report(*loop.Outcome) []loop.Payload { return nil }
