package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
)

// checkTables looks at each [procedures.NAME] table.
func (r *Resolved) checkTables(s Sources) []Problem {
	var problems []Problem
	for _, name := range slices.Sorted(maps.Keys(r.procedures)) {
		if means, alias := s.Aliases[name]; alias {
			problems = append(problems, r.procedures[name].problem("procedures."+name, setting.Quote(name)+" is another name of the built-in procedure "+setting.Quote(means), "write [procedures."+means+"], or give yours another name"))
		}
		problems = append(problems, r.checkPrompt(name, s.Fragments)...)
	}
	return problems
}

// checkPrompt looks at what the prompt of one procedure is made of: parts that
// exist, or else a file.
func (r *Resolved) checkPrompt(name string, fragments []string) []Problem {
	var problems []Problem
	for _, row := range promptSettings {
		key := procedureKey(name, row.Key)
		top, set := r.top(key)
		if !set || row.Kind != partList {
			continue
		}
		complain := func(what, hint string) { problems = append(problems, top.place.problem(key, key+what, hint)) }
		for _, part := range top.value.(Parts) {
			if part.Builtin != "" && fragments != nil && !slices.Contains(fragments, part.Builtin) {
				complain(" has "+setting.Quote(fragmentPrefix+part.Builtin)+", which is no built-in fragment", fragmentHint(part.Builtin, fragments))
			}
		}
		if file := r.promptFile(name, top.layer); file != "" {
			complain(" is set, but so is the prompt's file, "+setting.Quote(file), "leave one of them out: a prompt is a file or made of parts")
		}
	}
	return problems
}

// promptFile is the file that a procedure has for its prompt, in spite of parts
// that the given layer says it has. A file of a higher layer takes the place of
// parts, as any setting does; a flag for a part has none above it.
func (r *Resolved) promptFile(procedure, layer string) string {
	if file, set := r.top(procedureKey(procedure, "prompt")); set {
		return file.value.(string)
	}
	if procedure == r.procedure && layer == "flag" {
		return r.Config.Prompt
	}
	return ""
}

// fragmentHint names what was probably meant, or what there is in the same
// folder, or all there is.
func fragmentHint(name string, fragments []string) string {
	if best := setting.Nearest(name, fragments); best != "" {
		return "did you mean " + setting.Quote(fragmentPrefix+best) + "?"
	}
	folder, _, _ := strings.Cut(name, "/")
	beside := slices.DeleteFunc(slices.Clone(fragments), func(f string) bool { return !strings.HasPrefix(f, folder+"/") })
	if len(beside) == 0 {
		beside = fragments
	}
	return "there are " + strings.Join(beside, ", ")
}
