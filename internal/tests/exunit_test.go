package tests

import "testing"

func TestExUnit(t *testing.T) {
	const finished = "Finished in 0.02 seconds (0.00s async, 0.02s sync)"
	check(t, []reading{
		{"counts of every kind", lines(finished, "2 doctests, 1 property, 7 tests, 1 failure, 1 excluded, 2 invalid, 1 skipped"), "exunit: 10 = 5 passed + 3 failed + 2 skipped"},
		{"the end of an output", lines("4 tests, 3 failures", "", "Randomized with seed 0"), "exunit: 4 = 1 passed + 3 failed + 0 skipped"},
		{"no test at all", lines(finished, "0 failures"), "exunit: 0 = 0 passed + 0 failed + 0 skipped"},
		{"no test file", "There are no tests to run\n", "exunit: 0 = 0 passed + 0 failed + 0 skipped"},
		{"two applications add up", lines("==> a", finished, "1 test, 0 failures", "==> b", finished, "2 tests, 1 failure"), "exunit: 3 = 2 passed + 1 failed + 0 skipped"},
		{"cut off before the summary", lines("..", "  1) test adds (SumTest)", "     test/sum_test.exs:4", "     Assertion with == failed"), "exunit: 1 = 0 passed + 1 failed + 0 skipped; test adds (SumTest)"},
		{"code that does not compile is no test", lines("== Compilation error in file lib/sum.ex ==", "** (CompileError) lib/sum.ex:3: undefined"), "nothing"},
		{"a summary that may be anybody's", "4 tests, 3 failures\n", "nothing"},
		{"zero failures in words", lines("We had", "0 failures", "Finished in time", "  1) test the waters (again)"), "nothing"},
	})
}
