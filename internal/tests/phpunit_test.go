package tests

import "testing"

func TestPHPUnit(t *testing.T) {
	const begin = "PHPUnit 11.5.2 by Sebastian Bergmann and contributors."
	check(t, []reading{
		{"one test", "OK (1 test, 1 assertion)\n", "phpunit: 1 = 1 passed + 0 failed + 0 skipped"},
		{"issues of newer versions", lines("OK, but there were issues!", "Tests: 5, Assertions: 4, PHPUnit Deprecations: 2, Deprecations: 1, Notices: 1, Skipped: 1."), "phpunit: 5 = 4 passed + 0 failed + 1 skipped"},
		{"a class without tests", lines("WARNINGS!", "Tests: 1, Assertions: 0, Warnings: 1."), "phpunit: 1 = 0 passed + 0 failed + 1 skipped"},
		{"the end of an output", lines("There was 1 failure:", "", "1) SumTest::testAdds", "Failed asserting that 1 is 2.", "", "FAILURES!", "Tests: 2, Assertions: 2, Failures: 1."), "phpunit: 2 = 1 passed + 1 failed + 0 skipped; SumTest::testAdds"},
		{"a risky test is not a failing one", lines(begin, "There was 1 risky test:", "", "1) SumTest::testNothing", "", "OK, but there were issues!", "Tests: 2, Assertions: 1, Risky: 1."), "phpunit: 2 = 1 passed + 0 failed + 1 skipped"},
		{"two runs add up", lines(begin, "OK (1 test, 1 assertion)", begin, "FAILURES!", "Tests: 2, Assertions: 2, Failures: 1."), "phpunit: 3 = 2 passed + 1 failed + 0 skipped"},
		{"cut off in the middle", lines(begin, "", "..F.S                       5 / 90 (  6%)"), "phpunit: 5 = 3 passed + 1 failed + 1 skipped"},
		{"dead in the middle", lines(begin, "", ".F                          2 / 90 (  2%)", "...Fatal error: Allowed memory size exhausted"), "phpunit: 2 = 0 passed + 2 failed + 0 skipped; PHP fatal error"},
		{"PHP without PHPUnit", lines("PHP Fatal error:  Uncaught Error: boom in /project/a.php:2", "Stack trace:", "#0 {main}"), "nothing"},
		{"a summary in words", lines("OK (all tests)", "Tests: 3, all fine.", "There was 1 failure: me"), "nothing"},
	})
}
