package tests

import "testing"

func TestMinitest(t *testing.T) {
	check(t, []reading{
		{"counts of every kind", "10 runs, 12 assertions, 1 failures, 2 errors, 3 skips\n", "minitest: 10 = 4 passed + 3 failed + 3 skipped"},
		{"as an older version counts", "2 tests, 2 assertions, 0 failures, 0 errors, 0 skips\n", "minitest: 2 = 2 passed + 0 failed + 0 skipped"},
		{"test-unit, which is another", "2 tests, 1 assertions, 1 failures, 0 errors, 0 pendings, 0 omissions, 0 notifications\n", "nothing"},
		{"two runs add up", lines("1 runs, 1 assertions, 0 failures, 0 errors, 0 skips", "2 runs, 1 assertions, 1 failures, 0 errors, 0 skips"), "minitest: 3 = 2 passed + 1 failed + 0 skipped"},
		{"cut off while tests are printed", lines("# Running:", "SumTest#test_adds = 0.01 s = .", "SumTest#test_throws = 0.02 s = E", "SumTest#test_later = 0.00 s = S"), "minitest: 3 = 1 passed + 1 failed + 1 skipped; SumTest#test_throws"},
		{"failures of something else", lines("Failure:", "the disk [sda:1]:", "broken", "Error:", "oh:"), "nothing"},
	})
}
