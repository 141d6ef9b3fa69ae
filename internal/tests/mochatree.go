package tests

import "strings"

// mochaTree follows the reporter spec: suites, and below them "✔ adds" and
// "- is pending". Many tools print lists like that, so it is the counts at the
// end that say whether this was Mocha's. Failing tests are listed after them.
type mochaTree struct {
	path  nodePath
	tests []Test
}

func (t *mochaTree) line(text string) {
	inner := strings.TrimLeft(text, " ")
	indent := len(text) - len(inner)
	if inner == "" || indent < 2 || indent%2 != 0 || indent/2 > mostDepth || len(text) > 2*mostMessage {
		return
	}
	depth := indent/2 - 1
	if name, ok := strings.CutPrefix(inner, "✔ "); ok {
		if i := strings.LastIndex(name, " ("); i > 0 && strings.HasSuffix(name, "ms)") {
			if _, ok := number(name[i+2 : len(name)-3]); ok {
				name = name[:i]
			}
		}
		t.add(depth, name, Passed)
		return
	}
	if name, ok := strings.CutPrefix(inner, "- "); ok {
		t.add(depth, name, Skipped)
		return
	}
	if depth <= len(t.path) {
		t.path = append(t.path[:depth], inner) // the line is short enough to be held
	}
}

func (t *mochaTree) add(depth int, name string, status Status) {
	if len(t.tests) == mostNamed {
		return
	}
	suites := t.path[:min(depth, len(t.path))]
	name = strings.Join(append(suites[:len(suites):len(suites)], name), " ")
	t.tests = append(t.tests, Test{Name: keep(name), Status: status})
}

// take gives the tests that ended in one way, if they are as many as there were.
func (t *mochaTree) take(status Status, number int) []Test {
	var tests []Test
	for _, test := range t.tests {
		if test.Status == status {
			tests = append(tests, test)
		}
	}
	if len(tests) != number {
		return nil
	}
	return tests
}
