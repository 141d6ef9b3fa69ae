package harness

import (
	"path"
	"slices"
	"strings"
)

// directive is one line of a go.mod or go.work, out of its block.
type directive struct {
	verb string
	args []string
	text string // the arguments as they are written, with what is said about them
}

func (d directive) like(other directive) bool {
	return d.verb == other.verb && slices.Equal(d.args, other.args)
}

func (d directive) arg(i int) string {
	if i < len(d.args) {
		return d.args[i]
	}
	return ""
}

var goVerbs = words(`module go toolchain godebug require exclude replace retract tool ignore use`)

// directives reads a go.mod or go.work. It gives false for what is none.
func directives(text string) ([]directive, bool) {
	var all []directive
	block := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		bare, _, _ := strings.Cut(line, "//")
		fields := strings.Fields(bare)
		switch {
		case len(fields) == 0:
			continue
		case block != "" && len(fields) == 1 && fields[0] == ")":
			block = ""
			continue
		case block != "":
			all = append(all, newDirective(block, fields, line))
			continue
		case !goVerbs.has(fields[0]):
			return nil, false
		case len(fields) == 2 && fields[1] == "(":
			block = fields[0]
			continue
		}
		all = append(all, newDirective(fields[0], fields[1:], strings.TrimSpace(strings.TrimPrefix(line, fields[0]))))
	}
	return all, block == ""
}

func newDirective(verb string, args []string, text string) directive {
	args = slices.Clone(args)
	for i, arg := range args {
		if len(arg) > 1 && (arg[0] == '"' || arg[0] == '`') {
			args[i] = arg[1 : len(arg)-1]
		}
	}
	return directive{verb, args, text}
}

func writeDirectives(all []directive) []byte {
	var b strings.Builder
	for _, d := range all {
		b.WriteString(d.verb + " " + d.text + "\n")
	}
	return []byte(b.String())
}

// required tells whether a module is required.
func required(all []directive, module string) bool {
	return slices.ContainsFunc(all, func(d directive) bool { return d.verb == "require" && d.arg(0) == module })
}

// blendGoMod blends a go.mod. What a module is called and what it needs is honest
// work; what stands in the place of what it needed before decides, and so does
// what is left out.
func blendGoMod(old, now []byte) ([]byte, bool) {
	was, _ := directives(string(old))
	is, ok := directives(string(now))
	if !ok {
		return old, false
	}
	if old == nil && slices.ContainsFunc(is, func(d directive) bool { return d.verb == "module" && isGoTool(d.arg(0)) }) {
		return nil, false
	}
	var out []directive
	same := true
	for _, d := range is {
		switch {
		case !decidesGo(d), slices.ContainsFunc(was, d.like), old == nil && d.verb != "replace":
			out = append(out, d)
		case d.verb == "replace" && !isGoTool(d.arg(0)) && !required(was, d.arg(0)):
			out = append(out, d) // of a dependency that is new
		case d.verb == "tool" && !swapped(d, was):
			out = append(out, d)
		default:
			same = false
		}
	}
	for _, d := range was {
		gone := d.verb == "replace" && !required(is, d.arg(0)) || d.verb == "tool"
		if decidesGo(d) && !gone && !slices.ContainsFunc(is, d.like) {
			out, same = append(out, d), false
		}
	}
	return writeDirectives(out), same
}

func decidesGo(d directive) bool {
	switch d.verb {
	case "replace", "exclude", "ignore", "godebug", "tool":
		return true
	case "toolchain":
		return strings.Contains(d.arg(0), "-") // no release of Go's, but somebody's own
	}
	return false
}

// swapped tells whether a tool goes by the name of another one that was there.
func swapped(tool directive, was []directive) bool {
	return slices.ContainsFunc(was, func(d directive) bool {
		return d.verb == "tool" && path.Base(d.arg(0)) == path.Base(tool.arg(0)) && d.arg(0) != tool.arg(0)
	})
}

// blendGoWork blends a go.work. One that is new is taken away: the modules were
// found without it. Which modules of the tree belong together is honest work.
func blendGoWork(old, now []byte) ([]byte, bool) {
	if old == nil {
		return nil, false
	}
	was, _ := directives(string(old))
	is, ok := directives(string(now))
	if !ok {
		return old, false
	}
	if now == nil {
		return old, false // without it other modules are tested
	}
	var out []directive
	same := true
	for _, d := range is {
		if decidesGo(d) && !slices.ContainsFunc(was, d.like) {
			same = false
			continue
		}
		out = append(out, d)
	}
	for _, d := range was {
		if decidesGo(d) && !slices.ContainsFunc(is, d.like) {
			out, same = append(out, d), false
		}
	}
	return writeDirectives(out), same
}
