package tests

import (
	"slices"
	"testing"
	"time"
)

func TestPytest(t *testing.T) {
	check(t, []reading{
		{"counts in any order", "=== 1 passed, 1 skipped, 2 failed in 0.10s ===\n", "pytest: 4 = 1 passed + 2 failed + 1 skipped"},
		{"only errors", "=== ERRORS ===\n1 error in 0.10s\n", "pytest: 1 = 0 passed + 1 failed + 0 skipped"},
		{"a run of minutes", "============ 12 passed, 3 warnings in 125.31s (0:02:05) ============\n", "pytest: 12 = 12 passed + 0 failed + 0 skipped"},
		{"expected and unexpected", "1 xfailed, 1 xpassed in 0.10s\n", "pytest: 2 = 1 passed + 0 failed + 1 skipped"},
		{"subtests", "1 failed, 2 passed, 3 subtests passed in 0.10s\n", "pytest: 6 = 5 passed + 1 failed + 0 skipped"},
		{"everything deselected", "=== 3 deselected in 0.01s ===\n", "pytest: 0 = 0 passed + 0 failed + 0 skipped"},
		{"no tests", "no tests ran in 0.01s\n", "pytest: 0 = 0 passed + 0 failed + 0 skipped"},
		{"two runs", "1 passed in 0.01s\n1 failed in 0.01s\n", "pytest: 2 = 1 passed + 1 failed + 0 skipped"},
		{"cut off", lines("test_a.py ..F                                     [ 50%]", "test_b.py::test_x PASSED                         [ 60%]", "[gw0] [ 70%] FAILED test_b.py::test_y "), "pytest: 5 = 3 passed + 2 failed + 0 skipped; test_b.py::test_y"},
		{"the same heading in two files", lines("=== FAILURES ===", "____ test_a ____", "E   one", "____ test_a ____", "E   two", "=== short test summary info ===", "FAILED a.py::test_a - one", "FAILED b.py::test_a - two", "=== 2 failed in 0.01s ==="), "pytest: 2 = 0 passed + 2 failed + 0 skipped; a.py::test_a, b.py::test_a"},
		{"things that take time", "3 files changed, 2 insertions in 0.10s\n", "nothing"},
		{"a linter", "2 errors, 1 warning in 0.31s\n3 warnings in 1.20s\n", "nothing"},
		{"a build", "2 errors, 1 warning in 0.31s of building\n", "nothing"},
		{"a log", "ERROR test_calc.py::test_add - assert\nFAILED to connect\n", "nothing"},
	})
	report, _ := Read(lines("=== FAILURES ===", "____ test_a ____", "E   one", "____ test_a ____", "E   two", "=== short test summary info ===", "FAILED a.py::test_a - x", "FAILED b.py::test_a - x", "=== 2 failed in 0.01s ==="))
	if len(report.Failing) != 2 || report.Failing[0].Message != "one" || report.Failing[1].Message != "two" {
		t.Errorf("failing = %+v, want each with its own reason", report.Failing)
	}
}

func TestUnittest(t *testing.T) {
	const line = unittestSingle
	check(t, []reading{
		{"passing", lines("...", line, "Ran 3 tests in 0.001s", "", "OK"), "unittest: 3 = 3 passed + 0 failed + 0 skipped"},
		{"more failing subtests than tests", lines("", line, "Ran 1 test in 0.001s", "", "FAILED (failures=3)"), "unittest: 3 = 0 passed + 3 failed + 0 skipped"},
		{"a class that could not be set up", lines(unittestDouble, "ERROR: setUpClass (a.AddTest)", line, "RuntimeError: no", "", line, "Ran 0 tests in 0.001s", "", "FAILED (errors=1)"), "unittest: 1 = 0 passed + 1 failed + 0 skipped; a.AddTest.setUpClass"},
		{"none", lines("", line, "Ran 0 tests in 0.000s", "", "NO TESTS RAN"), "unittest: 0 = 0 passed + 0 failed + 0 skipped"},
		{"cut off in a failure", lines(unittestDouble, "FAIL: test_add (a.AddTest.test_add)", line, "Traceback (most recent call last):"), "unittest: 1 = 0 passed + 1 failed + 0 skipped; a.AddTest.test_add"},
		{"without its rule it is prose", lines("Ran 3 tests in 0.001s", "", "OK"), "nothing"},
		{"a verdict that never came", lines(line, "Ran 3 tests in 0.001s", "", "Segmentation fault"), "nothing"},
	})
}

// The phases of a test are added up, of one that is known.
func TestPytestTimes(t *testing.T) {
	report, _ := Read(lines(
		"test_a.py::test_x PASSED                                          [ 50%]",
		"test_a.py::test_y PASSED                                          [100%]",
		"============================= slowest durations ==============================",
		"1.25s call     test_a.py::test_x", "0.50s setup    test_a.py::test_x", "3.00s call     test_b.py::test_z",
		"============================== 2 passed in 1.80s ==============================",
	))
	want := []Test{{Name: "test_a.py::test_x", Status: Passed, Duration: 1750 * time.Millisecond}, {Name: "test_a.py::test_y", Status: Passed}}
	if !slices.Equal(report.Named, want) {
		t.Errorf("named %+v, want %+v", report.Named, want)
	}
}
