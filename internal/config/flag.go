package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/tomlfile"
)

// Flag is a setting from the command line. A run stores its flags, masked, to
// resume under them.
type Flag struct {
	Name  string `json:"name"` // as typed: "--max-iterations", "--set"
	Key   string `json:"key"`
	Value string `json:"value"`
}

const setFlag = "--set"

// ParseSet reads the argument of --set: KEY=VALUE, where VALUE is a TOML value
// or else plain text. Load checks the key and the value.
func ParseSet(arg string) (Flag, error) {
	key, value, ok := strings.Cut(arg, "=")
	key = strings.TrimSpace(key)
	if !ok || key == "" {
		p := place{file: setFlag}.problem(key, "no KEY=VALUE in "+setting.Quote(key), "write it like --set loop.max_iterations=5")
		return Flag{}, &Errors{[]Problem{p}}
	}
	return Flag{Name: setFlag, Key: key, Value: value}, nil
}

// Masked is the flag without what is secret in it.
func (f Flag) Masked() Flag {
	if f.Name == gateFlag {
		f.Value = setting.MaskLine(f.Value)
		return f
	}
	path, ok := tomlfile.SplitKey(f.Key)
	if !ok {
		return f
	}
	switch r, is := find(path); {
	case is != foundSetting:
	case r.Secret && f.Value != "":
		f.Value = setting.Mask
	case r.Kind.Command():
		if value, what, _ := readText(r, f.Value, true); what == "" {
			f.Value = r.Masked(value)
		}
	}
	return f
}

func (l *loader) flags(flags []Flag) source {
	var src source
	for _, f := range flags {
		l.take(&src, f, "flag")
	}
	return src
}

// take adds what a flag says of a key, or a variable that is one for it.
func (l *loader) take(src *source, f Flag, layer string) {
	at := place{file: f.Name}
	if f.Name == gateFlag {
		l.gate(src, f, at)
		return
	}
	path, ok := tomlfile.SplitKey(f.Key)
	if !ok {
		l.complain(at.problem(f.Key, setting.Quote(f.Key)+" is not a key", "write it like loop.max_iterations"))
		return
	}
	if gateAt(path) >= 0 {
		l.complain(at.problem(setting.JoinKey(path), "a gate cannot be set with "+f.Name, "add one with "+gateFlag+" COMMAND, or write [[gate]] in "+FileName))
		return
	}
	r, is, ok := l.lookUp(path, at)
	if !ok {
		return
	}
	if is == foundTable {
		key := setting.JoinKey(path)
		l.complain(at.problem(key, key+" is a table, not a key", "set one key in it, like "+key+".NAME=VALUE"))
		return
	}
	src.open(path, at)
	if r.Secret && f.Value == setting.Mask { // stored with a run, and told of when no other source sets it
		l.keep(src, path, entry{r, setting.Mask, layer, at}, "", "")
		return
	}
	// Only --set speaks TOML: --until 42 means the text. And only --set takes back:
	// what a flag of its own is given may be a variable that nobody has set.
	value, what, hint := readText(r, f.Value, f.Name == setFlag)
	if layer == "flag" && f.Name != setFlag && strings.TrimSpace(f.Value) == "" && (what != "" || value == any(blank{})) {
		_, what, _ = r.Read(f.Value)
		hint = "give it a value; " + setFlag + " " + setting.JoinKey(path) + "= takes back what other layers say"
	}
	l.keep(src, path, entry{r, value, layer, at}, what, hint)
}

// readText is a row's Read for what a flag or a variable says. With asTOML the
// text is a TOML value if it is one, and plain text otherwise.
func readText(r setting.Row, s string, asTOML bool) (value any, what, hint string) {
	if asTOML || !r.Kind.Plain {
		if v, ok := tomlfile.Value(s); ok {
			if _, ok := r.Kind.Read(v); ok || v == "" { // as a blank, for which the signs of a text stand
				return take(r, v)
			}
		}
	}
	if r.Kind.FromText != nil && s != "" {
		return take(r, r.Kind.FromText(s))
	}
	return take(r, s)
}

const envPrefix = "REFRAIN_"

// reserved are the names that the runner sets for its children. A runner that
// is such a child must not take them for settings.
var reserved = []string{
	"RUN", "RUN_ID", "PROCEDURE", "ITERATION", "MAX_ITERATIONS", "ATTEMPT", "LAST_EXIT_CODE", "LAST_RESULT",
	"TOTAL_COMMITS", "LAST_COMMIT", "DURATION", "PROJECT_DIR", "RUN_DIR", "PLAN_FILE", "METADATA", "FINISH_STATE", "FINISH_REASON", "RUNNER", "CHILD", "SESSION", "DETACHED", "FLEET_API_KEY",
	"NOTIFY_KIND", "NOTIFY_TITLE", "NOTIFY_TEXT", "NOTIFY_URGENT", "NOTIFY_SILENT", "NOTIFY_RUN", "NOTIFY_RUN_ID", "NOTIFY_PROCEDURE", "NOTIFY_STATE", "NOTIFY_REASON", "NOTIFY_WHY",
	"NOTIFY_PROVEN", "NOTIFY_ITERATIONS", "NOTIFY_COST_USD", "NOTIFY_COST_ESTIMATED", "NOTIFY_ELAPSED_MS", "NOTIFY_DIR", "NOTIFY_AT",
}

// envName is the variable that sets a key of the table of rows.
func envName(key string) string {
	return envPrefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

// environ reads the variables that begin with REFRAIN_. Of a name that comes
// twice the last counts, as it does for a process.
func (l *loader) environ(environ []string) source {
	values := map[string]string{}
	var names []string
	for _, variable := range environ {
		name, value, _ := strings.Cut(variable, "=")
		if !strings.HasPrefix(name, envPrefix) || slices.Contains(reserved, strings.TrimPrefix(name, envPrefix)) {
			continue
		}
		if _, again := values[name]; !again {
			names = append(names, name)
		}
		values[name] = value
	}
	slices.Sort(names)
	var src source
	for _, name := range names {
		l.variable(&src, name, values[name])
	}
	return src
}

func (l *loader) variable(src *source, name, value string) {
	at := place{file: name}
	i := slices.IndexFunc(settings(), func(r setting.Row) bool { return envName(r.Key) == name })
	if key := agentKeyOf(name); i < 0 && key != "" {
		l.take(src, Flag{Name: name, Key: key, Value: value}, "environment")
		return
	}
	if i < 0 {
		l.complain(at.problem("", "unknown variable "+name, unknownVariable(name)))
		return
	}
	r := settings()[i]
	if r.Each != nil {
		l.names(src, r, value, at)
		return
	}
	v, what, hint := readText(r, value, false)
	l.keep(src, strings.Split(r.Key, "."), entry{r, v, "environment", at}, what, hint)
}

// agentKeyOf is the key of an agent that a variable sets, if it is one for that:
// REFRAIN_AGENTS_CLAUDE_MAX_TURNS.
func agentKeyOf(name string) string {
	rest, ours := strings.CutPrefix(name, envName("agents")+"_")
	for _, r := range agentSettings() {
		if who, ok := strings.CutSuffix(rest, "_"+strings.ToUpper(r.Key)); ours && ok && who != "" && r.Each == nil {
			return agentKey(strings.ToLower(who), r.Key)
		}
	}
	return ""
}

// names reads a table of the user's naming, which is TOML in the environment.
func (l *loader) names(src *source, table setting.Row, value string, at place) {
	v, _ := tomlfile.Value(value)
	values, ok := v.(map[string]any)
	if !ok {
		l.complain(at.problem(table.Key, table.Key+" must be a table, not this text", `write it like { NAME = "value" }`))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		path := append(strings.Split(table.Key, "."), name)
		if r, _, ok := l.lookUp(path, at); ok {
			v, what, hint := take(r, values[name])
			l.keep(src, path, entry{r, v, "environment", at}, what, hint)
		}
	}
}

func unknownVariable(name string) string {
	for _, f := range families() {
		if strings.HasPrefix(name, envName(f.name)+"_") {
			return "agents, prices and procedures are set in " + FileName + " or with --set"
		}
	}
	if strings.HasPrefix(name, envName(gateKey)) {
		return "gates are set in " + FileName + " or with " + gateFlag
	}
	var names []string
	for _, r := range settings() {
		names = append(names, envName(r.Key))
	}
	if hint := setting.DidYouMean(name, names); hint != "" {
		return hint
	}
	return "unset it: names that begin with " + envPrefix + " are settings"
}
