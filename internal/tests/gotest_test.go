package tests

import (
	"testing"
	"time"
)

func TestGo(t *testing.T) {
	check(t, []reading{
		{"an ok package counts as one test", "ok  \texample.com/a\t0.012s\nok  \texample.com/b\t(cached)\n", "go: 2 = 2 passed + 0 failed + 0 skipped"},
		{"a package without tests does not", "?   \texample.com/a\t[no test files]\nok  \texample.com/b\t0.01s [no tests to run]\n", "go: 0 = 0 passed + 0 failed + 0 skipped"},
		{"nor with coverage", "ok  \texample.com/b\t0.01s\tcoverage: [no statements] [no tests to run]\n", "go: 0 = 0 passed + 0 failed + 0 skipped"},
		{"with -v its tests count instead", lines("=== RUN   TestA", "--- PASS: TestA (0.00s)", "=== RUN   TestB", "--- SKIP: TestB (0.00s)", "PASS", "ok  \texample.com/a\t0.01s", "ok  \texample.com/b\t0.01s"), "go: 3 = 2 passed + 0 failed + 1 skipped"},
		{"a package that could not be set up", "FAIL\texample.com/a [setup failed]\n", "go: 1 = 0 passed + 1 failed + 0 skipped; example.com/a"},
		{"a benchmark that passes is no test of its own", lines("BenchmarkA-2 \t 100\t 12 ns/op", "PASS", "ok  \texample.com/a\t1.2s"), "go: 1 = 1 passed + 0 failed + 0 skipped"},
		{"cut off before the package is named", lines("=== RUN   TestA", "--- FAIL: TestA (0.00s)", "=== RUN   TestB"), "go: 1 = 0 passed + 1 failed + 0 skipped; TestA"},
		{"cut off before any test ended", "=== RUN   TestA\n", "nothing"},
		{"the same test in two packages", lines("--- FAIL: TestA (0.00s)", "FAIL", "FAIL\texample.com/a\t0.01s", "--- FAIL: TestA (0.00s)", "FAIL", "FAIL\texample.com/b\t0.01s", "FAIL"), "go: 2 = 0 passed + 2 failed + 0 skipped; example.com/a.TestA, example.com/b.TestA"},
		{"a number too large to be one", "=== RUN   TestA\n--- FAIL: TestA (99999999999999999999999.00s)\nFAIL\texample.com/a\t9999999999999999.00s\n", "go: 1 = 0 passed + 1 failed + 0 skipped; example.com/a.TestA"},
	})
}

func TestGoMessages(t *testing.T) {
	report, _ := Read(lines(
		"# example.com/broken [example.com/broken.test]", "./a_test.go:5:2: undefined: x",
		"--- FAIL: TestA (1.50s)", "    a_test.go:7: got 1", "        want 2", "FAIL", "FAIL\texample.com/a\t1.6s",
		"FAIL\texample.com/broken [build failed]",
	))
	want := []Test{
		{Name: "example.com/a.TestA", Status: Failed, Duration: 1500 * time.Millisecond, Message: "a_test.go:7: got 1\nwant 2"},
		{Name: "example.com/broken", Status: Failed, Message: "./a_test.go:5:2: undefined: x"},
	}
	for i, w := range want {
		if i >= len(report.Failing) || report.Failing[i] != w {
			t.Errorf("failing = %+v, want %+v at %d", report.Failing, w, i)
		}
	}
}

func TestGotestsum(t *testing.T) {
	check(t, []reading{
		{"all passed", "✓  a (1ms)\n\nDONE 3 tests in 0.012s\n", "gotestsum: 3 = 3 passed + 0 failed + 0 skipped"},
		{"tests that were run again", lines("=== Failed", "=== FAIL: a TestX (0.00s)", "", "DONE 2 runs, 4 tests, 1 failure in 0.100s"), "gotestsum: 4 = 3 passed + 1 failed + 0 skipped; a.TestX"},
		{"nothing but a package that does not build", lines("=== Failed", "=== FAIL: a  (0.00s)", "FAIL\tx/a [build failed]", "", "DONE 0 tests, 1 failure, 1 error in 0.100s"), "gotestsum: 1 = 0 passed + 1 failed + 0 skipped; a"},
		{"an error of go itself", "DONE 0 tests, 2 errors in 0.100s\n", "gotestsum: 2 = 0 passed + 2 failed + 0 skipped"},
		{"cut off before the summary", "=== FAIL: a TestX (0.00s)\n", "gotestsum: 1 = 0 passed + 1 failed + 0 skipped; a.TestX"},
		{"a number too large to be one", "DONE 99999999999 tests in 0.012s\n", "nothing"},
	})
}
