package tests

import "strings"

// jest reads Jest. It does not count the tests of a file that could not be
// loaded; here such a file counts as one failed test.
type jest struct {
	run
	file    string // the test file whose results come now
	tree    bool   // its tests are being listed
	path    nodePath
	crashed int  // files that did not load
	files   int  // failed files in the summary that is being read
	timed   bool // the summary's time is yet to come
}

func (j *jest) line(text string) {
	if text == "" {
		j.tree = false
		return
	}
	switch text[0] {
	case ' ':
		j.indented(text)
		return
	case 'P', 'F':
		if j.began(text) {
			return
		}
	case 'T':
		if j.summary(text) {
			return
		}
	case 'N':
		if strings.HasPrefix(text, "No tests found, exiting with code ") {
			j.sumUp(0, 0, 0)
			j.end()
		}
	}
	j.hush()
}

// began reads "PASS a.test.js (5.1 s)" and "FAIL a.test.js". In colour the word
// has a space on each side.
func (j *jest) began(text string) bool {
	file, ok := strings.CutPrefix(text, "FAIL ")
	if !ok {
		file, ok = strings.CutPrefix(text, "PASS ")
	}
	file = strings.TrimSpace(file)
	if strings.HasSuffix(file, ")") {
		if i := strings.LastIndex(file, " ("); i > 0 {
			file = file[:i]
		}
	}
	if !ok || !script(file) {
		return false
	}
	j.file = strings.Clone(short(file))
	j.tree, j.path = true, nil
	j.hush()
	return true
}

func (j *jest) indented(text string) {
	if strings.HasPrefix(text, " FAIL  ") || strings.HasPrefix(text, " PASS  ") {
		if j.began(text[1:]) {
			return
		}
	}
	if j.file == "" {
		return
	}
	inner := strings.TrimLeft(text, " ")
	switch {
	case strings.HasPrefix(text, "  ● "):
		j.tree = false
		j.problem(strings.TrimPrefix(text, "  ● "))
		return
	case strings.HasPrefix(inner, "✓ "):
		j.passed++
		j.listed(len(text)-len(inner), strings.TrimPrefix(inner, "✓ "), Passed)
		return
	case strings.HasPrefix(inner, "✕ "):
		j.failed++
		j.listed(len(text)-len(inner), strings.TrimPrefix(inner, "✕ "), Failed)
		return
	case strings.HasPrefix(inner, "○ "), strings.HasPrefix(inner, "✎ "):
		j.skipped++
		_, name, _ := strings.Cut(inner, " ")
		name = strings.TrimPrefix(strings.TrimPrefix(name, "skipped "), "todo ")
		j.listed(len(text)-len(inner), name, Skipped)
		return
	case j.tree && inner != "" && len(text)-len(inner) >= 2:
		j.path.enter((len(text)-len(inner))/2-1, inner)
		return
	}
	if j.telling != nil && !excerpt(inner) {
		j.say(inner)
	}
}

// listed names a test in the list of a file's tests, where it stands below the
// suites that it is in.
func (j *jest) listed(indent int, name string, status Status) {
	if !j.tree || indent < 2 || indent%2 != 0 {
		return
	}
	if i := strings.LastIndex(name, " ("); i > 0 && status != Skipped && (strings.HasSuffix(name, " ms)") || strings.HasSuffix(name, " s)")) {
		name = name[:i]
	}
	path := append(nodePath{j.file}, j.path[:min(indent/2-1, len(j.path))]...)
	j.names.put(strings.Join(append(path, name), " › "), status)
}

// problem reads the title of a failing test, or of something else that Jest
// shows in the same way.
func (j *jest) problem(title string) {
	switch title {
	case "Console":
		j.hush()
	case "Test suite failed to run":
		if j.tell(j.file, 0) {
			j.crashed++
		}
	default:
		j.tell(j.file+" › "+title, 0)
	}
}

// summary reads the lines that Jest ends with.
func (j *jest) summary(text string) bool {
	if list, ok := strings.CutPrefix(text, "Test Suites: "); ok {
		j.files = parts(list, ", ")["failed"]
		return true
	}
	if list, ok := strings.CutPrefix(text, "Tests:       "); ok {
		counts := parts(list, ", ")
		total, ok := counts["total"]
		if !ok {
			return false
		}
		failed, skipped := counts["failed"], counts["skipped"]+counts["todo"]
		passed := total - failed - skipped
		if failed+j.crashed == 0 {
			j.crashed = j.files
		}
		j.sumUp(passed, failed+j.crashed, skipped)
		j.end()
		j.timed = true
		return true
	}
	if took, ok := strings.CutPrefix(text, "Time:        "); ok && j.timed {
		took, _, _ = strings.Cut(took, ",")
		j.sum.Duration += spelt(took)
		j.timed = false
		return true
	}
	return false
}

func (j *jest) end() {
	j.next()
	j.file, j.crashed, j.files = "", 0, 0
	j.tree, j.path = false, nil
}

// report counts, for an output that was cut off, the failures that were
// explained as well as those that were only listed.
func (j *jest) report() (Report, bool) {
	end := *j
	end.failed = max(j.failed, len(j.failing))
	return end.run.report()
}

// script tells whether a name is that of a file that a JavaScript runner loads.
func script(name string) bool {
	switch name[strings.LastIndexByte(name, '.')+1:] {
	case "js", "jsx", "ts", "tsx", "mjs", "cjs", "mts", "cts", "vue", "svelte":
		return true
	}
	return false
}

// excerpt tells whether a line shows source code behind its line number, or
// points into it.
func excerpt(line string) bool {
	rest := strings.TrimLeft(strings.TrimPrefix(line, "> "), "0123456789 ")
	return strings.HasPrefix(rest, "|") || strings.Trim(rest, "^~ ") == ""
}
