package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
)

// Brought is a setting of the project's own file that a person must have agreed
// to: it says what is run, who is called and with what, what is sent or written
// and where; or it loosens what holds for everybody else.
type Brought struct {
	Name  string // what it is, as people know it: "gate test", "hook started", "notify.command"
	What  string // its value on one line, without secrets
	Exact string // all of it, secrets too, to tell whether it is another: never to be shown
	Where string // refrain.toml:9
}

// Brought is those settings, in the order of the file. It does not matter whether
// a layer above replaces one: the next command may be without that layer.
func (r *Resolved) Brought() []Brought {
	var list []Brought
	for _, a := range slices.SortedStableFunc(slices.Values(r.project.assignments), byPlace) {
		procedure, path := a.inProcedure()
		key := setting.JoinKey(path)
		if harmless(key, a.entry.meant()) && (key != "sandbox.mode" || !r.user.boxed()) {
			continue
		}
		b := Brought{Name: called(path), What: toAgree(path, a.entry), Exact: exact(a.entry), Where: a.entry.place.String()}
		if procedure != "" {
			b.Name += " of " + procedure
		}
		list = append(list, b)
	}
	return list
}

// boxed tells whether a file asks for containers anywhere: all else is looser.
func (s source) boxed() bool {
	return slices.ContainsFunc(s.assignments, func(a assignment) bool {
		_, path := a.inProcedure()
		mode, _ := a.entry.value.(string)
		return setting.JoinKey(path) == "sandbox.mode" && Sandbox{Mode: mode}.Boxed()
	})
}

// inProcedure is the procedure in whose table the setting stands, or "", and its
// path from there.
func (a assignment) inProcedure() (string, []string) {
	if a.path[0] == "procedures" && len(a.path) > 2 {
		return a.path[1], a.path[2:]
	}
	return "", a.path
}

func byPlace(a, b assignment) int { return a.entry.place.line - b.entry.place.line }

// harmless tells whether a setting of the project's own file runs nothing, sends
// nothing and loosens nothing. What is not named here is asked about, so that a
// new key is until somebody has thought about it.
func harmless(key string, value any) bool {
	switch key {
	case "profile":
		return harmlessProfile(value)
	case "agent", "model", "prompt", "title", "summary", "proof.baseline",
		"parts", "observe", "orient", "decide", "act", // what they run is found in their texts
		"hooks.enabled", "hooks.timeout", "commands.as_gates", "log.level", "log.format",
		hideKey, // it is added to what the user hides
		"notify.on", "notify.desktop", "notify.bell", "notify.waiting_after", "notify.every", "notify.per_hour", "notify.quiet",
		"limits.wait", "limits.max_wait", "limits.patience":
		return true
	case "permissions.mode":
		return value != "full"
	case "sandbox.options": // even none: what is taken back may have shut something
		return false
	case "sandbox.mode": // all others are weaker than what a user may have chosen; see boxed
		return value == "namespaces"
	case "sandbox.network":
		return value == Listed
	case "stop.scripts":
		return setting.Render(value) == "[]"
	case "git.commit", "git.branch": // git runs hooks and filters of the repository for them
		return setting.Render(value) == "false"
	case "git.watch": // without it nothing is overlooked
		return value == false
	case "git.watch_above", "fleet.queue", "fleet.base", "fleet.branch", "fleet.lease", "fleet.patience", "fleet.leg_iterations", "fleet.leg_time", "fleet.sticky", "fleet.priority":
		return true
	case "git.checkpoint": // without them nothing can be undone
		return value == true
	case "retention.redact":
		return value == true
	}
	if value == "" || setting.Render(value) == "[]" {
		return true
	}
	if c, ok := value.(setting.Command); ok && c.Line == NoSetup {
		return true
	}
	return beginsWith(key, "ask.", "budget.", "claims.", "context.", "done.", "feedback.", "git.", "loop.", "prices.", "progress.", "retention.", "session.", "stop.")
}

// harmlessProfile tells whether all that a profile sets is harmless: what a project
// cannot say itself without a question it cannot say by a profile either.
func harmlessProfile(name any) bool {
	var l loader
	src := l.profile(source{assignments: []assignment{{path: []string{"profile"}, entry: entry{value: name}}}})
	return len(l.problems) == 0 && !slices.ContainsFunc(src.assignments, func(a assignment) bool {
		_, path := a.inProcedure()
		return !harmless(setting.JoinKey(path), a.entry.meant())
	})
}

// called is what people call the thing that a key is about.
func called(path []string) string {
	key := setting.JoinKey(path)
	switch path[0] {
	case gateKey:
		return strings.Join(path, " ")
	case "agents":
		return strings.TrimSuffix("agent "+path[1]+" "+setting.JoinKey(path[2:]), " command")
	case "commands":
		return "command " + setting.JoinKey(path[1:])
	}
	if point, ok := strings.CutPrefix(key, "hooks.run."); ok {
		return "hook " + point
	}
	return key
}

// toAgree is a value as whoever is to agree to it must see it. Of a gate that is
// its command, or whom it asks. A variable or a header is hidden only if it is
// named like a secret: where an agent is sent to must be seen.
func toAgree(path []string, e entry) string {
	switch v := e.value.(type) {
	case blank:
		return "taken back"
	case fields:
		if run, ok := v["run"]; ok {
			line := setting.MaskLine(run.value.(string))
			if dir, ok := v["dir"]; ok {
				line += " (in " + dir.value.(string) + ")"
			}
			return text.Legible(line)
		}
	case string:
		name := path[len(path)-1]
		if e.row.Key != name && e.row.Secret { // a name of the user's
			return text.Legible(strings.TrimPrefix(setting.MaskArgs([]string{name + "=" + v})[0], name+"="))
		}
		if !e.row.Secret {
			return text.Legible(setting.MaskLine(v))
		}
	}
	return text.Legible(e.masked())
}

// exact is all that an entry says.
func exact(e entry) string {
	f, ok := e.value.(fields)
	if !ok {
		return setting.Render(e.value)
	}
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(f)) {
		b.WriteString(key + " = " + setting.Render(f[key].value) + "\n")
	}
	return b.String()
}
