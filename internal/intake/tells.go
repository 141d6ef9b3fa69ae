package intake

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/refrain-loop/refrain/internal/text"
)

// teller says what is in a file that matters; nothing: only words are taken from
// it. Name is the file's, or its path below the folder that is looked in.
type teller func(name string, content []byte) string

// lines tells of a file that acts whatever is in it, such as a script.
func lines(_ string, content []byte) string {
	n := strings.Count(string(content), "\n")
	if len(content) > 0 && content[len(content)-1] != '\n' {
		n++
	}
	return text.Plural(n, "line")
}

// settings tells of a file with settings which keys there are, as far as it can
// be read. Not every setting acts, but which do is for each version of an agent
// to say, so all such files are told of.
func settings(name string, content []byte) string {
	values := map[string]any{}
	var err error
	switch path.Ext(name) {
	case ".toml":
		err = toml.Unmarshal(content, &values)
	case ".yml":
		values = topKeys(string(content))
	default:
		err = json.Unmarshal(text.PlainJSON(content), &values)
	}
	if told := keys(values); err == nil && told != "" {
		return told
	}
	return lines(name, content)
}

// acting are the settings that matter most. They come first, so that they
// cannot be hidden behind others.
var acting = []string{
	"hooks", "env", "mcpServers", "mcp_servers", "mcp", "servers", "lsp", "lspServers", "plugin", "plugins", "enabledPlugins",
	"extensions", "packages", "apiKeyHelper", "provider", "model_provider", "model_providers", "notify", "permissions", "permission",
}

const maxTold = 160 // bytes

// keys names the settings, and what is in those that matter.
func keys(values map[string]any) string {
	var list []string
	for _, key := range acting {
		value, ok := values[key]
		if !ok {
			continue
		}
		list = append(list, key+inner(value))
		delete(values, key)
	}
	delete(values, "$schema") // for editors
	others := slices.Sorted(maps.Keys(values))
	return text.Shorten(text.Line(strings.Join(append(list, others...), "; ")), maxTold)
}

func inner(value any) string {
	table, ok := value.(map[string]any)
	if !ok || len(table) == 0 {
		return ""
	}
	return ": " + text.FirstFew(slices.Sorted(maps.Keys(table)))
}

// topKeys is the keys of a YAML file that begin a line. Its aliases can make a
// small file a huge one, so it is not read further.
func topKeys(content string) map[string]any {
	found := map[string]any{}
	for line := range strings.Lines(content) {
		if key, _, ok := strings.Cut(line, ":"); ok && plainKey(key) {
			found[key] = nil
		}
	}
	return found
}

func plainKey(s string) bool {
	for _, c := range s {
		if c != '-' && c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') {
			return false
		}
	}
	return s != ""
}

// variables tells of a file with variables which there are. One without says
// nothing.
func variables(name string, content []byte) string {
	var names []string
	empty := true
	for line := range strings.Lines(string(content)) {
		line = strings.TrimPrefix(strings.TrimSpace(line), "export ")
		if line == "" || line[0] == '#' {
			continue
		}
		empty = false
		if end := strings.IndexAny(line, "=:"); end > 0 {
			names = append(names, strings.TrimSpace(line[:end]))
		}
	}
	switch {
	case empty:
		return ""
	case len(names) == 0:
		return lines(name, content)
	}
	slices.Sort(names)
	return text.Shorten("sets "+text.Line(text.FirstFew(slices.Compact(names))), maxTold)
}

// instructions tells of a text for the model that can do more than that: its
// front matter may bring hooks and servers along or allow tools, and a command
// in it may be run before the model reads what it printed. A text that is
// nothing else is not told of.
func instructions(name string, content []byte) string {
	var found []string
	body := strings.TrimLeft(strings.TrimPrefix(string(content), "\ufeff"), " \t\r\n")
	if after, ok := strings.CutPrefix(body, "---"); ok {
		found = unusual(after)
	}
	if strings.Contains(body, "!`") || strings.Contains(body, "```!") || strings.Contains(body, "!{") {
		found = append(found, "commands that are run when it is read")
	}
	return text.Shorten(text.Line(strings.Join(found, "; ")), maxTold)
}

// harmless are the keys of front matter that say what a text is for and who
// reads it.
var harmless = []string{
	"name", "description", "model", "color", "version", "license", "metadata", "compatibility", "argument-hint", "arguments",
	"when_to_use", "tools", "disallowedTools", "disallowed-tools", "skills", "tags", "author", "category", "title", "effort",
	"temperature", "mode", "kind", "context", "agent", "subtask", "user-invocable", "disable-model-invocation", "maxTurns",
}

// unusual gives the keys of front matter that are not known to be harmless, and
// lines that are no plain key: YAML can spell a key in many ways.
func unusual(front string) []string {
	var found []string
	inKey := false
	for line := range strings.Lines(front) {
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		if line == "---" {
			break
		}
		if line == "" || line[0] == '#' {
			continue
		}
		if inKey && strings.ContainsRune(" \t-", rune(line[0])) && !strings.Contains(line, "\r") {
			continue // belongs to the key before it
		}
		inKey = true
		key, _, ok := strings.Cut(line, ":")
		switch {
		case !ok || !plainKey(key) || strings.Contains(line, "\r"):
			found = append(found, "a line that is no plain setting")
		case !slices.Contains(harmless, key):
			found = append(found, key)
		}
	}
	slices.Sort(found)
	return slices.Compact(found)
}

// skills tells of instructions, and of settings beside them: those of a plugin.
// Pictures and programs there are for the model to look at, or to start if it may.
func skills(name string, content []byte) string {
	switch strings.ToLower(path.Ext(name)) {
	case ".md":
		return instructions(name, content)
	case ".toml": // gemini's commands
		if strings.Contains(string(content), "!{") {
			return "commands that are run when it is read"
		}
		return ""
	case ".json", ".yaml", ".yml":
		return settings(name, content)
	}
	return ""
}

// code tells of a folder in which most is code.
func code(name string, content []byte) string {
	switch base := strings.ToLower(path.Base(name)); {
	case base == ".gitignore" || len(content) == 0:
		return ""
	case strings.HasSuffix(base, ".md"):
		return instructions(name, content)
	case strings.HasSuffix(base, ".json") || strings.HasSuffix(base, ".jsonc") || strings.HasSuffix(base, ".toml"):
		return settings(name, content)
	}
	return lines(name, content)
}
