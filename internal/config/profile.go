package config

import (
	"embed"
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
)

//go:embed profiles/*.toml
var profiles embed.FS

// Profiles is the names of the profiles, sorted.
func Profiles() []string {
	files, err := profiles.ReadDir("profiles")
	if err != nil {
		panic(err) // embedded
	}
	var names []string
	for _, f := range files {
		names = append(names, strings.TrimSuffix(f.Name(), ".toml"))
	}
	return names
}

// leaveModel takes the profile's model away when another agent than the
// profile's is chosen, which would not know it.
func (r *Resolved) leaveModel() {
	model, set := r.top("model")
	agent, _ := r.top("agent")
	if !set || !strings.HasPrefix(model.layer, profileLayer) || agent.layer == model.layer {
		return
	}
	for _, e := range r.entries["agent"] {
		if e.layer == model.layer && e.value != agent.value {
			r.entries["model"] = append(r.entries["model"], entry{model.row, "", agent.layer, agent.place})
			return
		}
	}
}

// profileLayer begins the names of the layers that profiles are.
const profileLayer = "profile "

// profile reads the profile that the sources, lowest first, ask for. Its name
// is one of the row's choices, so it exists.
func (l *loader) profile(sources ...source) source {
	name := ""
	for _, src := range sources {
		for _, a := range src.assignments {
			if setting.JoinKey(a.path) == "profile" {
				name = a.entry.value.(string)
			}
		}
	}
	if name == "" {
		return source{}
	}
	data, err := profiles.ReadFile("profiles/" + name + ".toml")
	if err != nil {
		panic(fmt.Sprintf("profile %s: %v", name, err))
	}
	doc, problem := parseDocument(data, name+".toml")
	if problem != nil {
		l.complain(*problem)
		return source{}
	}
	return l.document(profileLayer+name, doc)
}
