package tests

import "testing"

func TestVitest(t *testing.T) {
	const begin = " RUN  v3.2.7 /project"
	check(t, []reading{
		{"counts of every kind", lines(begin, "      Tests  1 failed | 4 passed | 1 expected fail | 2 skipped | 1 todo (9)"), "vitest: 9 = 5 passed + 1 failed + 3 skipped"},
		{"the end of an output", "      Tests  2 passed (2)\n", "vitest: 2 = 2 passed + 0 failed + 0 skipped"},
		{"no test at all", lines(begin, " Test Files  1 skipped (1)", "      Tests  no tests"), "vitest: 0 = 0 passed + 0 failed + 0 skipped"},
		{"a file that failed for no reason given", lines(begin, " Test Files  1 failed (1)", "      Tests  no tests"), "vitest: 1 = 0 passed + 1 failed + 0 skipped"},
		{
			"errors outside of tests", lines(begin, "⎯⎯⎯⎯ Unhandled Rejection ⎯⎯⎯⎯⎯", "Error: left behind", " Test Files  1 passed (1)", "      Tests  3 passed (3)", "     Errors  2 errors"),
			"vitest: 5 = 3 passed + 2 failed + 0 skipped; Unhandled Rejection",
		},
		{"a project's name before the file", lines(begin, " FAIL  |api| a.test.ts > adds", "Error: boom", "      Tests  1 failed (1)"), "vitest: 1 = 0 passed + 1 failed + 0 skipped; |api| a.test.ts > adds"},
		{"cut off before the summary", lines(begin, " ✓ a.test.ts (2 tests | 1 skipped) 2ms", " ❯ b.test.ts (3 tests | 2 failed) 7ms", "   × adds 6ms"), "vitest: 5 = 2 passed + 2 failed + 1 skipped"},
		{"cut off, one line a test", lines(begin, " ✓ a.test.ts > adds 2ms", " × a.test.ts > takes away 1ms", " ↓ a.test.ts > later"), "vitest: 3 = 1 passed + 1 failed + 1 skipped"},
		{"cut off in the list of failures", lines(begin, " FAIL  a.test.ts > adds", "Error: boom"), "vitest: 1 = 0 passed + 1 failed + 0 skipped; a.test.ts > adds"},
		{"a run in watch mode after another", lines(begin, "      Tests  1 failed (1)", begin, "      Tests  1 passed (1)"), "vitest: 2 = 1 passed + 1 failed + 0 skipped"},
		{"a summary in words", lines("Tests  3 passed (3)", " Tests  3 passed (3)", "      Tests  are all green", "     Errors  2 errors"), "nothing"},
		{"check marks of other tools", lines(" ✓ built (2 tests) 2ms", " ✓ a > b 2ms", " FAIL  the build"), "nothing"},
	})
}
