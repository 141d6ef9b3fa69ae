// Package archtest keeps the shape of the code: which of our packages may
// import which, and who may open files by itself. The table below is the map; a
// new package starts with a new line in it. It holds no code that runs outside
// its tests.
package archtest

// hand and words are what most parts may lean on.
var (
	words  = []string{"loop"}
	hands  = []string{"loop", "proc", "files"}
	parts  = []string{"stop", "detect", "agent", "tests", "plan", "prompt", "journal", "repo", "gate", "hook"}
	faces  = []string{"term", "report", "mcp", "tui"}
	beside = []string{"notify", "telemetry", "awake", "governor", "control"} // who look after a live run
)

// mayImport says, for each package below internal/ ("cmd" for the programs, and
// "refrain" for the library), what of ours it may import. Arrows point inward: faces and app to
// engine, engine to parts, parts to words. Parts do not know each other.
var mayImport = map[string][]string{
	"loop":    nil,
	"files":   nil, // whoever reads files that an agent can write may import it
	"project": join([]string{"files"}),

	"proc":    words,
	"stop":    words,
	"detect":  words,
	"agent":   words,
	"tests":   words,
	"harness": nil,
	"plan":    join(words, []string{"files"}),

	"procedure": words,
	"scaffold":  join(words, []string{"files"}),

	"view":    words,
	"journal": join(words, []string{"files", "project"}),
	"config":  join(words, []string{"files"}),

	"awake":    nil,
	"governor": {"files"},

	"repo":      join(hands, []string{"project"}),
	"notify":    join(hands, []string{"view"}),
	"prompt":    hands,
	"gate":      join(hands, []string{"tests"}),
	"hook":      hands,
	"rehearsal": hands,

	"proof":     join(hands, []string{"gate", "repo", "tests", "harness"}),
	"engine":    join(hands, parts, []string{"proof"}),
	"telemetry": {"loop", "view"},
	"control":   {"loop", "view", "journal"},
	"term":      {"loop", "view", "journal"},
	"report":    {"loop", "view"},
	"mcp":       {"loop", "view", "journal", "control"},
	"tui":       {"loop", "view", "journal", "control"},
	"app":       join(hands, parts, []string{"engine", "proof", "config", "procedure", "rehearsal", "scaffold", "view", "project"}, beside),
	"cli":       join([]string{"app", "files", "rehearsal", "loop", "view", "journal", "config", "plan", "procedure", "repo", "scaffold", "control"}, faces),

	"refrain": {"app", "loop", "engine", "agent", "gate", "stop"}, // the public package at the root

	"cmd":       {"app", "cli"},
	"archtest":  nil,
	"story":     nil, // what script tests share
	"fakemodel": nil, // a model server for tests: it stands in for the outside
	"realtest":  {"app", "cli", "fakemodel", "journal", "loop"},
}

// valuesOnly is the standard library that the words may use: what holds values
// and does nothing.
var valuesOnly = []string{"time", "slices", "strconv", "fmt"}

func join(lists ...[]string) []string {
	var all []string
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}
