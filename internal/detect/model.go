package detect

import (
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// OtherModel warns when another model answers than the agent has named.
func OtherModel() Detector { return &otherModel{} }

type otherModel struct {
	named  string
	warned bool
}

// A name that leaves the choice to the agent, or to its provider, is none.
var anyModel = []string{"auto", "default"}

func (d *otherModel) Hear(said loop.Payload) []loop.Payload {
	s, ok := said.(*loop.AgentSession)
	switch {
	case !ok || s.Model == "" || d.warned:
		return nil
	case d.named == "" || slices.ContainsFunc(anyModel, func(word string) bool { return strings.HasPrefix(d.named, word) }):
		d.named = s.Model
		return nil
	}
	d.warned = true
	return []loop.Payload{&loop.Warning{
		Text: fmt.Sprintf("the model %s answers, and not %s", s.Model, d.named),
		Hint: "the agent or its provider has chosen it; what it costs is reckoned by its own price",
		Key:  "model " + d.named + " " + s.Model,
	}}
}

func (*otherModel) Report(*loop.Outcome) []loop.Payload { return nil }
