package harness

import (
	"bytes"
	"path"
	"strings"
)

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
