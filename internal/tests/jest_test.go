package tests

import "testing"

func TestJest(t *testing.T) {
	check(t, []reading{
		{"counts in any order, zero parts left out", "Tests:       1 todo, 2 failed, 1 skipped, 4 passed, 8 total\n", "jest: 8 = 4 passed + 2 failed + 2 skipped"},
		{"two runs add up", lines("Tests:       1 passed, 1 total", "Tests:       2 passed, 2 total"), "jest: 3 = 3 passed + 0 failed + 0 skipped"},
		{"no test at all", "Tests:       0 total\n", "jest: 0 = 0 passed + 0 failed + 0 skipped"},
		{"no file, which was fine", "No tests found, exiting with code 0\n", "jest: 0 = 0 passed + 0 failed + 0 skipped"},
		{"a file that failed for no reason given", lines("Test Suites: 1 failed, 1 passed, 2 total", "Tests:       3 passed, 3 total"), "jest: 4 = 3 passed + 1 failed + 0 skipped"},
		{
			"a failing file of a named project, which took long", lines("FAIL api src/a.test.ts (5.123 s)", "  ● adds", "", "    boom", "", "Tests:       1 failed, 1 total"),
			"jest: 1 = 0 passed + 1 failed + 0 skipped; api src/a.test.ts › adds",
		},
		{
			"failures that are listed again at the end", lines("FAIL a.test.js", "  ● Test suite failed to run", "    boom", "Summary of all failing tests",
				"FAIL a.test.js", "  ● Test suite failed to run", "    boom", "", "Test Suites: 1 failed, 1 total", "Tests:       0 total"),
			"jest: 1 = 0 passed + 1 failed + 0 skipped; a.test.js",
		},
		{
			"tests of the same name in two files", lines("FAIL a.test.js", "  ● adds", "FAIL b.test.js", "  ● adds", "Tests:       2 failed, 2 total"),
			"jest: 2 = 0 passed + 2 failed + 0 skipped; a.test.js › adds, b.test.js › adds",
		},
		{
			"cut off before the summary", lines("PASS a.test.js", "  ✓ adds (2 ms)", "  ○ skipped later", "FAIL b.test.js", "  ✕ takes away", "  ● takes away"),
			"jest: 3 = 1 passed + 1 failed + 1 skipped; b.test.js › takes away",
		},
		{"cut off, and not verbose", lines("FAIL b.test.js", "  ● takes away"), "jest: 1 = 0 passed + 1 failed + 0 skipped; b.test.js › takes away"},
		{"cut off before anything failed", "PASS a.test.js\n", "nothing"},
		{"a summary in words", lines("Tests: 3 passed, 3 total", "Tests:       all passed", "  Tests:       3 passed, 3 total"), "nothing"},
		{"other things that pass and fail", lines("PASS", "FAIL", "PASS the salt", "  ✓ built in 3 s"), "nothing"},
	})
}

func TestJestSaysWhy(t *testing.T) {
	report, _ := Read(sample(t, "testdata/jest/failing.txt"))
	const want = "expect(received).toBe(expected) // Object.is equality\nExpected: -4\nReceived: -3"
	if got := report.Failing[0].Message; got != want {
		t.Errorf("message %q, want %q: no source, no stack", got, want)
	}
}
