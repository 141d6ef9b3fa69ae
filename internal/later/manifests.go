package later

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/refrain-loop/refrain/internal/text"
)

// packageJSON is what npm and its like run when they install, what git runs by
// tools that have their settings there, and who the package manager is.
var packageJSON = inJSON("scripts", "bin", "husky", "lint-staged", "simple-git-hooks", "gitHooks", "pre-commit", "pre-push", "lefthook",
	"packageManager", "devEngines.packageManager", "trustedDependencies", "allowScripts",
	"pnpm.onlyBuiltDependencies", "pnpm.dangerouslyAllowAllBuilds", "pnpm.configDependencies", "gypfile", "deno.tasks")

// pyproject is who builds the package, what runs while it does, and what Python's
// tools load from an installed one by themselves.
var pyproject = inTOML("build-system", "project.scripts", "project.gui-scripts", "project.entry-points", "tool.poetry.build", "tool.poetry.scripts", "tool.poetry.plugins",
	"tool.pdm.build", "tool.pdm.scripts", "tool.hatch.build.hooks", "tool.hatch.build.targets", "tool.hatch.metadata.hooks", "tool.setuptools.cmdclass", "tool.scikit-build")

// mise is all but the versions of tools.
var mise = inTOML("env", "hooks", "tasks", "plugins", "vars", "watch_files", "settings", "alias", "tool_alias", "shell_alias", "prepare", "bootstrap", "task_config")

func inJSON(keys ...string) parts { return inTables(json.Unmarshal, keys) }

func inTOML(keys ...string) parts { return inTables(toml.Unmarshal, keys) }

// inTables looks at some keys of a manifest, each with the tables that it is in.
func inTables(decode func([]byte, any) error, keys []string) parts {
	read := func(text []byte) (map[string]any, bool) {
		if text == nil {
			return nil, true
		}
		var t map[string]any
		err := decode(text, &t)
		return t, err == nil
	}
	return func(was, is []byte) ([]string, bool) {
		now, ok := read(is)
		if !ok {
			return nil, false
		}
		then, ok := read(was)
		if !ok {
			return nil, false
		}
		var names []string
		for _, key := range keys {
			path := strings.Split(key, ".")
			if adds(get(then, path), get(now, path)) {
				names = append(names, key)
			}
		}
		return names, true
	}
}

func get(t map[string]any, path []string) any {
	var value any = t
	for _, key := range path {
		t, ok := value.(map[string]any)
		if !ok {
			return nil
		}
		value = t[key]
	}
	return value
}

// adds tells whether a value says something that was not said before. What is
// gone from a table runs nothing.
func adds(was, is any) bool {
	if is == nil {
		return false
	}
	now, ok := is.(map[string]any)
	if !ok {
		return !reflect.DeepEqual(was, is)
	}
	then, _ := was.(map[string]any)
	if was == nil && len(now) == 0 {
		return false
	}
	if was != nil && then == nil {
		return true
	}
	for key, value := range now {
		if old, there := then[key]; !there && value != nil || adds(old, value) {
			return true
		}
	}
	return false
}

// inXML looks at the elements of these names in the root of a document.
func inXML(names ...string) parts {
	type element struct {
		XMLName xml.Name
		Attrs   []xml.Attr `xml:",any,attr"`
		Inner   string     `xml:",innerxml"`
	}
	read := func(text []byte) (map[string][]string, bool) {
		var doc struct {
			Children []element `xml:",any"`
		}
		if text != nil && xml.Unmarshal(text, &doc) != nil {
			return nil, false
		}
		found := map[string][]string{}
		for _, e := range doc.Children {
			said := e.Inner
			for _, a := range e.Attrs {
				said += "\x00" + a.Name.Local + "=" + a.Value
			}
			found[e.XMLName.Local] = append(found[e.XMLName.Local], strings.Join(strings.Fields(said), " "))
		}
		return found, true
	}
	return func(was, is []byte) ([]string, bool) {
		then, ok := read(was)
		now, good := read(is)
		if !ok || !good {
			return nil, false
		}
		var changed []string
		for _, name := range names {
			if slices.ContainsFunc(now[name], func(e string) bool { return !slices.Contains(then[name], e) }) {
				changed = append(changed, name)
			}
		}
		return changed, true
	}
}

// inBlocks looks at some keys at the margin of a YAML file, with all that is
// indented below them.
func inBlocks(keys ...string) parts {
	read := func(text []byte) map[string]string {
		found, key := map[string]string{}, ""
		for line := range strings.Lines(string(text)) {
			bare := strings.TrimRight(line, " \t\r\n")
			if bare == "" || strings.HasPrefix(strings.TrimLeft(bare, " "), "#") {
				continue
			}
			if name, _, ok := strings.Cut(bare, ":"); ok && bare[0] != ' ' && bare[0] != '-' {
				key = strings.Trim(name, `"' `)
			}
			found[key] += bare + "\n"
		}
		return found
	}
	return func(was, is []byte) ([]string, bool) {
		then, now := read(was), read(is)
		var names []string
		for _, key := range keys {
			if now[key] != "" && now[key] != then[key] {
				names = append(names, key)
			}
		}
		return names, true
	}
}

// inLines looks at a manifest that is a program, but for the lines that only name
// a dependency or a version.
func inLines(dependency text.Pattern) parts {
	read := func(text []byte) []string {
		var list []string
		for line := range bytes.Lines(text) {
			if line = bytes.TrimSpace(line); len(line) > 0 && !dependency().Match(line) {
				list = append(list, string(line))
			}
		}
		return list
	}
	return func(was, is []byte) ([]string, bool) {
		then := map[string]bool{}
		for _, line := range read(was) {
			then[line] = true
		}
		if slices.ContainsFunc(read(is), func(line string) bool { return !then[line] }) {
			return []string{"code"}, true
		}
		return nil, true
	}
}

// The lines that name a dependency, a version, or a group of these, with nothing
// but literals: no call, no interpolation, and nothing behind them.
var (
	rubyDependency   = text.NewPattern(`^(#.*|end|(gem|pod|source|ruby|group|platforms?)[ (]+` + rubyWord + `( *, *` + rubyWord + `)*\)?( do)?)$`)
	mixDependency    = text.NewPattern(`^(#.*|(version|app): *` + rubyLiteral + `,?|\{:\w+( *, *` + rubyWord + `)*\},?)$`)
	gradleDependency = text.NewPattern(`^(//.*|[{}]|dependencies \{|(\w*[iI]mplementation|\w*[aA]pi|\w*[cC]ompileOnly|\w*[rR]untimeOnly|kapt|ksp|annotationProcessor|version|group)\b[ (=]*(platform\(|project\(|libs\.)?["'\w:.@+\[\],-]*\)*)$`)
)

const (
	rubyLiteral = `("[^"#` + "`" + `]*"|'[^']*'|:\w+|true|false|nil)`
	rubyWord    = `((\w+: *|:\w+ *=> *)?(` + rubyLiteral + `|\[` + rubyLiteral + `( *, *` + rubyLiteral + `)*\]))`
)

// msbuild is what runs with a project of .NET.
func msbuild(was, is []byte) ([]string, bool) {
	names, ok := inXML("Target", "UsingTask", "Import", "Sdk")(was, is)
	return append(names, newKeys(found(buildEvent, "build events", was), found(buildEvent, "build events", is))...), ok
}

var buildEvent = text.NewPattern(`(?is)<(PreBuildEvent|PostBuildEvent|PreLinkEvent)\b.*?</`)

// found is what in a text matches, each under a name.
func found(shape text.Pattern, name string, text []byte) map[string]bool {
	all := map[string]bool{}
	for _, match := range shape().FindAll(text, -1) {
		all[name+"\x00"+string(match)] = true
	}
	return all
}

// drivers are the attributes by which git runs a program on a file.
func drivers(was, is []byte) ([]string, bool) {
	read := func(text []byte) map[string]bool {
		found := map[string]bool{}
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			if len(fields) == 0 || strings.HasPrefix(fields[0], "#") {
				continue
			}
			for _, attribute := range fields[1:] {
				if name, _, ok := strings.Cut(attribute, "="); ok && (name == "filter" || name == "diff" || name == "merge") {
					found[name+"\x00"+fields[0]+" "+attribute] = true
				}
			}
		}
		return found
	}
	return newKeys(read(was), read(is)), true
}

// newKeys gives the beginnings, up to a NUL, of what is in the second and not in the
// first.
func newKeys(was, is map[string]bool) []string {
	var names []string
	for key := range is {
		if name, _, _ := strings.Cut(key, "\x00"); !was[key] && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// toolVersions are the tools that are not a version but a program of somebody's.
func toolVersions(was, is []byte) ([]string, bool) {
	read := func(text []byte) map[string]bool {
		found := map[string]bool{}
		for line := range strings.Lines(string(text)) {
			fields := strings.Fields(line)
			for _, version := range fields[min(1, len(fields)):] {
				if strings.HasPrefix(version, "path:") || strings.HasPrefix(version, "ref:") {
					found[fields[0]+"\x00"+version] = true
				}
			}
		}
		return found
	}
	return newKeys(read(was), read(is)), true
}

// A variable of which programs take commands, code, or where to send what they
// have. The others are the product's own.
var tellingVariable = text.NewPattern(`^(PATH|SHELL|ENV|BASH_ENV|ZDOTDIR|PROMPT_COMMAND|EDITOR|VISUAL|PAGER|BROWSER|IFS|HOME|LD_.*|DYLD_.*|NODE_OPTIONS|NODE_PATH|NODE_EXTRA_CA_CERTS|NODE_TLS_REJECT_UNAUTHORIZED` +
	`|PYTHON(STARTUP|PATH|HOME|BREAKPOINT|WARNINGS)|PERL5(OPT|LIB|DB)|RUBY(OPT|LIB)|BUNDLE_.*|JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS|_JAVA_OPTIONS|MAVEN_OPTS|GRADLE_OPTS|DOTNET_STARTUP_HOOKS` +
	`|GIT_.*|SSH_.*|NPM_CONFIG_.*|YARN_.*|PNPM_.*|BUN_OPTIONS|PIP_.*|UV_.*|CARGO_.*|RUSTC.*|GO(FLAGS|PROXY|TOOLCHAIN|ROOT|ENV)|CC|CXX|MAKEFLAGS|COMPOSE_.*|DOCKER_HOST|KUBECONFIG` +
	`|(ALL|HTTPS?|NO)_PROXY|.*_BASE_URL|.*_ENDPOINT_URL|CLAUDE_.*|CODEX_.*|GEMINI_.*|QWEN_.*|OPENCODE_.*|REFRAIN_.*)$`)

// environment is the variables of a file that many tools load by themselves.
func environment(was, is []byte) ([]string, bool) {
	read := func(text []byte) map[string]bool {
		found := map[string]bool{}
		for line := range strings.Lines(string(text)) {
			name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
			if name = strings.TrimSpace(name); ok && tellingVariable().MatchString(strings.ToUpper(name)) {
				found[name+"\x00"+value] = true
			}
		}
		return found
	}
	return newKeys(read(was), read(is)), true
}

// promptCommands are the commands in a prompt, which run when it is made, and the
// settings at its head.
func promptCommands(was, is []byte) ([]string, bool) {
	read := func(text []byte) map[string]bool {
		all := map[string]bool{}
		for _, action := range templateAction().FindAll(text, -1) {
			if runAction().Match(action) {
				all["commands\x00"+string(action)] = true
			}
		}
		maps.Copy(all, found(frontMatter, "settings", text))
		return all
	}
	return newKeys(read(was), read(is)), true
}

var (
	templateAction = text.NewPattern(`(?s)\{\{.*?\}\}[^\n]*`) // to the end of the line, for a command may hold braces
	runAction      = text.NewPattern(`\brun(If)?\b`)
	frontMatter    = text.NewPattern(`(?s)\A(\x{FEFF})?---[ \t]*\r?\n.*?\n---`)
)
