package tests

import (
	"cmp"
	"html"
	"strings"

	"github.com/refrain-loop/refrain/internal/figures"
	"github.com/refrain-loop/refrain/internal/text"
)

var (
	junitTag  = text.NewPattern(`^<(/?)(testsuites|testsuite|testcase|failure|error|skipped)(?:[\s/>]|$)`)
	junitAttr = text.NewPattern(`([A-Za-z]+)\s*=\s*(?:"([^"]*)"|'([^']*)')`)
)

// maxTag is how much of one tag is kept: the counts come first.
const maxTag = 8 << 10

// junit reads JUnit's XML, the language that most test runners can write, where
// it is printed. Tests are counted one by one; where more are announced than can
// be seen, because a line was too long to read, the announcement counts.
type junit struct {
	run
	depth int    // of open suites
	suite string // the name of the innermost
	tag   string // a tag that goes on in the next line
	quote byte   // the quote that is open in it
	until string // the end of a CDATA section or comment that goes on

	said      struct{ total, failed, skipped int } // announced by the outermost tag or tags
	announced bool                                 // the root itself announced them
	test      *Test                                // the one that is being read
	open      bool                                 // inside a failure of it
	text      message
}

func (j *junit) idle() bool { return j.depth == 0 && j.tag == "" }

func (j *junit) line(text string) {
	inside := j.depth > 0 || j.tag != ""
	if !inside && !strings.HasPrefix(text, "<") {
		return
	}
	if strings.HasPrefix(text, "<?xml ") || strings.HasPrefix(text, "<testsuites") {
		j.cut() // the one before did not end
		inside = false
	}
	if !inside {
		if strings.HasPrefix(text, "<?xml ") {
			_, text, _ = strings.Cut(text, "?>")
		}
		if !strings.HasPrefix(text, "<testsuite") {
			return
		}
	}
	for text != "" && (j.depth > 0 || j.tag != "" || strings.HasPrefix(text, "<testsuite")) {
		text = j.next(text)
	}
}

// next reads the first piece of a text inside a document, and gives what follows.
func (j *junit) next(text string) string {
	if j.tag != "" {
		return j.goOn(" " + text)
	}
	if j.until != "" {
		inside, after, ended := strings.Cut(text, j.until)
		j.says(inside)
		if ended {
			j.until = ""
		}
		return after
	}
	before, _, found := strings.Cut(text, "<")
	j.says(html.UnescapeString(before))
	if !found {
		return ""
	}
	text = text[len(before):]
	if after, ok := strings.CutPrefix(text, "<![CDATA["); ok {
		j.until = "]]>"
		return after
	}
	if after, ok := strings.CutPrefix(text, "<!--"); ok {
		j.until = "-->"
		return after
	}
	if !junitTag().MatchString(text) {
		return text[1:]
	}
	return j.goOn(text)
}

// goOn reads a tag on, which may be spread over lines, to its end.
func (j *junit) goOn(text string) string {
	for i := range len(text) {
		switch c := text[i]; {
		case j.quote != 0:
			if c == j.quote {
				j.quote = 0
			}
		case c == '"' || c == '\'':
			j.quote = c
		case c == '>':
			tag := j.tag + text[:i]
			j.tag = ""
			m := junitTag().FindStringSubmatch(tag)
			j.element(m[2], m[1] == "/", tag)
			return text[i+1:]
		}
	}
	j.tag += text[:min(len(text), max(0, maxTag-len(j.tag)))]
	return ""
}

func (j *junit) element(name string, closing bool, tag string) {
	empty := strings.HasSuffix(tag, "/")
	switch name {
	case "testsuites", "testsuite":
		if !closing {
			j.begin(tag)
		}
		if closing || empty {
			j.close()
		}
	case "testcase":
		if !closing {
			j.began(tag)
		}
		if closing || empty {
			j.endTest()
		}
	case "skipped":
		if j.test != nil && j.test.Status != Failed {
			j.test.Status = Skipped
		}
	case "failure", "error":
		j.open = !closing && !empty && j.test != nil
		if !closing && j.test != nil {
			j.test.Status, j.test.Error = Failed, j.test.Error || name == "error"
			j.text.add(junitAttrs(tag)["message"])
		}
	}
}

// begin opens a suite. What the root announces is the sum of what its suites do.
func (j *junit) begin(tag string) {
	j.depth++
	attrs := junitAttrs(tag)
	j.suite = short(attrs["name"])
	total, ok := figures.Number(attrs["tests"])
	if !ok || j.depth > 2 || j.depth == 2 && j.announced {
		return
	}
	j.announced = j.depth == 1
	failures, _ := figures.Number(attrs["failures"])
	errors, _ := figures.Number(attrs["errors"])
	skipped, _ := figures.Number(attrs["skipped"])
	j.said.total += max(total, failures+errors+skipped)
	j.said.failed += failures + errors
	j.said.skipped += skipped
	j.sum.Duration += figures.Duration(attrs["time"])
}

func (j *junit) began(tag string) {
	j.endTest()
	attrs := junitAttrs(tag)
	name := attrs["name"]
	if class := cmp.Or(attrs["classname"], j.suite); class != "" && class != name {
		name = class + "." + name
	}
	j.test = &Test{Name: name, Status: Passed, Duration: figures.Duration(attrs["time"])}
	if s := attrs["status"]; s == "disabled" || s == "notrun" { // as ctest and googletest say it
		j.test.Status = Skipped
	}
}

func (j *junit) endTest() {
	if j.test == nil {
		return
	}
	j.count(j.test.Status, 1)
	j.names.add(*j.test, strings.Clone)
	if j.test.Status == Failed {
		j.explain(j.test.Name, j.text.String(), j.test.Duration)
	}
	j.test, j.open, j.text = nil, false, message{}
}

func (j *junit) says(text string) {
	if j.open {
		j.text.add(text)
	}
}

func (j *junit) close() {
	j.endTest()
	j.depth = max(0, j.depth-1)
	if j.depth == 0 {
		j.end()
	}
}

// end counts the document.
func (j *junit) end() {
	if all := j.said; all.total > j.passed+j.failed+j.skipped {
		j.passed, j.failed, j.skipped = all.total-all.failed-all.skipped, all.failed, all.skipped
	}
	j.summary(j.passed, j.failed, j.skipped)
	j.endRun()
	*j = junit{run: j.run}
}

// cut ends a document whose end is missing.
func (j *junit) cut() {
	j.tag, j.quote = "", 0
	if j.depth > 0 {
		j.endTest()
		j.end()
	}
}

func (j *junit) report() (Report, bool) {
	end := *j
	end.tally, end.names = j.fork(), j.names.fork()
	end.cut()
	return end.tally.report()
}

func junitAttrs(tag string) map[string]string {
	attrs := make(map[string]string)
	for _, m := range junitAttr().FindAllStringSubmatch(tag, -1) {
		attrs[m[1]] = html.UnescapeString(m[2] + m[3])
	}
	return attrs
}
