// Package later knows which files of a project run by themselves: when somebody
// installs, commits, pushes, enters the folder, opens it in an editor, or starts
// an agent in it. What a run has changed in them runs after it, and outside of
// whatever the agent was held in, so people are told of it.
//
// It is a note for people and refuses nothing. So it errs on the side of silence
// where honest work changes a file every day: sources and tests are never named,
// though they run too, and of a manifest only the part that runs something is
// looked at, not the dependencies. It knows conventions; a file that is made to
// run by settings outside of the project is out of its sight.
//
// Of, Changed and Reached are pure. Find asks them about two trees of a store of
// checkpoints.
package later

import (
	"path"
	"slices"
	"strings"
	"sync"
)

// Kind is a kind of file that runs by itself.
type Kind struct {
	what    string
	names   string // of files, in any folder; a star is any text; with a folder before a slash, in that one
	folders string // all that is in them counts
	top     bool   // only from the top of the repository
	parts   parts  // which parts of it run something; nil: it does as a whole
}

// parts names what is new or other in the parts of a file that run something. was
// is nil for a new file. It gives false when it can't tell, or when it is the file
// as a whole.
type parts func(was, is []byte) ([]string, bool)

// What says who runs such a file.
func (k *Kind) What() string { return k.what }

// Whole tells whether any change of such a file counts, so that nobody needs to
// read it.
func (k *Kind) Whole() bool { return k.parts == nil }

// largest is how long a manifest may be that is read. A longer one was not written
// by people.
const largest = 1 << 20

// Changed names the parts that are new or other and run something; none, with
// true, for the file as a whole. It gives false when nothing in it runs that did
// not run before. was is nil for a new file.
func (k *Kind) Changed(was, is []byte) ([]string, bool) {
	if k.parts == nil || len(was) > largest || len(is) > largest {
		return nil, true
	}
	names, ok := k.parts(was, is)
	if !ok { // then nobody knows, and that is told rather than not
		return nil, true
	}
	return names, len(names) > 0
}

// Of gives the kind of the file at a path from the top of the repository, and nil
// for one that does not run by itself.
func Of(file string) *Kind {
	if k := conventional(file); k != nil || inElsewhere(file) {
		return k
	}
	return ofAgents(file)
}

func conventional(file string) *Kind {
	// Tools find files by names that many disks compare without regard to case.
	file = strings.ToLower(path.Clean(file))
	dir, name := path.Split(file)
	within := "/" + dir
	if inElsewhere(file) {
		return nil
	}
	if k := kindsBy().name[name]; k != nil && (!k.top || dir == "") {
		return k
	}
	for _, g := range kindsBy().glob {
		if ok, _ := path.Match(g.glob, lastOf(file, g.deep)); ok && (!g.kind.top || dir == "") {
			return g.kind
		}
	}
	for _, f := range kindsBy().folder {
		if strings.HasPrefix(within, f.folder) || !f.kind.top && strings.Contains(within, f.folder) {
			return f.kind
		}
	}
	return nil
}

// OfLink gives the kind of a symbolic link: beside the file that it stands for it
// may be a folder in which such files are.
func OfLink(file string) *Kind {
	if k := Of(file); k != nil {
		return k
	}
	as := "/" + strings.ToLower(path.Clean(file)) + "/"
	for _, f := range kindsBy().folder {
		if as == f.folder || strings.HasPrefix(f.folder, as) || !f.kind.top && strings.HasSuffix(as, f.folder) {
			return f.kind
		}
	}
	return linkOfAgents(as)
}

// elsewhere are folders in which nobody works: the code of others, and what tests
// read.
var elsewhere = []string{"/node_modules/", "/vendor/", "/testdata/", "/fixtures/", "/__fixtures__/"}

func inElsewhere(file string) bool {
	within := "/" + strings.ToLower(path.Dir(path.Clean(file))) + "/"
	return slices.ContainsFunc(elsewhere, func(folder string) bool { return strings.Contains(within, folder) })
}

// kindsBy is the table, by what a path is looked up by. It is made when it is first needed.
var kindsBy = sync.OnceValue(func() lookup { return index(kinds) })

type lookup struct {
	name   map[string]*Kind
	glob   []globKind
	folder []folderKind
}

type globKind struct {
	glob string
	deep int // how many folders it names
	kind *Kind
}

// lastOf is a file with so many of the folders that it is in.
func lastOf(file string, folders int) string {
	at := len(file)
	for ; folders >= 0 && at >= 0; folders-- {
		at = strings.LastIndexByte(file[:at], '/')
	}
	return file[at+1:]
}

type folderKind struct {
	folder string // with a slash on both sides
	kind   *Kind
}

func index(kinds []Kind) lookup {
	names := map[string]*Kind{}
	var globs []globKind
	var folders []folderKind
	for i := range kinds {
		k := &kinds[i]
		for name := range strings.FieldsSeq(k.names) {
			if strings.ContainsAny(name, "*/") {
				globs = append(globs, globKind{name, strings.Count(name, "/"), k})
			} else {
				names[name] = k
			}
		}
		for folder := range strings.FieldsSeq(k.folders) {
			folders = append(folders, folderKind{"/" + folder + "/", k})
		}
	}
	return lookup{names, globs, folders}
}

// maxParts is how many parts of a file are named.
const maxParts = 4

// Parts are the names of parts in a few words.
func Parts(names []string) string {
	if more := len(names) - maxParts; more > 0 {
		names = append(slices.Clone(names[:maxParts]), "…")
	}
	return strings.Join(names, ", ")
}
