package migrate

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/procedure"
)

const roodaFile = "rooda-config.yml"

// roodaConfig is the file of rooda, key by key.
type roodaConfig struct {
	Loop       roodaLoop                  `yaml:"loop"`
	Aliases    map[string]string          `yaml:"ai_cmd_aliases"`
	Tools      map[string]string          `yaml:"ai_tools"` // an earlier name of the same
	Procedures map[string]*roodaProcedure `yaml:"procedures"`
}

// roodaLoop is what holds for all procedures, or for one.
type roodaLoop struct {
	Mode             *string `yaml:"iteration_mode"`
	MaxIterations    *uint32 `yaml:"default_max_iterations"`
	Iterations       *uint32 `yaml:"default_iterations"` // an earlier name of the same
	Timeout          *uint32 `yaml:"iteration_timeout"`  // in seconds
	OutputBuffer     *uint64 `yaml:"max_output_buffer"`
	FailureThreshold *uint32 `yaml:"failure_threshold"`
	LogLevel         *string `yaml:"log_level"`
	LogTimestamps    *string `yaml:"log_timestamp_format"`
	ShowOutput       *bool   `yaml:"show_ai_output"`
	Command          string  `yaml:"ai_cmd"`
	Alias            string  `yaml:"ai_cmd_alias"`
}

type roodaProcedure struct {
	Own         roodaLoop  `yaml:",inline"`
	Display     string     `yaml:"display"`
	Summary     string     `yaml:"summary"`
	Description string     `yaml:"description"`
	Observe     roodaPhase `yaml:"observe"`
	Orient      roodaPhase `yaml:"orient"`
	Decide      roodaPhase `yaml:"decide"`
	Act         roodaPhase `yaml:"act"`
}

// roodaPhase is the fragments of a phase: a path, or a list of paths and of tables
// with one of path and content.
type roodaPhase []roodaFragment

type roodaFragment struct {
	line       int
	path, text string
	parameters bool
}

// UnmarshalYAML takes a phase in each of its forms.
func (p *roodaPhase) UnmarshalYAML(n ast.Node) error {
	if list, isList := n.(*ast.SequenceNode); isList {
		for _, item := range list.Values {
			f, err := roodaFragmentOf(item)
			if err != nil {
				return err
			}
			*p = append(*p, f)
		}
		return nil
	}
	f, err := roodaFragmentOf(n)
	*p = roodaPhase{f}
	return err
}

func roodaFragmentOf(n ast.Node) (roodaFragment, error) {
	f := roodaFragment{line: lineOf(n)}
	wrong := &Error{Line: f.line, What: "a phase is a path, or a list of paths and of tables with path or content"}
	switch n := n.(type) {
	case *ast.StringNode:
		f.path = n.Value
	case *ast.MappingNode:
		for _, pair := range n.Values {
			value := ""
			switch v := pair.Value.(type) {
			case *ast.StringNode:
				value = v.Value
			case *ast.LiteralNode:
				value = v.Value.Value
			}
			switch pair.Key.String() {
			case "path":
				f.path = value
			case "content":
				f.text = value
			case "parameters":
				f.parameters = true
			}
		}
	default:
		return f, wrong
	}
	if (strings.TrimSpace(f.path) == "") == (strings.TrimSpace(f.text) == "") {
		return f, wrong
	}
	return f, nil
}

func lineOf(n ast.Node) int {
	if t := n.GetToken(); t != nil && t.Position != nil {
		return t.Position.Line
	}
	return 0
}

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
	if err := readYAML(roodaFile, text, &c); err != nil {
		return err
	}
	im.Read = append(im.Read, roodaFile)
	im.set("profile", "rooda")
	aliases := map[string]string{}
	maps.Copy(aliases, c.Tools)
	maps.Copy(aliases, c.Aliases)
	r := rooda{im, aliases, map[string]bool{}, map[string]bool{}, read}
	r.loop(c.Loop, nil)
	for _, name := range slices.Sorted(maps.Keys(aliases)) {
		r.agent(name)
	}
	for _, name := range slices.Sorted(maps.Keys(c.Procedures)) {
		if c.Procedures[name] == nil {
			continue
		}
		if err := r.procedure(name, *c.Procedures[name]); err != nil {
			return err
		}
	}
	var other map[string]any
	if err := readYAML(roodaFile, text, &other); err == nil {
		for _, key := range slices.Sorted(maps.Keys(other)) {
			if !slices.Contains([]string{"loop", "ai_cmd_aliases", "ai_tools", "procedures"}, key) {
				im.note(roodaFile, key, "rooda has no such key that is known here")
			}
		}
	}
	im.Next = "refrain procedures"
	if _, builds := c.Procedures["build"]; builds || len(c.Procedures) == 0 {
		im.Next = "refrain build"
	}
	return nil
}

// rooda is an import of rooda's settings while it is made.
type rooda struct {
	*Import
	aliases map[string]string
	agents  map[string]bool // that have their table
	made    map[string]bool // the procedures
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
	if l.LogLevel != nil && *l.LogLevel != "info" && len(at) == 0 {
		set("log.level", *l.LogLevel)
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
		for _, taken := r.aliases[name]; taken || slices.Contains(agent.BuiltIn(), name) || reserved(name); _, taken = r.aliases[name] {
			name += "-ai"
		}
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
		r.agent(alias)
	}
	if reserved(alias) {
		return alias + "-ai"
	}
	return alias
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
	if reserved(name) {
		name += "-ai"
	}
	r.setAt(line, "agents", name, "command")
}

// procedure turns one into a table, with its prompts.
func (r rooda) procedure(name string, p roodaProcedure) error {
	ours := name
	if found, builtin := procedure.Find(name); builtin {
		ours = found.Name
	}
	where := "procedures." + name
	if r.made[ours] {
		r.note(roodaFile, where, fmt.Sprintf("%s is what it is called here, and that is there already", ours))
		return nil
	}
	r.made[ours] = true
	if ours != name {
		r.note(roodaFile, where, fmt.Sprintf("here it is called %s, and the old name still works", ours))
	}
	at := []string{"procedures", ours}
	if line := firstLine(p.Summary); line != "" {
		r.setAt(line, append(at, "summary")...)
	} else if line := firstLine(p.Display); line != "" {
		r.setAt(line, append(at, "summary")...)
	}
	for _, phase := range []struct {
		key   string
		parts roodaPhase
	}{{"observe", p.Observe}, {"orient", p.Orient}, {"decide", p.Decide}, {"act", p.Act}} {
		list, err := r.phase(where+"."+phase.key, phase.parts)
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
func (r rooda) phase(key string, fragments roodaPhase) ([]part, error) {
	var list []part
	for _, f := range fragments {
		if f.parameters {
			r.note(roodaFile, key, "parameters of a fragment are not filled in: write them out in the copy")
		}
		if f.text != "" {
			list = append(list, part{text: verbatim(f.text)})
			continue
		}
		if strings.HasPrefix(f.path, "builtin:") {
			r.note(roodaFile, key, fmt.Sprintf("%s is rooda's own: \"refrain procedures NAME\" shows what is said in its place", f.path))
			continue
		}
		from, ok := inside(roodaFile, f.path)
		if !ok {
			return nil, &Error{roodaFile, f.line, f.path + " is no path in the project"}
		}
		to := ".refrain/prompts/rooda/" + strings.TrimPrefix(from, "prompts/")
		if path.Ext(to) == "" {
			to += ".md"
		}
		if !slices.ContainsFunc(r.Files, func(f File) bool { return f.Path == to }) {
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
