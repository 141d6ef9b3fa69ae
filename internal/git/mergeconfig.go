package git

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// mergeConfig is settings as they were, with those that may change as they are
// now; keys names the others that had changed, and is nil when that cannot be
// told.
func mergeConfig(ctx context.Context, p Program, was, now string) (merged string, keys []string, err error) {
	_, before, wasText := textOf(was)
	_, after, isText := textOf(now)
	if !wasText && was != "" || !isText { // deleted, or no file any more
		return was, nil, nil
	}
	old, readable := parseConfig(ctx, p, before)
	current, stillReadable := parseConfig(ctx, p, after)
	if ctx.Err() != nil {
		return "", nil, context.Cause(ctx)
	}
	if !readable || !stillReadable {
		return was, nil, nil
	}
	var free []string
	for _, key := range slices.Sorted(maps.Keys(union(old, current))) {
		switch {
		case slices.Equal(old[key], current[key]):
		case mayChange(key):
			free = append(free, key)
		default:
			keys = append(keys, key)
		}
	}
	switch {
	case len(keys) == 0:
		return now, nil, nil
	case len(free) == 0:
		return was, keys, nil
	}
	merged, err = editConfig(ctx, p, before, free, current)
	return merged, keys, err
}

func union(a, b map[string][]string) map[string][]string {
	both := maps.Clone(a)
	maps.Copy(both, b)
	return both
}

// mayChange tells whether work of every day changes a setting.
func mayChange(key string) bool {
	section, rest, _ := strings.Cut(key, ".")
	name := rest[strings.LastIndexByte(rest, '.')+1:]
	switch section {
	case "branch", "user":
		return true
	case "gc":
		return name != "recentobjectshook" // a program
	case "remote":
		return name == "url" || name == "fetch" || name == "gh-resolved"
	case "submodule":
		return name == "url" || name == "active" // how it is updated may be a program
	case "lfs":
		return name == "repositoryformatversion" || name == "access"
	}
	return false
}

// nowhere keeps git from reading the settings of any repository.
var nowhere = []string{"GIT_DIR=" + os.DevNull}

// parseConfig is the settings in a file, each with its values.
func parseConfig(ctx context.Context, p Program, text []byte) (map[string][]string, bool) {
	all := map[string][]string{}
	if len(text) == 0 {
		return all, true
	}
	out, err := p.In(os.TempDir()).RunWith(ctx, Command{Env: nowhere, Stdin: text}, "config", "--file", "-", "--no-includes", "--list", "-z")
	if err != nil {
		return nil, false
	}
	for _, item := range SplitNUL(out) {
		key, value, given := strings.Cut(item, "\n")
		if given {
			value = "=" + value // "key" alone is something else than "key ="
		}
		all[key] = append(all[key], value)
	}
	return all, true
}

// editConfig gives keys of a file other values.
func editConfig(ctx context.Context, p Program, text []byte, keys []string, values map[string][]string) (string, error) {
	dir, err := os.MkdirTemp("", "refrain-config-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	at := filepath.Join(dir, configFile)
	if err := os.WriteFile(at, text, 0o600); err != nil {
		return "", err
	}
	edit := func(args ...string) error {
		_, err := p.In(dir).RunWith(ctx, Command{Env: nowhere}, append([]string{"config", "--file", at}, args...)...)
		return err
	}
	for _, key := range keys {
		err := edit("--unset-all", key)
		if code, _ := ExitCode(err); err != nil && code != notSet {
			return "", err
		}
		for _, value := range values[key] {
			if err := edit("--add", key, strings.TrimPrefix(value, "=")); err != nil {
				return "", err
			}
		}
	}
	return noteOf(ctx, dir, configFile)
}

// notSet is how git says that there is no setting to take out.
const notSet = 5
