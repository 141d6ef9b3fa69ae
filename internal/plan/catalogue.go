package plan

import (
	"path"
	"strings"
	"unicode"
)

// catalogue finds in specs what tasks refer to.
type catalogue struct {
	specs    []Spec
	files    map[string][]int // the specs of each name
	folders  map[string]bool  // that hold specs, by every end of their paths
	names    map[string]place // of specs, headings and boxes, in words
	ids      map[string]place // of requirements, in words as well
	prefixes map[string]bool  // of the IDs: "REQ" of "REQ-12"
}

// place is something in the specs that has a name.
type place struct{ spec, heading, requirement int }

func (p place) whole() bool { return p.heading == none && p.requirement == none }

const (
	nowhere   = -2 // the heading of a section that is not there
	ambiguous = -3 // the spec of a name that two of them have
)

func newCatalogue(specs []Spec) *catalogue {
	c := &catalogue{
		specs: specs, files: map[string][]int{}, folders: map[string]bool{},
		names: map[string]place{}, ids: map[string]place{}, prefixes: map[string]bool{},
	}
	for n, spec := range specs {
		c.files[spec.Name()] = append(c.files[spec.Name()], n)
		for dir := path.Dir(spec.Path); dir != ""; _, dir, _ = strings.Cut(dir, "/") {
			c.folders[dir] = true
		}
		c.call(spec.Name(), place{n, none, none})
		c.call(spec.Title, place{n, none, none})
	}
	for n, spec := range specs {
		for h, heading := range spec.headings {
			c.call(strings.TrimPrefix(heading.text, heading.id), place{n, h, none})
			c.number(heading.id, place{n, h, none})
		}
		for r, requirement := range spec.Requirements {
			if requirement.Level == Box {
				c.call(requirement.Text, place{n, none, r})
			}
			c.number(requirement.ID, place{n, none, r})
		}
	}
	return c
}

// longestName is how many words a name may have; longer ones are sentences.
const longestName = 12

// call gives a place a name of at least two words: one alone is no name.
func (c *catalogue) call(text string, p place) {
	if list := words(text); len(list) >= 2 && len(list) <= longestName {
		enter(c.names, list, p)
	}
}

// number gives a place its ID. Mere numbers are found by their section only.
func (c *catalogue) number(id string, p place) {
	if !strings.ContainsFunc(id, unicode.IsLetter) {
		return
	}
	c.prefixes[prefix(id)] = true
	enter(c.ids, words(id), p)
}

// enter notes a name. The wider place keeps it within a spec, a spec keeps it
// from the parts of others, and what two specs have names neither.
func enter(names map[string]place, list []string, p place) {
	key := strings.Join(list, " ")
	old, taken := names[key]
	switch {
	case !taken:
		names[key] = p
	case old.spec != p.spec && (p.whole() || !old.whole()):
		names[key] = place{spec: ambiguous}
	}
}

// prefix is an ID without its number.
func prefix(id string) string {
	return strings.TrimRightFunc(id, func(r rune) bool { return !unicode.IsUpper(r) })
}

// sighting is what the specs have of a task.
type sighting struct {
	places []place
	refs   []Ref // those that are listed, or lead to a spec
	lost   []LostRef
}

func (s sighting) bySpec() map[int][]place {
	specs := map[int][]place{}
	for _, p := range s.places {
		specs[p.spec] = append(specs[p.spec], p)
	}
	return specs
}

// look finds what a task refers to or names. A task that does neither belongs
// to the spec that its file has the name of.
func (c *catalogue) look(task Task) sighting {
	var s sighting
	for _, ref := range task.Refs {
		places, why := c.find(ref)
		s.places = append(s.places, places...)
		if ref.Listed || len(places) > 0 {
			s.refs = append(s.refs, ref)
		}
		if ref.Listed && why != "" {
			s.lost = append(s.lost, LostRef{File: task.File, Line: ref.Line, Ref: ref, Why: why})
		}
	}
	s.places = append(s.places, spoken(c.names, task.Text)...) // notes name what is only near
	s.places = append(s.places, spoken(c.ids, task.Text+"\n"+task.Notes)...)
	if len(s.places) == 0 && task.File != "" && !isIndex(task.File) {
		for _, n := range c.files[stem(task.File)] {
			s.places = append(s.places, place{n, none, none})
		}
	}
	return s
}

// find gives the places of a reference, and why it is lost.
func (c *catalogue) find(ref Ref) (places []place, why string) {
	if !ref.file() {
		return c.findName(ref.Spec)
	}
	specs := c.match(ref)
	if len(specs) == 0 {
		if len(c.specs) > 0 && !c.within(ref.Spec) {
			return nil, "" // another kind of document
		}
		return nil, "there is no such spec"
	}
	for _, n := range specs {
		p := c.section(n, ref.Section)
		if p.heading == nowhere {
			why = "the spec has no such section"
		}
		places = append(places, p)
	}
	return places, why
}

// match finds the specs that a path leads to. It may be written from another
// folder than the specs were read from; but a mere file name must be listed.
func (c *catalogue) match(ref Ref) []int {
	var found []int
	for _, n := range c.files[stem(ref.Spec)] {
		spec := c.specs[n].Path
		if spec == ref.Spec {
			return []int{n}
		}
		if (ref.Listed || strings.Contains(ref.Spec, "/")) && (endsIn(spec, ref.Spec) || endsIn(ref.Spec, spec)) {
			found = append(found, n)
		}
	}
	return found
}

func endsIn(long, end string) bool { return strings.HasSuffix(long, "/"+end) }

// within tells whether a path lies where the specs are.
func (c *catalogue) within(file string) bool {
	for dir := path.Dir(file); dir != "." && dir != "/"; dir = path.Dir(dir) {
		if c.folders[dir] {
			return true
		}
	}
	return false
}

// section is the place of a section, an anchor or an ID in the n-th spec.
func (c *catalogue) section(n int, section string) place {
	if section == "" {
		return place{n, none, none}
	}
	s, name := c.specs[n], strings.TrimLeft(section, "#§")
	for _, key := range []string{strings.ToLower(section), "#" + slug(name)} {
		if h, ok := s.places[key]; ok {
			return place{n, h, none}
		}
	}
	for h, heading := range s.headings {
		if strings.EqualFold(heading.id, name) {
			return place{n, h, none}
		}
	}
	for r, requirement := range s.Requirements {
		if strings.EqualFold(requirement.ID, name) {
			return place{n, none, r}
		}
	}
	return place{n, nowhere, none}
}

// findName finds a listed name: that of a spec, of a part of one, or an ID.
func (c *catalogue) findName(name string) (places []place, why string) {
	for _, n := range c.files[strings.ToLower(path.Base(name))] {
		places = append(places, place{n, none, none})
	}
	if len(places) > 0 {
		return places, ""
	}
	key := strings.Join(words(name), " ")
	for _, names := range []map[string]place{c.ids, c.names} {
		if p, known := names[key]; known {
			return p.certain(), ""
		}
	}
	if c.prefixes[prefix(name)] && prefix(name) != name {
		return nil, "no spec has such a requirement"
	}
	return nil, ""
}

// spoken finds the names that a text has in it.
func spoken(names map[string]place, text string) []place {
	if len(names) == 0 {
		return nil
	}
	var found []place
	list := words(text)
	for from := range list {
		for to := from + 1; to <= min(len(list), from+longestName); to++ {
			if p, ok := names[strings.Join(list[from:to], " ")]; ok {
				found = append(found, p.certain()...)
			}
		}
	}
	return found
}

func (p place) certain() []place {
	if p.spec == ambiguous {
		return nil
	}
	return []place{p}
}
