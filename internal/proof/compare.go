package proof

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/tests"
)

// versions are the tests of one gate, in the runs that a claim is judged by.
type versions struct {
	gate   string
	before Before
	born   []string // green in the run, and to stay so
	now    Tally    // the tests as they are
	old    Tally    // the tests as they were, on the work as it is; now, if none was changed
	apart  bool     // old is a run of its own

	noWorse bool // a test that failed may still fail
}

// comparison is what became of the tests.
type comparison struct {
	held    int
	fixed   []string
	renamed []string
	fresh   []string // pass, and have no name that was known
	changed []loop.TestChange

	unloaded  bool           // as it was, a test could not even be run
	uncounted map[string]int // changes that stand for so many tests without a name
}

// compare holds the tests against what they were, one by one where they have
// names, else by their numbers.
func compare(v versions) comparison {
	var c comparison
	var gone []string
	for _, name := range slices.Sorted(maps.Keys(v.before.Names)) {
		was := v.before.Names[name]
		if was == tests.Skipped {
			continue // it promised nothing
		}
		if was == tests.Failed && (v.loads(name) || v.covered(name)) {
			c.held++
			c.fixed = append(c.fixed, name)
			continue
		}
		what := v.fate(name)
		if what == loop.TestFails && was == tests.Failed && v.noWorse {
			continue // no more is asked of it
		}
		if what != "" {
			_, ran := v.old.Names[name]
			c.unloaded = c.unloaded || v.apart && !ran
			c.changed = append(c.changed, loop.TestChange{Name: name, What: what})
			continue
		}
		c.held++
		if was == tests.Failed {
			c.fixed = append(c.fixed, name)
		}
		if what := v.standing(name); what == loop.TestGone {
			gone = append(gone, name)
		} else if what != "" {
			c.changed = append(c.changed, loop.TestChange{Name: name, What: what})
		}
	}
	for _, name := range append(v.onlyOld(), v.born...) {
		if _, known := v.before.Names[name]; known || slices.Contains(gone, name) {
			continue
		}
		if what := v.standing(name); what == loop.TestGone {
			gone = append(gone, name)
		} else if what != "" {
			c.changed = append(c.changed, loop.TestChange{Name: name, What: what})
		}
	}
	c.fresh = v.fresh()
	c.settle(gone, v.newcomers(c.fresh))
	c.count(v)
	return c
}

// onlyOld is tests that nobody knew when the run began, for they could not be
// loaded then, and that pass as they were.
func (v versions) onlyOld() []string {
	if !v.apart {
		return nil
	}
	var list []string
	for name, status := range v.old.Names {
		if _, now := v.now.Names[name]; status == tests.Passed && !now {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// fate is what became of a test as it was; nothing when it holds.
func (v versions) fate(name string) string {
	switch status, there := v.old.Names[name]; {
	case status == tests.Failed && v.apart && v.now.Names[name] == tests.Passed:
		return loop.TestWeakened
	case status == tests.Failed:
		return loop.TestFails
	case status == tests.Skipped:
		return loop.TestSkipped
	case there || !v.old.Complete && !v.before.Complete:
		return "" // where those that pass have no names, the numbers must do
	case v.old.unnamed() > 0 && v.old.Passed >= v.before.Passed+v.before.Failed, v.elsewhere(name):
		return "" // its name was drowned by other output, or is another one now
	case v.apart && v.now.Names[name] == tests.Passed:
		return loop.TestWeakened
	}
	return loop.TestGone
}

// loads tells whether a name that failed stood for a package or file that did not
// load, and does now: then its tests have names, and it has none.
func (v versions) loads(name string) bool {
	if _, there := v.old.Names[name]; there || v.old.Failed > 0 || v.old.Passed < v.before.Passed {
		return false
	}
	if sourceFile(name) || v.old.Names["Doctest: "+name] == tests.Passed {
		return true
	}
	for _, part := range []string{"_FailedTest", "setUpClass", "tearDownClass", "setUpModule", "tearDownModule"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	for other := range v.old.Names {
		if rest, ok := strings.CutPrefix(other, name); ok && strings.ContainsRune(separators, rune(rest[0])) {
			return true
		}
	}
	return false
}

// covered tells whether something passes that a test which is not named any more
// is a part of, and that had no name itself: runners name what fails more closely
// than what passes.
func (v versions) covered(name string) bool {
	for at, c := range name {
		if at == 0 || !strings.ContainsRune(separators, c) || c == ' ' && !strings.HasPrefix(name[at:], " (") {
			continue
		}
		if _, known := v.before.Names[name[:at]]; !known && v.old.stands(name, name[:at]) && v.now.stands(name, name[:at]) {
			return true
		}
	}
	return false
}

// stands tells whether a whole passes in the place of its part.
func (t Tally) stands(part, whole string) bool {
	_, there := t.Names[part]
	return !there && t.Names[whole] == tests.Passed
}

// sourceFile tells whether a name is that of a file with tests.
func sourceFile(name string) bool {
	switch path.Ext(name) {
	case ".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx", ".py", ".rb", ".php", ".exs":
		return true
	}
	return false
}

// standing is what became of a test among those that there are now.
func (v versions) standing(name string) string {
	switch status, there := v.now.Names[name]; {
	case status == tests.Skipped:
		return loop.TestSkipped
	case status == tests.Failed:
		return loop.TestFails
	case there || !v.now.Complete, v.elsewhere(name):
		return ""
	}
	return loop.TestGone
}

// elsewhere tells whether the same test passes under another package or module,
// of which the name was not known: as when a module is renamed. The files of the
// tests are those that there were.
func (v versions) elsewhere(name string) bool {
	tail := lastPart(name)
	for other, status := range v.old.Names {
		if _, known := v.before.Names[other]; !known && status == tests.Passed && other != name && lastPart(other) == tail && v.now.Names[other] == tests.Passed {
			return true
		}
	}
	return false
}

// lastPart is the name of a test without its package: TestAdd/neg of
// example.com/calc.TestAdd/neg.
func lastPart(name string) string {
	at := strings.Index(name, ".Test")
	if at < 0 {
		return name
	}
	return name[at+1:]
}

// unnamed is how many tests passed without their names.
func (t Tally) unnamed() int {
	n := t.Passed
	for _, status := range t.Names {
		if status == tests.Passed {
			n--
		}
	}
	return n
}

// fresh is the tests that pass and that nobody knew when the run began.
func (v versions) fresh() []string {
	if !v.before.Complete && v.before.Counted {
		return nil
	}
	var list []string
	for name, status := range v.now.Names {
		if _, known := v.before.Names[name]; !known && status == tests.Passed {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// newcomers is how many fresh tests are not old ones that could not be loaded.
func (v versions) newcomers(fresh []string) int {
	n := len(fresh)
	for _, name := range fresh {
		if _, old := v.old.Names[name]; old && v.apart {
			n--
		}
	}
	return n
}

// settle says of tests that pass as they were, and are there no more, whether
// they have other names: where as many came as went. The work holds against the
// old ones, so nothing is won by it.
func (c *comparison) settle(gone []string, newcomers int) {
	if len(gone) <= newcomers {
		c.renamed = gone
		return
	}
	for _, name := range gone {
		c.changed = append(c.changed, loop.TestChange{Name: name, What: loop.TestGone})
	}
}

// count goes by the numbers where there are no names.
func (c *comparison) count(v versions) {
	must := v.before.Passed + v.before.Failed
	if v.noWorse {
		must = v.before.Passed
	}
	if v.before.Complete || !v.before.Counted || len(c.changed) > 0 {
		return
	}
	for _, run := range []Tally{v.old, v.now} {
		if run.Passed < must {
			name := fmt.Sprintf("%s: %d of %d tests", v.gate, must-run.Passed, must)
			c.changed = append(c.changed, loop.TestChange{Name: name, What: loop.TestGone})
			c.uncounted = map[string]int{name: must - run.Passed}
			return
		}
	}
	c.held = max(c.held, must)
}

// explained tells whether a reason was given for a test or a file: by its name,
// the last part of it, or what it is a part of.
func explained(name string, reasons []loop.TestExplained) (why string, ok bool) {
	for _, r := range slices.Backward(reasons) {
		if covers(r.Name, name) {
			return r.Why, true
		}
	}
	return "", false
}

// covers tells whether a name that an agent wrote means a test.
func covers(said, name string) bool {
	said = strings.TrimSpace(said)
	switch {
	case said == name:
		return true
	case said == "" || slices.Contains(everywhere, strings.ToLower(said)):
		return false
	}
	if rest, ok := strings.CutPrefix(name, said); ok && rest != "" && strings.ContainsRune(separators, rune(rest[0])) {
		return rest[0] != '.' || !strings.Contains(rest, "/") // the beginning of a host's name is no part of a test's
	}
	before, ok := strings.CutSuffix(name, said)
	if ok && before != "" && strings.ContainsRune(separators, rune(before[len(before)-1])) {
		return true
	}
	// A short name of something that has parts: TestAdd of calc.TestAdd/sub.
	at := strings.Index(name, said)
	return at > 0 && strings.ContainsRune(separators, rune(name[at-1])) && at+len(said) < len(name) && strings.ContainsRune(separators, rune(name[at+len(said)]))
}

// everywhere are parts that whole projects share: they mean no test.
var everywhere = []string{
	"go", "py", "js", "cjs", "mjs", "jsx", "ts", "cts", "mts", "tsx", "rb", "php", "rs", "java", "kt", "cs", "ex", "exs", "sh",
	"com", "org", "net", "io", "dev", "test", "tests", "spec", "src",
}

// separators stand between the parts of a test's name.
const separators = "./:> #[("
