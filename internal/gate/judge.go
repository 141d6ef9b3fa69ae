package gate

import (
	"fmt"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Known tells whether a red gate is red as it was before the first iteration:
// no test fails in it that did not fail then. It is never so for a gate whose
// tests were not counted, or that did not come to its end.
func Known(now Result, before loop.BaselineGate) bool {
	return measurable(now, before) && sameFailures(now.Tests, before.Tests)
}

// NoWorse judges a gate of which no more is asked than that nothing got worse:
// one that was red before the first iteration passes when no test fails that
// did not fail then, and as many pass. One that was green has to stay so.
func NoWorse(now Result, before loop.BaselineGate) Result {
	if now.OK || !measurable(now, before) {
		return now
	}
	return now.refuse(worse(now.Tests, before.Tests))
}

// measurable tells whether a red gate can be held against what it was.
func measurable(now Result, before loop.BaselineGate) bool {
	switch {
	case now.OK, now.Interrupted, before.Gate.OK:
		return false
	case now.Exit == nil: // it crashed, or took too long
		return false
	case !counted(now.Tests), !counted(before.Tests):
		return false
	}
	// An exit with 0 and no failing test is red because it proves nothing.
	return *now.Exit != 0 || now.Tests.Failed > 0
}

func counted(t *loop.Tests) bool { return t != nil && t.Passed+t.Failed > 0 }

// sameFailures tells whether no test fails that did not fail then. Where not
// all of them are known by name, or what is red is not a test, the numbers must
// do.
func sameFailures(now, then *loop.Tests) bool {
	if now.Failed > 0 && named(now) && named(then) {
		return len(Newly(now, then)) == 0
	}
	return now.Failed <= then.Failed && now.Passed >= then.Passed
}

// named tells whether the names of all failing tests are known.
func named(t *loop.Tests) bool { return len(t.Failing) == t.Failed }

// worse says what got worse, or nothing.
func worse(now, then *loop.Tests) string {
	switch fresh := Newly(now, then); {
	case now.Passed < then.Passed:
		return fmt.Sprintf("%s passed, %d did before", text.Plural(now.Passed, "test"), then.Passed)
	case sameFailures(now, then):
		return ""
	case named(now) && named(then):
		return oneLine("newly failing: "+strings.Join(fresh, ", "), maxWhy)
	}
	return fmt.Sprintf("%s failed, %d did before", text.Plural(now.Failed, "test"), then.Failed)
}

// Newly gives the names of the tests that fail now and did not fail then.
func Newly(now, then *loop.Tests) []string {
	if now == nil {
		return nil
	}
	var fresh []string
	for _, name := range now.Failing {
		if then == nil || !slices.Contains(then.Failing, name) {
			fresh = append(fresh, name)
		}
	}
	return fresh
}
