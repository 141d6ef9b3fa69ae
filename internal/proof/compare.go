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
		if was == tests.Failed && (v.loads(name) || v.old.covers(name) && v.now.covers(name)) {
			c.held++
			c.fixed = append(c.fixed, name)
			continue
		}
		what := v.fate(name)
		if what == loop.TestFails && was == tests.Failed && v.noWorse {
			continue // no more is asked of it
		}
		if what != "" {
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
	for _, name := range v.born {
		if _, known := v.before.Names[name]; known {
			continue
		}
		if what := v.standing(name); what == loop.TestGone {
			gone = append(gone, name)
		} else if what != "" {
			c.changed = append(c.changed, loop.TestChange{Name: name, What: what})
		}
	}
	c.fresh = v.fresh()
	c.settle(gone)
	c.count(v)
	return c
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
	case v.apart && v.now.Names[name] == tests.Passed:
		return loop.TestWeakened
	}
	return loop.TestGone
}

// loads tells whether a name that failed stood for a package or file that did not
// load, and does now: then its tests have names, and it has none.
func (v versions) loads(name string) bool {
	if _, there := v.old.Names[name]; there || v.old.Failed > 0 || v.old.Passed <= v.before.Passed {
		return false
	}
	if strings.Contains(name, "_FailedTest") || sourceFile(name) {
		return true
	}
	for other := range v.old.Names {
		if rest, ok := strings.CutPrefix(other, name); ok && strings.ContainsRune(separators, rune(rest[0])) {
			return true
		}
	}
	return false
}

// covers tells whether something passes that a test which is not named is a part
// of: runners that name what fails do not always name what passes.
func (t Tally) covers(name string) bool {
	if _, there := t.Names[name]; there {
		return false
	}
	for at, c := range name {
		if at > 0 && strings.ContainsRune(separators, c) && t.Names[name[:at]] == tests.Passed {
			return true
		}
	}
	return false
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
	case there || !v.now.Complete:
		return ""
	}
	return loop.TestGone
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

// settle says of tests that hold as they were, and are there no more, whether
// they have other names: where as many came as went. The work holds against the
// old ones, so nothing is won by it.
func (c *comparison) settle(gone []string) {
	if len(gone) <= len(c.fresh) {
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
	if said == "" {
		return false
	}
	if said == name || strings.HasPrefix(name, said) && strings.ContainsRune(separators, rune(name[len(said)])) {
		return true
	}
	before, ok := strings.CutSuffix(name, said)
	if ok && before != "" && strings.ContainsRune(separators, rune(before[len(before)-1])) {
		return true
	}
	// A short name of something that has parts: TestAdd of calc.TestAdd/sub.
	at := strings.Index(name, said)
	return at > 0 && strings.ContainsRune(separators, rune(name[at-1])) && at+len(said) < len(name) && strings.ContainsRune(separators, rune(name[at+len(said)]))
}

// separators stand between the parts of a test's name.
const separators = "./:> #[("
