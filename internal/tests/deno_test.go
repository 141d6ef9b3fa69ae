package tests

import "testing"

func TestDeno(t *testing.T) {
	check(t, []reading{
		{"counts of every kind", "FAILED | 5 passed (2 steps) | 2 failed (1 step) | 3 ignored (1 step) | 1 measured | 4 filtered out (1s)\n", "deno: 10 = 5 passed + 2 failed + 3 skipped"},
		{"failed for another reason than a test", "FAILED | 5 passed | 0 failed (1s)\n", "deno: 6 = 5 passed + 1 failed + 0 skipped"},
		{"two runs add up", lines("ok | 1 passed | 0 failed (1ms)", "ok | 2 passed | 0 failed (1ms)"), "deno: 3 = 3 passed + 0 failed + 0 skipped"},
		{
			"what a test prints is not the run's", lines("running 1 test from ./a_test.ts", "adds ...", "------- output -------", "FAILED | 0 passed | 9 failed (1ms)", "----- output end -----", "adds ... ok (1ms)", "", "ok | 1 passed | 0 failed (3ms)"),
			"deno: 1 = 1 passed + 0 failed + 0 skipped",
		},
		{
			"cut off before the summary", lines("running 3 tests from ./a_test.ts", "adds ... ok (1ms)", "in steps ...", "  one ... ok (0ms)", "  two ... FAILED (0ms)", "in steps ... FAILED (due to 1 failed step) (2ms)", "later ... ignored (0ms)"),
			"deno: 3 = 1 passed + 1 failed + 1 skipped",
		},
		{"a program that does not type-check", lines("Check file:///project/main.ts", "TS2322 [ERROR]: Type 'string' is not assignable to type 'number'.", "error: Type checking failed."), "nothing"},
		{"a summary in words", lines("ok | all passed", "ok | 3 passed", "FAILED | 3 failed (1ms)", "adds ... ok (1ms)"), "nothing"},
	})
}
