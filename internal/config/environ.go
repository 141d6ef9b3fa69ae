package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
)

const envPrefix = "REFRAIN_"

// reserved are the names that the runner sets for its children. A runner that
// is such a child must not take them for settings.
var reserved = []string{
	"RUN", "RUN_ID", "PROCEDURE", "ITERATION", "MAX_ITERATIONS", "ATTEMPT", "LAST_EXIT_CODE", "LAST_RESULT",
	"TOTAL_COMMITS", "LAST_COMMIT", "DURATION", "PROJECT_DIR", "RUN_DIR", "PLAN_FILE", "FINISH_STATE", "FINISH_REASON", "RUNNER", "CHILD", "SESSION", "DETACHED",
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
	i := slices.IndexFunc(settings, func(r setting.Row) bool { return envName(r.Key) == name })
	if i < 0 {
		l.complain(at.problem("", "unknown variable "+name, unknownVariable(name)))
		return
	}
	r := settings[i]
	if r.Each != nil {
		l.names(src, r, value, at)
		return
	}
	v, what, hint := readText(r, value, false)
	l.keep(src, strings.Split(r.Key, "."), entry{r, v, "environment", at}, what, hint)
}

// names reads a table of the user's naming, which is TOML in the environment.
func (l *loader) names(src *source, table setting.Row, value string, at place) {
	v, _ := tomlValue(value)
	values, ok := v.(map[string]any)
	if !ok {
		l.complain(at.problem(table.Key, table.Key+" must be a table, not this text", `write it like { NAME = "value" }`))
		return
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		path := append(strings.Split(table.Key, "."), name)
		if r, _, ok := l.lookUp(path, at); ok {
			v, what, hint := r.Read(values[name])
			l.keep(src, path, entry{r, v, "environment", at}, what, hint)
		}
	}
}

func unknownVariable(name string) string {
	for _, group := range []string{"AGENTS_", "PRICES_", "PROCEDURES_"} {
		if strings.HasPrefix(name, envPrefix+group) {
			return "agents, prices and procedures are set in " + FileName + " or with --set"
		}
	}
	if strings.HasPrefix(name, envName(gateKey)) {
		return "gates are set in " + FileName + " or with " + gateFlag
	}
	var names []string
	for _, r := range settings {
		names = append(names, envName(r.Key))
	}
	if hint := setting.DidYouMean(name, names); hint != "" {
		return hint
	}
	return "unset it: names that begin with " + envPrefix + " are settings"
}
