package later

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/intake"
)

// agentPlaces are where the agents that we know take more from than words, in lower
// case with a slash before them; one that ends with a slash is a folder. Variables
// have a row of their own in kinds.
var agentPlaces = sync.OnceValue(func() []string {
	var list []string
	for _, name := range agent.BuiltIn() {
		t := agent.TakesOf(name)
		for _, place := range slices.Concat(t.Settings, t.Scripts, t.Code, t.Skills) {
			list = append(list, "/"+strings.ToLower(place))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
})

// ofAgents is the kind of a file that agents take more from than words.
func ofAgents(file string) *Kind {
	at := "/" + strings.ToLower(file)
	if !slices.ContainsFunc(agentPlaces(), func(place string) bool {
		return strings.HasSuffix(at, place) || strings.HasSuffix(place, "/") && strings.Contains(at, place)
	}) {
		return nil
	}
	return &Kind{what: "agent", parts: func(was, is []byte) ([]string, bool) {
		agents, _ := intake.By(file, is)
		return nil, len(agents) == 0 || was != nil && bytes.Equal(was, is)
	}}
}

// linkOfAgents is the same for a link in the place of a folder. It is listed whatever
// is behind it.
func linkOfAgents(at string) *Kind {
	for _, place := range agentPlaces() {
		if strings.HasSuffix(place, "/") && strings.HasSuffix(at, place) || strings.HasPrefix(place, at) {
			return &Kind{what: "agent"}
		}
	}
	return nil
}
