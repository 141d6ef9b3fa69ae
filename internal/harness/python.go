package harness

import (
	"slices"
	"strings"
)

// pyproject says what in a pyproject.toml is honest work: what packages it, and
// what it needs. The other tools that have their table in it decide.
func pyproject() halves {
	return halves{rest: decided, keys: map[string]half{
		"project": halves{rest: honest, keys: map[string]half{
			"entry-points":          halves{rest: honest, keys: all(decided, "pytest11")}.blend,
			"dependencies":          requirements,
			"optional-dependencies": honest,
		}}.blend,
		"build-system":      honest,
		"dependency-groups": honest,
		"tool": halves{rest: decided, keys: join(
			all(honest, `setuptools setuptools_scm setuptools-git-versioning flit maturin scikit-build meson-python commitizen semantic_release
				bumpversion bumpver towncrier cibuildwheel briefcase versioningit poetry-dynamic-versioning`),
			map[string]half{
				"poetry": halves{rest: honest, keys: map[string]half{
					"plugins":          halves{rest: honest, keys: all(decided, "pytest11")}.blend,
					"dependencies":     pythonDependencies,
					"dev-dependencies": pythonDependencies,
					"group": func(old, now any) (any, bool) {
						return eachTable(halves{rest: honest, keys: map[string]half{"dependencies": pythonDependencies}}.blend, old, now)
					},
				}}.blend,
				"uv":     halves{rest: honest, keys: map[string]half{"sources": pythonDependencies}}.blend,
				"hatch":  halves{rest: honest, keys: all(decided, "envs")}.blend,
				"pdm":    halves{rest: honest, keys: map[string]half{"scripts": kept(nil)}}.blend,
				"pytest": halves{rest: decided, keys: map[string]half{"ini_options": pytestOptions().blend}}.blend,
			},
		)}.blend,
	}}
}

// pytestOptions are those of pytest's own table. Names for marks are honest,
// and so is where a project that has moved into a folder of its own is found.
func pytestOptions() halves {
	return halves{rest: decided, keys: map[string]half{
		"markers": longerOrNew, "minversion": honest, "asyncio_mode": first, "asyncio_default_fixture_loop_scope": honest,
		"pythonpath": func(old, now any) (any, bool) {
			items, ok := list(now)
			usual := func(item any) bool { s := stringOf(item); return s == "." || s == "src" || s == "lib" }
			if ok && old == nil && !slices.ContainsFunc(items, func(item any) bool { return !usual(item) }) || old == nil && usual(now) {
				return now, true
			}
			return decided(old, now)
		},
	}}
}

func longerOrNew(old, now any) (any, bool) {
	if old == nil {
		return now, true
	}
	return longer(old, now)
}

// eachTable is the half of a table of tables of one form.
func eachTable(each half, old, now any) (any, bool) {
	return eachKey(old, now, func(_ string, before, after any) entry {
		value, same := each(before, after)
		return entry{value: value, keep: value != nil, same: same}
	})
}

// pythonDependencies are packages by name, of Poetry and uv.
var pythonDependencies = dependencies(func(name string) bool { return pythonTools.has(strings.ToLower(name)) }, elsewhereTOML)

// elsewhereTOML tells whether a dependency is a folder, or an address.
func elsewhereTOML(value any) bool {
	if t, ok := value.(*table); ok {
		for _, key := range []string{"path", "git", "url", "file", "workspace"} {
			if t.get(key) != nil {
				return true
			}
		}
		return false
	}
	items, ok := value.([]any)
	return ok && slices.ContainsFunc(items, func(item any) bool {
		m, ok := item.(map[string]any)
		return ok && elsewhereTOML(tableOf(m))
	})
}

// requirements is a list of packages: "pytest @ file:///…" is the one from elsewhere.
func requirements(old, now any) (any, bool) {
	was, _ := list(old)
	is, _ := list(now)
	for _, item := range is {
		name, address, ok := strings.Cut(stringOf(item), "@")
		name, _, _ = strings.Cut(strings.TrimSpace(name), "[")
		if ok && address != "" && pythonTools.has(strings.ToLower(name)) && !slices.ContainsFunc(was, func(o any) bool { return equal(o, item) }) {
			return old, false
		}
	}
	return now, true
}

// blendINI blends a setup.cfg, section by section.
func blendINI(old, now []byte) ([]byte, bool) {
	was, ok := sections(string(old))
	is, too := sections(string(now))
	if !ok || !too {
		return old, false
	}
	var b strings.Builder
	same := true
	for _, s := range is {
		if s.decides() {
			continue
		}
		b.WriteString(s.text)
		if !strings.HasSuffix(s.text, "\n") {
			b.WriteByte('\n')
		}
	}
	for _, s := range was {
		if s.decides() {
			b.WriteString(s.text)
			same = same && slices.ContainsFunc(is, s.like)
		}
	}
	for _, s := range is {
		same = same && (!s.decides() || slices.ContainsFunc(was, s.like))
	}
	return []byte(b.String()), same
}

// section is a section of an INI file with its heading.
type section struct{ name, text string }

// sections cuts a text into its sections. It gives false for one that has
// something before the first.
func sections(text string) ([]section, bool) {
	var all []section
	start, end := 0, 0
	for line := range strings.Lines(text) {
		bare := strings.TrimSpace(line)
		name, isHeading := heading(line, bare)
		end += len(line)
		switch {
		case isHeading:
			start = end - len(line)
			all = append(all, section{name, line})
		case len(all) > 0:
			all[len(all)-1].text = text[start:end]
		case bare != "" && bare[0] != '#' && bare[0] != ';':
			return nil, false
		}
	}
	return all, true
}

// heading knows "[name]". Where it is indented, some take it for a heading and
// some for the rest of a value; for what decides, it is one.
func heading(line, bare string) (string, bool) {
	if !strings.HasPrefix(bare, "[") {
		return "", false
	}
	end := strings.IndexByte(bare, ']')
	if end < 0 {
		return "", false
	}
	name := strings.TrimSpace(bare[1:end])
	return name, line[0] == '[' || decidingSections.has(strings.ToLower(name))
}

var decidingSections = words(`tool:pytest pytest flake8 mypy aliases unittest coverage:run coverage:report nosetests pylint isort pycodestyle`)

var packagingSections = []string{"metadata", "options", "bdist", "sdist", "egg_info", "build", "install", "bumpversion", "wheel", "upload", "versioneer", "files", "global", "entry_points", "pbr", "devpi"}

// decides tells whether a section has a say in the tests: those that say how the
// project is packaged have none, unless they plug something into pytest.
func (s section) decides() bool {
	name := strings.ToLower(s.name)
	for _, front := range packagingSections {
		rest, ok := strings.CutPrefix(name, front)
		if ok && (rest == "" || strings.ContainsAny(rest[:1], "._:-")) {
			return strings.Contains(s.text, "pytest11")
		}
	}
	return true
}

// like tells whether two sections say the same, but for comments and empty lines.
func (s section) like(other section) bool { return s.name == other.name && s.bare() == other.bare() }

func (s section) bare() string {
	var b strings.Builder
	for line := range strings.Lines(s.text) {
		if line = strings.TrimRight(line, " \t\r\n"); line != "" && line[0] != '#' && line[0] != ';' {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}
