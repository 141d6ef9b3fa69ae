package config

import (
	"cmp"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/refrain-loop/refrain/internal/project"
)

// Kind is what is run. Some defaults depend on it.
type Kind int

// The kinds of run.
const (
	Procedure    Kind = iota // a named loop
	AdHocPrompt              // a prompt given on the command line
	AdHocCommand             // a command given on the command line
)

// Sources is where settings come from.
type Sources struct {
	Tree      string   // the work tree, where refrain.toml may be; "" is none
	NoProject bool     // refrain.toml is not read
	UserFile  string   // the user's own file, see UserFile; "" is none
	Environ   []string // as os.Environ gives it
	Flags     []Flag   // later ones win
	Procedure string   // the procedure that is run; "" is none
	Kind      Kind

	// Builtin is the settings of the procedure that is run, as TOML, if it is
	// one that is built in; else "".
	Builtin string

	// The names that exist without being configured. With nil Agents no
	// agent's name is checked, and with nil Fragments no fragment's.
	Agents     []string
	Procedures []string
	Aliases    map[string]string // other names of these procedures
	Fragments  []string

	// OwnGates says that there are gates which no setting names.
	OwnGates bool

	// Front gives what the prompt says of settings. It is asked when all the
	// others are known, for they tell which prompt it is. Nil is nothing.
	Front func(*Resolved) ([]Front, *Problem)
}

// FileName is the project's configuration, at the root of its work tree.
const FileName = project.SettingsFile

// Load resolves the settings. The error is an *Errors with every problem found.
func Load(s Sources) (*Resolved, error) {
	s.Procedure = cmp.Or(s.Aliases[s.Procedure], s.Procedure)
	l := loader{tree: s.Tree}
	var from layers
	if s.UserFile != "" {
		from.user = l.file("user", s.UserFile, s.UserFile)
	}
	if s.Tree != "" && !s.NoProject {
		from.project = l.file("project", filepath.Join(s.Tree, FileName), FileName)
	}
	from.environ = l.environ(s.Environ)
	from.flags = l.flags(s.Flags)
	from.profile = l.profile(from.user, from.project, from.environ, from.flags)
	if madeAnew(s.Procedure, from.user, from.project) {
		s.Builtin = ""
	}
	from.builtin = l.builtin(s.Procedure, s.Builtin)
	from.ownPrompt = ownPrompt(s.Procedure, s.Builtin)
	if len(l.problems) > 0 {
		return nil, &Errors{l.problems}
	}
	r := from.resolve(s)
	if s.Front != nil {
		if from.front = l.front(s.Front(r)); len(l.problems) > 0 {
			return nil, &Errors{l.problems}
		}
		r = from.resolve(s)
	}
	if problems := (&checker{r.values, r.Config, s}).check(); len(problems) > 0 {
		return nil, &Errors{problems}
	}
	return r, nil
}

// madeAnew tells whether files give a procedure a whole prompt: its parts, or all four
// sections. Then it is one of the user's own, and what ends the built-in one of that
// name, a plan that its prompt speaks of, say, is not asked for.
func madeAnew(procedure string, files ...source) bool {
	said := map[string]bool{}
	for _, src := range files {
		for _, a := range src.assignments {
			if len(a.path) == 3 && a.path[0] == "procedures" && a.path[1] == procedure && !a.entry.blank() {
				said[a.path[2]] = true
			}
		}
	}
	return said["parts"] || !slices.ContainsFunc(phases, func(phase string) bool { return !said[phase] })
}

// UserFile is where the user's own settings are; "" when nothing tells. As the
// XDG rules want it, a path that is not absolute is passed over.
func UserFile(getenv func(string) string) string {
	folders := []string{getenv("XDG_CONFIG_HOME")}
	if runtime.GOOS == "windows" {
		folders = append(folders, getenv("APPDATA"))
	}
	folders = append(folders, filepath.Join(getenv("HOME"), ".config"))
	for _, folder := range folders {
		if filepath.IsAbs(folder) {
			return filepath.Join(folder, "refrain", "config.toml")
		}
	}
	return ""
}
