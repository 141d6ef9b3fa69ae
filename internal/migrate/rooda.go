package migrate

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/procedure"
	"github.com/refrain-loop/refrain/internal/setting"
)

const roodaFile = "rooda-config.yml"

// roodaConfig is the file of rooda, key by key.
type roodaConfig struct {
	Loop       roodaLoop                  `key:"loop"`
	Aliases    map[string]string          `key:"ai_cmd_aliases"`
	Tools      map[string]string          `key:"ai_tools"` // an earlier name of the same
	Procedures map[string]*roodaProcedure `key:"procedures"`
}

// roodaLoop is what holds for all procedures, or for one.
type roodaLoop struct {
	Mode             *string `key:"iteration_mode"`
	MaxIterations    *uint32 `key:"default_max_iterations"`
	Iterations       *uint32 `key:"default_iterations"` // an earlier name of the same
	Timeout          *uint32 `key:"iteration_timeout"`  // in seconds
	OutputBuffer     *uint64 `key:"max_output_buffer"`
	FailureThreshold *uint32 `key:"failure_threshold"`
	LogLevel         *string `key:"log_level"`
	LogTimestamps    *string `key:"log_timestamp_format"`
	ShowOutput       *bool   `key:"show_ai_output"`
	Command          string  `key:"ai_cmd"`
	Alias            string  `key:"ai_cmd_alias"`
}

type roodaProcedure struct {
	Own         roodaLoop `key:"-"`
	Display     string    `key:"display"`
	Summary     string    `key:"summary"`
	Description string    `key:"description"`
	Observe     any       `key:"observe"`
	Orient      any       `key:"orient"`
	Decide      any       `key:"decide"`
	Act         any       `key:"act"`
}

// roodaFragment is one piece of a phase: a path, or a table with one of path and
// content.
type roodaFragment struct {
	Path       string `key:"path"`
	Content    string `key:"content"`
	Parameters any    `key:"parameters"`
	line       int
}

// fragments are those of a phase: one of them, or a list.
func (r rooda) fragments(path []string, phase any) ([]roodaFragment, error) {
	list, isList := phase.([]any)
	if !isList && phase != nil {
		list = []any{phase}
	}
	var all []roodaFragment
	for i, item := range list {
		at := path
		if isList {
			at = below(path, strconv.Itoa(i))
		}
		f := roodaFragment{line: r.doc.line(at)}
		switch item := item.(type) {
		case string:
			f.Path = item
		case map[string]any:
			unknown, err := document{file: roodaFile, values: item, loose: true, line: func(key []string) int {
				return r.doc.line(slices.Concat(at, key))
			}}.fit(&f)
			if err != nil {
				return nil, err
			}
			for _, key := range unknown {
				r.note(roodaFile, setting.JoinKey(below(path, key)), noSuchKey)
			}
		}
		if (strings.TrimSpace(f.Path) == "") == (strings.TrimSpace(f.Content) == "") {
			return nil, &Error{roodaFile, f.line, "a phase is a path, or a list of paths and of tables with path or content"}
		}
		all = append(all, f)
	}
	return all, nil
}

const noSuchKey = "rooda has no such key that is known here"

// part is one part of a section of a prompt: a file, or a text.
type part struct{ file, text string }

func readRooda(in tree, im *Import) error {
	text, err := in.read(roodaFile)
	if err != nil {
		return err
	}
	return roodaSettings(im, text, in.read)
}

// roodaSettings turns the file into settings, and the prompts that it names into
// ours.
func roodaSettings(im *Import, text []byte, read func(string) ([]byte, error)) error {
	var c roodaConfig
	doc, err := readYAML(roodaFile, text)
	if err != nil {
		return err
	}
	unknown, err := doc.fit(&c)
	if err != nil {
		return err
	}
	im.Read = append(im.Read, roodaFile)
	im.set("profile", "rooda")
	aliases := map[string]string{}
	maps.Copy(aliases, c.Tools)
	maps.Copy(aliases, c.Aliases)
	r := rooda{im, doc, aliases, map[string]string{}, map[string]bool{}, map[string]bool{}, map[string]bool{}, read}
	for _, alias := range slices.Sorted(maps.Keys(aliases)) {
		r.call(alias)
	}
	r.loop(c.Loop, nil)
	for _, name := range slices.Sorted(maps.Keys(aliases)) {
		r.agent(name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Procedures)) {
		if c.Procedures[name] == nil {
			im.note(roodaFile, setting.JoinKey([]string{"procedures", name}), "it says nothing, so nothing was made of it")
			continue
		}
		if err := r.procedure(name, *c.Procedures[name]); err != nil {
			return err
		}
	}
	im.noteUnknown(doc, unknown, noSuchKey)
	im.Next = "refrain procedures"
	if _, builds := c.Procedures["build"]; builds || len(c.Procedures) == 0 {
		im.Next = "refrain build"
	}
	return nil
}

// rooda is an import of rooda's settings while it is made.
type rooda struct {
	*Import
	doc     document
	aliases map[string]string
	names   map[string]string // what the agent of an alias is called here
	taken   map[string]bool   // names of agents
	agents  map[string]bool   // that have their table
	made    map[string]bool   // the procedures
	read    func(string) ([]byte, error)
}

// builtinAliases are the commands behind rooda's own names, where no agent of that
// name is built in here.
var builtinAliases = map[string]string{
	"kiro-cli":     "kiro-cli chat --no-interactive --trust-all-tools",
	"cursor-agent": "cursor-agent -p -f --output-format text",
}

// loop turns what holds for all, or for the procedure at a key, into settings.
func (r rooda) loop(l roodaLoop, at []string) {
	set := func(key string, value any) {
		r.setAt(value, append(slices.Clone(at), strings.Split(key, ".")...)...)
	}
	where := func(key string) string { return strings.Join(append(slices.Clone(at), key), ".") }
	if len(at) == 0 {
		where = func(key string) string { return "loop." + key }
	}
	if name := r.command(l, at); name != "" {
		set("agent", name)
	}
	switch {
	case l.Mode != nil && *l.Mode == "unlimited":
		set("loop.max_iterations", 0)
	case l.MaxIterations != nil:
		set("loop.max_iterations", *l.MaxIterations)
	case l.Iterations != nil:
		set("loop.max_iterations", *l.Iterations)
	}
	if l.Timeout != nil {
		set("loop.iteration_timeout", fmt.Sprintf("%ds", *l.Timeout))
	}
	if l.FailureThreshold != nil {
		set("stop.failures", *l.FailureThreshold)
	}
	switch {
	case l.LogLevel == nil:
	case len(at) > 0:
		r.note(roodaFile, where("log_level"), "log.level holds for all procedures; REFRAIN_LOG_LEVEL and --set log.level=LEVEL for one run")
	case *l.LogLevel != "info":
		set("log.level", *l.LogLevel)
	}
	if l.Mode != nil && *l.Mode != "unlimited" && *l.Mode != "max-iterations" {
		r.note(roodaFile, where("iteration_mode"), fmt.Sprintf("%q is not known: loop.max_iterations is how many there are, and 0 is no limit", *l.Mode))
	}
	if l.MaxIterations != nil && l.Iterations != nil {
		r.note(roodaFile, where("default_iterations"), "default_max_iterations is there, too, and is the one that was taken")
	}
	if strings.TrimSpace(l.Command) != "" && strings.TrimSpace(l.Alias) != "" {
		r.note(roodaFile, where("ai_cmd_alias"), "ai_cmd is there, too, and is the one that was taken")
	}
	if l.OutputBuffer != nil {
		r.note(roodaFile, where("max_output_buffer"), "all output is kept, and the end of it is what counts")
	}
	if l.ShowOutput != nil {
		r.note(roodaFile, where("show_ai_output"), "-o says how a run is shown: live and plain have the agent's output, quiet has not")
	}
	if l.LogTimestamps != nil {
		r.note(roodaFile, where("log_timestamp_format"), "the log has whole times, and plain output those of the clock")
	}
}

// command is the agent that a command, or an alias, becomes; empty is none.
func (r rooda) command(l roodaLoop, at []string) string {
	if line := strings.TrimSpace(l.Command); line != "" {
		name := "ai"
		if len(at) > 0 {
			name = at[len(at)-1]
		}
		if slices.Contains(agent.BuiltIn(), name) {
			name += "-ai"
		}
		name = r.free(name)
		r.setAt(line, "agents", name, "command")
		return name
	}
	alias := strings.TrimSpace(l.Alias)
	if alias == "" {
		return ""
	}
	if _, ours := r.aliases[alias]; !ours && !slices.Contains(agent.BuiltIn(), alias) {
		if builtinAliases[alias] == "" {
			r.note(roodaFile, "ai_cmd_alias", fmt.Sprintf("no alias is called %q: name an agent with -a", alias))
			return ""
		}
		r.aliases[alias] = builtinAliases[alias]
		r.call(alias)
		r.agent(alias)
	}
	return firstOf(r.names[alias], alias)
}

// call finds a name for the agent of an alias.
func (r rooda) call(alias string) {
	name := r.free(nameFor(alias, "agent"))
	r.names[alias] = name
	if name != alias {
		r.note(roodaFile, setting.JoinKey([]string{"ai_cmd_aliases", alias}), "here it is called "+name)
	}
}

// free is a name that no other agent has, made of one that may be taken. From now on
// it is.
func (r rooda) free(name string) string {
	for r.taken[name] || reserved(name) {
		name += "-ai"
	}
	r.taken[name] = true
	return name
}

// reserved tells whether a name means something else here.
func reserved(name string) bool { return name == "auto" || name == "command" }

// agent makes an agent of an alias.
func (r rooda) agent(name string) {
	line := strings.TrimSpace(r.aliases[name])
	if r.agents[name] || line == "" {
		return
	}
	r.agents[name] = true
	r.setAt(line, "agents", r.names[name], "command")
}

// procedure turns one into a table, with its prompts.
func (r rooda) procedure(name string, p roodaProcedure) error {
	ours := name
	if found, builtin := procedure.Find(name); builtin {
		ours = found.Name
	} else {
		ours = nameFor(name, "procedure")
	}
	where := setting.JoinKey([]string{"procedures", name})
	if r.made[ours] {
		r.note(roodaFile, where, fmt.Sprintf("%s is what it is called here, and that is there already", ours))
		return nil
	}
	r.made[ours] = true
	switch _, builtin := procedure.Find(name); {
	case ours != name && !builtin:
		r.note(roodaFile, where, "here it is called "+ours)
	case ours != name:
		r.note(roodaFile, where, fmt.Sprintf("here it is called %s, and the old name still works", ours))
	}
	at := []string{"procedures", ours}
	summary := ""
	for _, said := range [][2]string{{"summary", p.Summary}, {"display", p.Display}, {"description", p.Description}} {
		key, line := said[0], firstLine(said[1])
		if line != "" && summary == "" {
			summary = line
			r.setAt(line, append(at, "summary")...)
		} else if line == "" || line == summary {
			continue
		}
		if line != summary || line != strings.TrimSpace(said[1]) {
			r.note(roodaFile, where+"."+key, "a procedure has one line to say what it does: its summary")
		}
	}
	for _, phase := range []struct {
		key   string
		parts any
	}{{"observe", p.Observe}, {"orient", p.Orient}, {"decide", p.Decide}, {"act", p.Act}} {
		list, err := r.phase([]string{"procedures", name, phase.key}, phase.parts)
		if err != nil {
			return err
		}
		if len(list) > 0 {
			r.setAt(list, append(slices.Clone(at), phase.key)...)
		}
	}
	r.loop(p.Own, at)
	return nil
}

// phase copies the fragments of one phase.
func (r rooda) phase(at []string, phase any) ([]part, error) {
	fragments, err := r.fragments(at, phase)
	if err != nil {
		return nil, err
	}
	key := setting.JoinKey(at)
	var list []part
	for _, f := range fragments {
		if f.Parameters != nil {
			r.note(roodaFile, key, "parameters of a fragment are not filled in: write them out in the copy")
		}
		if f.Content != "" {
			list = append(list, part{text: verbatim(f.Content)})
			continue
		}
		if strings.HasPrefix(f.Path, "builtin:") {
			r.note(roodaFile, key, fmt.Sprintf("%s is rooda's own: \"refrain procedures NAME\" shows what is said in its place", f.Path))
			continue
		}
		from, ok := inside(roodaFile, f.Path)
		if !ok {
			return nil, &Error{roodaFile, f.line, f.Path + " is no path in the project"}
		}
		to, there := r.copyOf(from)
		if !there {
			text, err := r.read(from)
			if err != nil {
				return nil, err
			}
			if text == nil {
				return nil, &Error{roodaFile, f.line, from + " is missing"}
			}
			r.copyPrompt(from, to, text)
		}
		list = append(list, part{file: to})
	}
	return list, nil
}

// copyOf is where the copy of a prompt is, or is to be: at a path that no other
// prompt has, also where large and small letters are the same.
func (r rooda) copyOf(from string) (to string, there bool) {
	if at := slices.IndexFunc(r.Files, func(f File) bool { return f.From == from }); at >= 0 {
		return r.Files[at].Path, true
	}
	const dir = ".refrain/prompts/rooda/"
	name := from
	if path.Ext(name) == "" {
		name += ".md"
	}
	to = dir + strings.TrimPrefix(name, "prompts/")
	for slices.ContainsFunc(r.Files, func(f File) bool { return strings.EqualFold(f.Path, to) }) {
		name = "root/" + name
		to = dir + name
	}
	return to, false
}
