// Package archtest keeps the shape of the code: which of our packages may
// import which, and who may open files by itself. The table below is the map; a
// new package starts with a new line in it. It holds no code that runs outside
// its tests.
package archtest

// leaves are open to everybody, and know nobody but each other.
var leaves = []string{"text", "files", "glob", "setting", "redact", "lockfile", "outside"}

// hand and words are what most parts may lean on.
var (
	words  = []string{"loop"}
	hands  = []string{"loop", "proc"}
	parts  = []string{"stop", "detect", "agent", "tests", "plan", "prompt", "journal", "git", "pool", "checkpoint", "gate", "hook"}
	faces  = []string{"term", "report", "mcp", "tui", "web"}
	beside = []string{"notify", "telemetry", "awake", "governor", "control"} // who look after a live run
)

// mayImport says, for each package below internal/ ("cmd" for the programs, and
// "refrain" for the library), what of ours it may import. Arrows point inward: faces and app to
// engine, engine to parts, parts to words. Parts do not know each other.
var mayImport = map[string][]string{
	"text":     nil, // how text is cut, cleaned and counted
	"files":    nil, // how files are read that an agent can write
	"glob":     nil, // which paths a pattern means
	"lockfile": nil, // which command installs what
	"outside":  nil, // which programs the runner starts
	"setting":  nil, // what a part says of its own settings
	"redact":   nil, // what is not told

	"wellformed": {"proxy"}, // what values of settings look like
	"foreign":    nil,       // what other systems call things

	"tomlfile": nil, // TOML files with the places of their keys; single values and keys of them

	"fence":  {"bridge"}, // what a process may reach
	"bridge": nil,        // one connection goes on through another
	"proxy":  {"bridge"}, // which hosts can be reached

	"pool":  nil, // the objects of a git repository, copied once
	"watch": nil, // which files of a tree may be others than they were

	"lull": nil, // memory that a process gives back while it waits

	"loop":    nil,
	"project": nil,

	"proc":     join(words, []string{"fence", "lull"}),
	"stop":     words,
	"detect":   join(words, []string{"tests"}),
	"price":    nil, // what models cost
	"agent":    join(words, []string{"price"}),
	"intake":   {"agent"},
	"tests":    join(words, []string{"figures"}),
	"figures":  nil, // counts and times as test runners print them
	"testlist": join(words, []string{"tests"}),
	"harness":  nil,
	"plan":     words,

	"procedure": words,
	"scaffold":  hands,

	"view":    join(words, []string{"stop"}),
	"seal":    nil,
	"journal": join(words, []string{"project", "seal"}),
	"config":  join(words, []string{"stop", "agent", "project", "procedure", "tomlfile", "wellformed", "foreign"}),

	"later":     {"loop", "git", "harness", "agent", "intake"},
	"policy":    {"loop", "stop", "config"},
	"container": {"fence", "proc", "loop"},                                              // processes in containers of docker or podman
	"sandbox":   {"container", "fence", "proc", "proxy", "loop", "agent", "wellformed"}, // what the processes of a run may reach
	"request":   {"project", "loop", "proc", "config", "git", "agent", "gate", "hook", "stop", "plan", "procedure", "prompt"},

	"trust":   {"project"},
	"surface": {"loop", "config", "agent", "intake", "hook", "procedure", "prompt", "request", "trust"},

	"lineup": {"price", "stop", "loop", "proc", "config", "agent", "request", "rehearsal"},

	"migrate":   {"agent", "procedure", "tomlfile"}, // what people come from
	"adopt":     {"config", "migrate", "request", "scaffold"},
	"preflight": {"migrate", "foreign", "agent", "proc", "plan", "prompt", "config", "policy", "request", "scaffold"},

	"review":   {"loop", "view"}, // what somebody who looks through a run decides about
	"history":  {"loop", "stop", "proc", "container", "config", "request", "journal", "project", "git", "checkpoint", "pool", "view", "later"},
	"carry":    {"loop", "journal", "git", "checkpoint", "history"},
	"fleet":    words,                                                                                            // what is said of runs on many machines
	"flow":     {"loop", "fleet", "journal"},                                                                     // where and when legs are done
	"desk":     join(hands, []string{"fleet", "carry", "app", "engine", "request", "journal", "git", "project"}), // does legs of runs
	"lookout":  {"loop", "fleet", "carry", "journal", "history", "control", "view", "git", "checkpoint", "show"}, // from git on, its tests
	"doctor":   {"preflight", "scaffold", "loop", "proc", "agent", "config", "policy", "request", "lineup", "surface", "trust", "history", "journal", "project", "git", "awake", "notify", "sandbox", "container"},
	"rehearse": {"loop", "proc", "config", "policy", "request", "rehearsal", "journal", "git", "checkpoint", "view"},

	"awake":    nil,
	"governor": nil,

	"git":        join(hands, []string{"project"}),
	"checkpoint": join(hands, []string{"git", "pool", "watch", "project"}),
	"notify":     join(hands, []string{"view"}),
	"prompt":     hands,
	"gate":       join(hands, []string{"tests"}),
	"hook":       hands,
	"rehearsal":  hands,

	"steer":     hands,
	"engine":    join(hands, []string{"steer", "stop", "agent", "journal"}),
	"parts":     join(hands, []string{"engine", "stop", "journal", "git", "checkpoint", "hook", "plan", "prompt", "later"}),
	"proof":     join(hands, []string{"engine", "stop", "gate", "git", "checkpoint", "tests", "testlist", "harness"}),
	"telemetry": {"loop", "view"},
	"control":   {"loop", "view", "journal", "files"},
	"term":      {"loop", "view", "journal", "testlist"},
	"report":    {"stop", "loop", "view"},
	"mcp":       {"loop", "view", "journal", "control"},
	"web":       {"loop", "view", "journal", "control", "ledger", "markup", "patch", "history", "checkpoint", "peer", "testlist"},
	"peer":      nil,
	"markdown":  nil,
	"markup":    nil,
	"patch":     {"markup"},
	"ledger":    {"loop", "view", "journal", "seal"},
	"show":      {"loop", "view", "journal", "control", "history", "request", "term", "tests", "testlist", "tui"},
	"tui":       {"loop", "view", "journal", "control", "markdown"},
	"app":       join(hands, parts, []string{"steer", "engine", "parts", "proof", "config", "policy", "request", "lineup", "preflight", "surface", "trust", "history", "later", "rehearse", "procedure", "rehearsal", "scaffold", "view", "project", "sandbox", "container", "fence", "bridge", "proxy"}, beside),
	"whatif":    {"stop", "loop", "config", "policy", "request", "journal", "engine", "steer", "app", "agent", "detect", "gate", "proc", "proof", "git", "checkpoint"}, // from app on, its tests
	"cli":       join([]string{"carry", "show", "stop", "app", "request", "lineup", "preflight", "surface", "trust", "history", "tests", "testlist", "review", "doctor", "whatif", "proc", "fence", "rehearse", "loop", "lull", "view", "journal", "config", "plan", "procedure", "checkpoint", "git", "scaffold", "migrate", "foreign", "adopt", "control", "governor", "policy", "project"}, faces),
	"dispatch":  {"cli", "fleet", "lookout", "show", "web", "tui", "carry", "app", "request", "preflight", "config", "control", "journal", "git", "plan", "tomlfile", "project", "loop", "view", "term"}, // the command line of a fleet
	"refrain":   {"app", "testlist", "steer", "trust", "request", "lineup", "history", "journal", "control", "checkpoint", "loop", "engine", "agent", "gate", "hook", "stop"},                            // the public package at the root

	"cmd":       {"app", "cli", "dispatch", "desk", "flow", "fleet"},
	"archtest":  nil,
	"story":     words, // what tests share
	"fakemodel": nil,   // a model server for tests: it stands in for the outside
	"realtest":  {"agent", "app", "cli", "fakemodel", "intake", "journal", "loop"},
	"fleettest": {"carry", "dispatch", "fleet", "journal", "loop"}, // whole fleets on one machine: tests only
}

// valuesOnly is all that the words may use: what of the standard library holds
// values and does nothing.
var valuesOnly = []string{"time", "slices", "strconv", "fmt"}

func join(lists ...[]string) []string {
	var all []string
	for _, list := range lists {
		all = append(all, list...)
	}
	return all
}

// onePlace says, for modules that are large or may be changed for others, who may import them.
var onePlace = map[string][]string{
	"go.temporal.io":      {"flow"},
	"go.opentelemetry.io": {"flow"},
}
