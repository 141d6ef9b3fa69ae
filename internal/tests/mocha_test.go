package tests

import "testing"

func TestMocha(t *testing.T) {
	check(t, []reading{
		{"counts of every kind", lines("  10 passing (2s)", "  3 pending", "  2 failing"), "mocha: 15 = 10 passed + 2 failed + 3 skipped"},
		{"two runs add up", lines("  1 passing (2ms)", "", "  2 passing (3ms)", "  1 failing", "", "  1) adds:", "     Error: boom"), "mocha: 4 = 3 passed + 1 failed + 0 skipped; adds"},
		{
			"failures of both runs are named", lines("  0 passing (2ms)", "  1 failing", "", "  1) adds:", "     Error: boom", "", "  0 passing (2ms)", "  1 failing", "", "  1) takes away:", "     Error: boom"),
			"mocha: 2 = 0 passed + 2 failed + 0 skipped; adds, takes away",
		},
		{
			"a message with a list in it", lines("  0 passing (2ms)", "  2 failing", "", "  1) adds:", "     Error: these are wrong:", "  1) one", "  7) seven", "      at x.js:1", "", "  2) sum", "       takes away:", "     Error: boom"),
			"mocha: 2 = 0 passed + 2 failed + 0 skipped; adds, sum takes away",
		},
		{"a summary in words", lines("2 passing (84ms)", " 2 passing (84ms)", "  2 passing", "  2 passing grades (84ms)", "   2 passing (84ms)"), "nothing"},
		{"a list without a summary", lines("  3 failing", "", "  1) sum", "       throws:", "     Error: boom", "  ✔ adds"), "nothing"},
	})
}

func TestMochaSaysWhy(t *testing.T) {
	report, _ := Read(sample(t, "testdata/mocha/failing.txt") + "npm error Lifecycle script failed\n")
	if got := report.Failing[2].Message; got != "Error: no database" {
		t.Errorf("message %q, want no stack, and nothing of what npm said afterwards", got)
	}
}
