package tests

import "testing"

func TestTAP(t *testing.T) {
	check(t, []reading{
		{"the plan first", lines("TAP version 14", "1..2", "ok 1 - a", "not ok 2 - b"), "tap: 2 = 1 passed + 1 failed + 0 skipped; b"},
		{"the plan last", lines("ok 1 a", "not ok 2 b", "1..2"), "tap: 2 = 1 passed + 1 failed + 0 skipped; b"},
		{"no plan and no version is no TAP", lines("ok 1 - a", "not ok 2 - b"), "nothing"},
		{"skipped and to do", lines("1..4", "ok 1 - a # SKIP no net", "not ok 2 - b # TODO later", "ok 3 - c # todo done", "ok 4 # skip"), "tap: 4 = 1 passed + 0 failed + 3 skipped"},
		{"everything skipped", "1..0 # SKIP no database\n", "tap: 0 = 0 passed + 0 failed + 0 skipped"},
		{"subtests count instead of their parent", lines("1..1", "    1..2", "    ok 1 - x", "        ok 1 - deep", "        not ok 2 - deeper", "        1..2", "    not ok 2 - y", "not ok 1 - all"), "tap: 3 = 2 passed + 1 failed + 0 skipped; all > y > deeper"},
		{"a parent that fails by itself", lines("1..1", "    ok 1 - x", "    1..2", "not ok 1 - all"), "tap: 2 = 1 passed + 1 failed + 0 skipped; all"},
		{"details are no points", lines("1..1", "not ok 1 - a", "  ---", "  message: |", "    not ok 2 - quoted", "  ..."), "tap: 1 = 0 passed + 1 failed + 0 skipped; a"},
		{"several programs", lines("1..1", "ok 1 - a", "1..2", "ok 1 - a", "not ok 2 - b", "ok 1 - c", "1..1"), "tap: 4 = 3 passed + 1 failed + 0 skipped; b"},
		{"fewer than planned", lines("1..5", "ok 1 - a", "ok 2 - b"), "tap: 3 = 2 passed + 1 failed + 0 skipped; 3..5"},
		{"the middle left out", lines("1..5", "ok 1 - a", "[output cut]", "ok 5 - e"), "tap: 2 = 2 passed + 0 failed + 0 skipped"},
		{"given up", lines("1..5", "ok 1 - a", "Bail out! no server"), "tap: 2 = 1 passed + 1 failed + 0 skipped; Bail out!"},
		{"a plan too large to be one", lines("1..99999999999", "ok 1 - a"), "nothing"},
	})
}

func TestProve(t *testing.T) {
	const sum = "  0 wallclock secs ( 0.02 usr  0.00 sys +  0.04 cusr  0.00 csys =  0.06 CPU)"
	check(t, []reading{
		{"a range of failed tests", lines("Test Summary Report", "-------------------", "t/a.t (Wstat: 256 Tests: 9 Failed: 4)", "  Failed tests:  2, 5-7", "Files=1, Tests=9,"+sum, "Result: FAIL"), "prove: 9 = 5 passed + 4 failed + 0 skipped; t/a.t 2, t/a.t 5, t/a.t 6, t/a.t 7"},
		{"a test that was expected to fail", lines("t/a.t (Wstat: 0 Tests: 2 Failed: 0)", "  TODO passed:   2", "Files=1, Tests=2,"+sum, "Result: PASS"), "prove: 2 = 2 passed + 0 failed + 0 skipped"},
		{"no files", lines("Files=0, Tests=0,"+sum, "Result: NOTESTS"), "prove: 0 = 0 passed + 0 failed + 0 skipped"},
		{"without its result it is nothing", "Files=1, Tests=9," + sum + "\n", "nothing"},
	})
}
