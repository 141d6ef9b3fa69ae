package harness

import (
	"bytes"
	"path"
	"slices"
	"strings"
)

// Blend gives a manifest as it was, with what honest work may change taken from
// now: dependencies, names, versions, entry points, new scripts. Where the half
// that decides about tests is the same in both, same is true, nothing has to be
// put back and blended is what is there now.
//
// A manifest that did not exist then (old is nil) comes without what decides; one
// that is gone (now is nil) comes back as it was, if it decided anything. What
// cannot be read now is put back whole. blended is nil where there is to be no
// file. A path that Of does not call a manifest is put back whole too.
func Blend(file string, old, now []byte) (blended []byte, same bool) {
	if old != nil && now != nil && bytes.Equal(old, now) || old == nil && now == nil {
		return now, true
	}
	blend := blends(split(file).path)
	if blend == nil && Inline(file) && Of(file) == Product {
		blend = blendInline
	}
	if blend == nil || len(old) > largest || len(now) > largest {
		return old, false
	}
	blended, same = blend(old, now)
	switch {
	case same:
		return now, true
	case now == nil:
		return old, false
	}
	return blended, false
}

// largest is how long a manifest may be. A longer one was not written by people.
const largest = 1 << 20

// blends gives the way to blend a manifest, and nil where a file is none.
//
// setup.py is none: it is a program that honest work changes for each module,
// and no runner that we read asks it. pom.xml, build.gradle, CMakeLists.txt,
// mix.exs, Gemfile and *.csproj are none for the same reason.
func blends(file string) func(old, now []byte) ([]byte, bool) {
	name := strings.ToLower(split(file).base)
	switch {
	case name == "package.json":
		return packageJSON().json
	case name == "deno.json" || name == "deno.jsonc":
		return denoJSON().json
	case name == "import_map.json":
		return importMap().json
	case name == "composer.json":
		return composerJSON().json
	case strings.HasPrefix(name, "tsconfig") && strings.HasSuffix(name, ".json"), name == "jsconfig.json":
		return blendTSConfig
	case name == "pyproject.toml":
		return pyproject().toml
	case name == "cargo.toml":
		return blendCargo
	case name == "setup.cfg":
		return blendINI
	case name == "go.mod":
		return blendGoMod
	case name == "go.work":
		return blendGoWork
	case name == "makefile" || name == "makefile.am" || name == "bsdmakefile":
		return blendMake
	}
	return nil
}

// A half says of one key of a manifest what it is as it was, and whether what
// decides about tests in it is the same. Values that are not there are nil.
type half func(old, now any) (blended any, same bool)

// honest is a half that the work may change.
func honest(_, now any) (any, bool) { return now, true }

// decided is a half that decides about tests.
func decided(old, now any) (any, bool) { return old, equal(old, now) }

// halves says which key of a table is which half.
type halves struct {
	keys map[string]half
	rest half // for every other key
}

// blend is the half of a table whose keys are halves of their own.
func (h halves) blend(old, now any) (any, bool) {
	was, ok := old.(*table)
	if !ok && old != nil {
		return decided(old, now)
	}
	is, ok := now.(*table)
	if !ok && now != nil {
		return old, false
	}
	out, same := &table{}, true
	for _, key := range union(was, is) {
		half := h.keys[key]
		if half == nil {
			half = h.rest
		}
		value, ok := half(was.get(key), is.get(key))
		same = same && ok
		if value != nil {
			out.set(key, value)
		}
	}
	if len(out.keys) == 0 && now == nil {
		return nil, same
	}
	return out, same
}

// kept is the half of a table, or of a list, to which honest work may add: what
// was there decides. added says of a new key whether it may come along; nil
// means that all may.
func kept(added func(key string, was *table, value any) bool) half {
	return func(old, now any) (any, bool) {
		was, wasTable := old.(*table)
		is, isTable := now.(*table)
		if old != nil && !wasTable || now != nil && !isTable {
			return old, equal(old, now)
		}
		out, same := &table{}, true
		for _, key := range union(was, is) {
			before, after := was.get(key), is.get(key)
			switch {
			case before != nil:
				same = same && equal(before, after)
				out.set(key, before)
			case added == nil || added(key, was, after):
				out.set(key, after)
			default:
				same = false
			}
		}
		if len(out.keys) == 0 && old == nil {
			return nil, same
		}
		return out, same
	}
}

// longer is the half of a list to which honest work may add.
func longer(old, now any) (any, bool) {
	was, ok := list(old)
	is, too := list(now)
	if !ok || !too || old == nil {
		return decided(old, now)
	}
	for _, item := range was {
		if !slices.ContainsFunc(is, func(other any) bool { return equal(item, other) }) {
			return old, false
		}
	}
	return now, true
}

// dependencies is the half of a table of packages by name. They are honest
// work, as long as the ones that tests are run with come from where packages
// come from, and not from a folder beside them. elsewhere tells of a value
// whether it names such a place, and isTool of a name whether it is such a package.
func dependencies(isTool func(string) bool, elsewhere func(any) bool) half {
	return func(old, now any) (any, bool) {
		return eachKey(old, now, func(key string, before, after any) entry {
			if !isTool(key) || !elsewhere(after) || equal(before, after) {
				return entry{value: after, keep: true, same: true}
			}
			return entry{value: before, keep: before != nil}
		})
	}
}

// entry is what becomes of one key of a table.
type entry struct {
	value any
	keep  bool // the key stays
	same  bool // nothing that decides about tests was changed in it
}

// eachKey is the half of a table that is blended key by key.
func eachKey(old, now any, each func(key string, before, after any) entry) (any, bool) {
	was, _ := old.(*table)
	is, ok := now.(*table)
	if !ok {
		return now, true
	}
	out, same := &table{}, true
	for _, key := range is.keys {
		e := each(key, was.get(key), is.get(key))
		if same = same && e.same; e.keep {
			out.set(key, e.value)
		}
	}
	return out, same
}

// Inline tells whether files of a kind hold product and tests in one: the unit
// tests of Rust stand at the end of the module that they test. Blend puts back
// the one part and leaves the other.
func Inline(file string) bool { return strings.ToLower(path.Ext(file)) == ".rs" }

// inlineMark begins the tests of a module.
var inlineMark = []byte("#[cfg(test)]")

// blendInline gives a module with its tests as they were.
func blendInline(old, now []byte) ([]byte, bool) {
	if now == nil { // the product of the module is gone
		return nil, true
	}
	_, wereTests := cutInline(old)
	product, areTests := cutInline(now)
	if bytes.Equal(wereTests, areTests) {
		return now, true
	}
	return append(bytes.Clone(product), wereTests...), false
}

// cutInline parts a module from its tests.
func cutInline(text []byte) (product, tests []byte) {
	at := bytes.Index(text, inlineMark)
	if at < 0 {
		return text, nil
	}
	return text[:at], text[at:]
}

// Data tells whether a file is data by its ending: neither code nor a document.
func Data(file string) bool {
	switch strings.ToLower(path.Ext(file)) {
	case ".json", ".jsonl", ".ndjson", ".txt", ".csv", ".tsv", ".yaml", ".yml", ".xml", ".expected", ".golden", ".out", ".snap", ".dat", ".bin", ".sql", ".html":
		return true
	}
	return false
}
