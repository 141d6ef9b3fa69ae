package tests

import "testing"

func TestCTest(t *testing.T) {
	check(t, []reading{
		{"two projects add up", lines("100% tests passed, 0 tests failed out of 2", "", "50% tests passed, 1 tests failed out of 2", "", "The following tests FAILED:", "\t  2 - b (Failed)                      unit slow"), "ctest: 4 = 3 passed + 1 failed + 0 skipped; b"},
		{"names with brackets and spaces", lines("0% tests passed, 1 tests failed out of 1", "", "The following tests FAILED:", "\t 12 - a (of b) (ILLEGAL)"), "ctest: 1 = 0 passed + 1 failed + 0 skipped; a (of b)"},
		{"cut off before the sum", lines("1/3 Test #1: adds .....   Passed    0.00 sec", "2/3 Test #2: subtracts ...***Failed    0.00 sec", "3/3 Test  #3: later ....***Skipped   0.00 sec"), "ctest: 3 = 1 passed + 1 failed + 1 skipped; subtracts"},
		{"more failed than there were", "0% tests passed, 3 tests failed out of 1\n", "nothing"},
		{"a list without a run", lines("The following tests FAILED:", "\t  2 - b (Failed)"), "nothing"},
	})
}
