package config

// What a built-in procedure is about is its own: the file of an ad-hoc prompt,
// or the promise that ends one, would turn it into another. So these keys are
// as the procedure has them, or else as if nobody had set them, whatever files
// say at their top.
var ownOfProcedure = []string{"loop.exit_zero_is_done", "done.promise", "done.plan", "done.gates"}

// builtin reads the settings of the built-in procedure that is run. They lie
// above what files say at their top, and below what they say of the procedure.
func (l *loader) builtin(name, toml string) source {
	if toml == "" {
		return source{}
	}
	layer := "procedure " + name + " (built-in)"
	doc, problem := parseDocument([]byte(toml), layer)
	if problem != nil {
		l.complain(*problem)
		return source{}
	}
	src := l.document(layer, doc)
	for i := range src.assignments {
		src.assignments[i].entry.place = place{} // of no file that anybody could look into
	}
	for _, key := range ownOfProcedure {
		if !src.sets(key) {
			r, _ := findIn(settings, key)
			path, _ := splitKey(key)
			src.assignments = append(src.assignments, assignment{path, entry{row: r, value: r.Default, layer: layer}})
		}
	}
	src.assignments = append(src.assignments, noFile(entry{layer: layer}))
	return src
}

// noFile says that the prompt is no file, but made of the parts that e names.
func noFile(e entry) assignment {
	e.row, _ = findIn(settings, "prompt")
	e.value = ""
	return assignment{[]string{"prompt"}, e}
}
