package plan

import (
	"net/url"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// Ref is what a task says of where it comes from.
type Ref struct {
	Spec    string // a path as "specs/export.md", without the way up; or a name, or the ID of a requirement
	Section string // "#anchor" or "§4.2"; empty for the whole
	Line    int    // where it is written
	// Listed tells that it stands in "(refs: …)" or after "Refs:". A file that is
	// only mentioned may be anything, also a spec that the task is to write.
	Listed bool
}

func (r Ref) String() string {
	if strings.HasPrefix(r.Section, "§") {
		return r.Spec + " " + r.Section
	}
	return r.Spec + r.Section
}

// MarshalText writes the reference as a person would.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// file tells whether the reference is to a file, rather than to a name.
func (r Ref) file() bool { return isMarkdown(r.Spec) }

var (
	mention = text.NewPattern("([^\\s()\\[\\]<>\"'`,;|*#]+\\.(?i:md|markdown))\\b(#[^\\s()\\[\\]<>\"'`,;|*]*)?(?:[\\s)`*]*§\\s*([^\\s,;()\\]]+))?")
	chapter = text.NewPattern(`^§\s*([^\s,;()\]]+)`)
)

// mentions finds the markdown files that a text names.
func mentions(line int, text string) []Ref {
	if !strings.Contains(text, ".") {
		return nil
	}
	var refs []Ref
	for _, found := range mention().FindAllStringSubmatch(text, -1) {
		if strings.Contains(found[1], "://") {
			continue
		}
		ref := Ref{Spec: below(unescape(found[1])), Section: strings.TrimRight(found[2], ".:!?"), Line: line}
		if found[3] != "" {
			ref.Section = "§" + strings.TrimRight(found[3], ".:!?*`")
		}
		if ref.Section == "#" {
			ref.Section = ""
		}
		refs = append(refs, ref)
	}
	return refs
}

// below is a path without the way up to where it begins: a reference is
// written from the plan's folder or from the project's.
func below(path string) string {
	path = strings.ReplaceAll(path, `\`, "/")
	for strings.HasPrefix(path, "./") || strings.HasPrefix(path, "../") || strings.HasPrefix(path, "/") {
		_, path, _ = strings.Cut(path, "/")
	}
	return path
}

func unescape(path string) string {
	if plain, err := url.PathUnescape(path); err == nil {
		return plain
	}
	return path
}

// refs reads a list of references. One that gives only a section goes on with
// the file before it, and a name is one word.
func (l label) refs(line int) []Ref {
	var refs []Ref
	file := ""
	for _, part := range l.list() {
		found := mentions(line, part)
		switch section := chapter().FindStringSubmatch(part); {
		case len(found) > 0:
			file = found[len(found)-1].Spec
		case section != nil && file != "":
			found = []Ref{{Spec: file, Section: "§" + strings.TrimRight(section[1], "."), Line: line}}
		case section == nil && !strings.ContainsAny(part, " \t"):
			found = []Ref{{Spec: part, Line: line}}
		}
		for _, ref := range found {
			ref.Listed = true
			refs = append(refs, ref)
		}
	}
	return refs
}

// maxRefs is how many references of one task are kept.
const maxRefs = 100

// addRefs adds what is not there yet.
func addRefs(refs, more []Ref) []Ref {
	for _, ref := range more[:min(len(more), maxRefs)] {
		if len(refs) >= maxRefs {
			break
		}
		at := slices.IndexFunc(refs, func(r Ref) bool { return r.Spec == ref.Spec && r.Section == ref.Section })
		if at < 0 {
			refs = append(refs, ref)
			continue
		}
		refs[at].Listed = refs[at].Listed || ref.Listed
	}
	return refs
}

// listed tells whether one of the references is meant as one.
func listed(refs []Ref) bool {
	return slices.ContainsFunc(refs, func(r Ref) bool { return r.Listed })
}
