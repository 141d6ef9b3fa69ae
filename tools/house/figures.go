package main

import (
	"cmp"
	"fmt"
	"go/types"
	"io"
	"path/filepath"
	"slices"
	"strings"
)

// What a type may be before it is called wide.
const (
	manyMethods = 40
	manyFiles   = 6
	manyFields  = 25
)

func (r *room) lines() (n int) {
	for _, f := range r.files {
		n += f.lines
	}
	return n
}

// shown is the name of a room for people.
func (r *room) shown() string {
	if r.path == "" {
		return "(root)"
	}
	return strings.TrimPrefix(r.path, "internal/")
}

func (h *house) print(w io.Writer, list bool) {
	row := func(what, format string, args ...any) {
		fmt.Fprintf(w, "%-46s %s\n", what, fmt.Sprintf(format, args...))
	}
	support, source := h.support(), 0
	var supportLines int
	var rooms, files, funcs []int
	var comments, code, long, knotty, knot, deep, exported, documented, interfaces int
	for _, r := range h.rooms {
		source += r.lines()
		rooms = append(rooms, r.lines())
		if support[r.path] {
			supportLines += r.lines()
		}
		for _, f := range r.files {
			files, comments, code = append(files, f.lines), comments+f.comments, code+f.code
		}
		for _, f := range r.funcs {
			funcs = append(funcs, f.lines)
			long += one(f.lines > 50)
			knotty += one(f.branches > 10)
			knot, deep = max(knot, f.branches), max(deep, f.depth)
			exported += one(f.exported)
			documented += one(f.exported && f.documented)
		}
		for _, t := range r.types {
			interfaces += one(t.iface)
			exported += one(t.exported)
			documented += one(t.exported && t.commented)
		}
	}
	row("source lines", "%d, of which %d only tests use", source, supportLines)
	row("tests / source", "%.2f", float64(h.tests)/float64(source))
	row("packages (median lines)", "%d (%d)", len(rooms), quantile(rooms, 50))
	layers, chain := h.layers()
	row("import layers", "%d: %s", layers, strings.Join(chain, " → "))
	row("file: median / p90 / max", "%d / %d / %d", quantile(files, 50), quantile(files, 90), quantile(files, 100))
	row("function: median / p90 / p99 / max", "%d / %d / %d / %d", quantile(funcs, 50), quantile(funcs, 90), quantile(funcs, 99), quantile(funcs, 100))
	row("functions above 50 lines", "%s", percent(long, len(funcs)))
	row("cyclomatic above 10; max", "%s; %d", percent(knotty, len(funcs)), knot)
	row("deepest nesting", "%d", deep)
	row("comment lines / code lines", "%.2f", float64(comments)/float64(code))
	row("exported names documented", "%s", percent(documented, exported))
	row("interfaces", "%d", interfaces)
	row("direct dependencies", "%d", h.direct)
	far, once := h.helpers()
	row("helpers used once: called from another file", "%s of %d", percent(far, once), once)
	across, calls := h.calls()
	row("calls inside a package that cross files", "%s of %d", percent(across, calls), calls)
	same := h.copies()
	row("functions with the same body in two places", "%d", len(same))
	if list {
		for _, s := range same {
			fmt.Fprintf(w, "    %s\n", s)
		}
	}
	h.printRooms(w, list)
	h.printTypes(w, list)
}

func (h *house) printRooms(w io.Writer, list bool) {
	rooms := slices.SortedFunc(slices.Values(h.rooms), func(a, b *room) int { return cmp.Compare(b.lines(), a.lines()) })
	fmt.Fprintln(w, "\nlargest packages")
	for i, r := range rooms {
		if i < 8 || list {
			far, once := r.helpers()
			fmt.Fprintf(w, "    %6d  %-16s %d of %d helpers called from another file\n", r.lines(), r.shown(), len(far), once)
			for _, name := range far[:len(far)*one(list)] {
				fmt.Fprintf(w, "            %s\n", name)
			}
		}
	}
}

// printTypes names the widest types, and all that are wider than they may be.
func (h *house) printTypes(w io.Writer, list bool) {
	type wide struct {
		name string
		named
	}
	var all []wide
	for _, r := range h.rooms {
		for _, t := range r.types {
			all = append(all, wide{r.shown() + "." + t.name, t})
		}
	}
	slices.SortFunc(all, func(a, b wide) int { return cmp.Or(cmp.Compare(b.methods, a.methods), cmp.Compare(a.name, b.name)) })
	fmt.Fprintf(w, "\nwidest types (methods / files; above %d or %d: !)\n", manyMethods, manyFiles)
	for i, t := range all {
		over := t.methods > manyMethods || len(t.files) > manyFiles
		if i < 5 || over || list && t.methods > manyMethods/2 {
			fmt.Fprintf(w, "  %s %6d / %-3d %s\n", sign(over), t.methods, len(t.files), t.name)
		}
	}
	slices.SortFunc(all, func(a, b wide) int { return cmp.Or(cmp.Compare(b.fields, a.fields), cmp.Compare(a.name, b.name)) })
	fmt.Fprintf(w, "\nstructs with most fields (above %d: !)\n", manyFields)
	for i, t := range all {
		over := t.fields > manyFields
		if i < 5 || over {
			fmt.Fprintf(w, "  %s %6d  %s\n", sign(over), t.fields, t.name)
		}
	}
}

func sign(over bool) string {
	if over {
		return "!"
	}
	return " "
}

// support names the rooms that no program and no library for others leads to.
func (h *house) support() map[string]bool {
	only := map[string]bool{}
	byPath := map[string]*room{}
	for _, r := range h.rooms {
		only[r.path], byPath[r.path] = true, r
	}
	var reach func(path string)
	reach = func(path string) {
		if only[path] {
			only[path] = false
			for _, i := range byPath[path].imports {
				reach(i)
			}
		}
	}
	for _, r := range h.rooms {
		if r.path == "" || strings.HasPrefix(r.path, "cmd/") {
			reach(r.path)
		}
	}
	return only
}

// layers is the longest chain of imports.
func (h *house) layers() (int, []string) {
	byPath := map[string]*room{}
	for _, r := range h.rooms {
		byPath[r.path] = r
	}
	longest := map[string][]string{}
	var from func(path string) []string
	from = func(path string) []string {
		if chain, ok := longest[path]; ok {
			return chain
		}
		var best []string
		for _, i := range byPath[path].imports {
			if chain := from(i); len(chain) > len(best) {
				best = chain
			}
		}
		longest[path] = append([]string{byPath[path].shown()}, best...)
		return longest[path]
	}
	var best []string
	for _, r := range h.rooms {
		if chain := from(r.path); len(chain) > len(best) {
			best = chain
		}
	}
	return len(best), best
}

// helpers counts the functions that are used at one place only, and those of them
// whose place is in another file.
func (h *house) helpers() (far, once int) {
	for _, r := range h.rooms {
		n, all := r.helpers()
		far, once = far+len(n), once+all
	}
	return far, once
}

// helpers are the functions of a room whose only use is in another file, and how
// many have only one use.
func (r *room) helpers() (far []string, once int) {
	uses := map[types.Object][]string{}
	for _, u := range r.uses {
		uses[u.object] = append(uses[u.object], u.file)
	}
	for _, f := range r.funcs {
		places := uses[f.object]
		if f.exported || len(places) != 1 {
			continue
		}
		once++
		if places[0] != f.file {
			far = append(far, fmt.Sprintf("%s %s, called in %s", filepath.Base(f.file), f.object.Name(), filepath.Base(places[0])))
		}
	}
	return far, once
}

// calls counts the uses of functions of the same room, and those across files.
func (h *house) calls() (across, all int) {
	for _, r := range h.rooms {
		at := map[types.Object]string{}
		for _, f := range r.funcs {
			at[f.object] = f.file
		}
		for _, u := range r.uses {
			if file, ok := at[u.object]; ok {
				all++
				across += one(file != u.file)
			}
		}
	}
	return across, all
}

// copies lists functions that do the same, whatever things are called in them.
func (h *house) copies() (found []string) {
	const small = 4 // lines of a function that may well look like another
	byShape := map[string][]string{}
	for _, r := range h.rooms {
		for _, f := range r.funcs {
			if f.lines > small {
				byShape[f.shape] = append(byShape[f.shape], fmt.Sprintf("%s/%s %s", r.shown(), filepath.Base(f.file), f.object.Name()))
			}
		}
	}
	for _, names := range byShape {
		if len(names) > 1 {
			found = append(found, strings.Join(names, " = "))
		}
	}
	slices.Sort(found)
	return found
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

func percent(part, of int) string {
	if of == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(of))
}

// quantile is the value below which so many percent lie.
func quantile(values []int, percent int) int {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[(len(sorted)-1)*percent/100]
}
