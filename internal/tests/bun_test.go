package tests

import "testing"

func TestBun(t *testing.T) {
	const begin = "bun test v1.4.4 (38afee6c8)"
	check(t, []reading{
		{"the end of an output", lines(" 2 pass", " 1 skip", " 3 todo", " 1 fail", " 9 expect() calls", "Ran 7 tests across 2 files. [3.00ms]"), "bun: 7 = 2 passed + 1 failed + 4 skipped"},
		{"failures that are listed again at the end", lines(begin, "", "a.test.js:", "(fail) sum > adds [0.28ms]", "", "b.test.js:", "(pass) x", "", "1 tests failed:", "(fail) sum > adds [0.28ms]",
			"", " 1 pass", " 1 fail", "Ran 2 tests across 2 files. [3.00ms]"), "bun: 2 = 1 passed + 1 failed + 0 skipped; a.test.js > sum > adds"},
		{"an error that is not counted as a failure", lines(begin, " 1 pass", " 0 fail", " 1 error", "Ran 1 test across 1 file. [3.00ms]"), "bun: 2 = 1 passed + 1 failed + 0 skipped"},
		{"two runs add up", lines(begin, " 1 pass", " 0 fail", "Ran 1 test across 1 file. [3.00ms]", begin, " 0 pass", " 1 fail", "Ran 1 test across 1 file. [3.00ms]"), "bun: 2 = 1 passed + 1 failed + 0 skipped"},
		{"cut off before the summary", lines(begin, "", "a.test.js:", "(pass) adds [0.01ms]", "(skip) later", "error: boom", "(fail) takes away [0.01ms]"), "bun: 3 = 1 passed + 1 failed + 1 skipped; a.test.js > takes away"},
		{"results without a run", lines("(pass) adds [0.01ms]", "✓ adds [0.01ms]", " 3 pass", " 0 fail", "No tests found!", "Ran 3 tests across the board."), "nothing"},
	})
}

func TestBunSaysWhy(t *testing.T) {
	report, _ := Read(sample(t, "testdata/bun/failing.txt"))
	if got, want := report.Failing[0].Message, "error: expect(received).toBe(expected)\nExpected: -4\nReceived: -3"; got != want {
		t.Errorf("message %q, want %q", got, want)
	}
}
