package tests

import "testing"

func TestCargo(t *testing.T) {
	const ok = "test result: ok. 2 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.10s"
	check(t, []reading{
		{"several binaries add up", lines("running 3 tests", ok, "running 3 tests", ok), "cargo: 6 = 4 passed + 0 failed + 2 skipped"},
		{"an older cargo prints no time", "test result: ok. 2 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out\n", "cargo: 2 = 2 passed + 0 failed + 0 skipped"},
		{"benchmarks count as passed", "test result: ok. 0 passed; 0 failed; 0 ignored; 4 measured; 0 filtered out; finished in 1.00s\n", "cargo: 4 = 4 passed + 0 failed + 0 skipped"},
		{
			"two crates with a test of the same name", lines(
				"     Running unittests src/lib.rs (target/debug/deps/a-0123456789abcdef)", "running 1 test", "test tests::it_works ... FAILED",
				"test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
				`     Running unittests src\lib.rs (target\debug\deps\b-0123456789abcdef.exe)`, "running 1 test", "test tests::it_works ... FAILED",
				"test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"),
			"cargo: 2 = 0 passed + 2 failed + 0 skipped; a::tests::it_works, b::tests::it_works",
		},
		{
			"a failing test that prints a test run", lines("running 1 test", "test outer ... FAILED", "", "failures:", "", "---- outer stdout ----",
				"running 9 tests", "test inner ... FAILED", "test result: FAILED. 8 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
				"", "failures:", "    outer", "", "test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s"),
			"cargo: 1 = 0 passed + 1 failed + 0 skipped; outer",
		},
		{"a binary that dies between tests", lines("running 2 tests", "test a ... ok", "error: test failed, to rerun pass `-p x --lib`"), "cargo: 2 = 1 passed + 1 failed + 0 skipped; -p x --lib"},
		{"cut off in the middle", lines("running 3 tests", "test a ... ok", "test b ... FAILED"), "cargo: 2 = 1 passed + 1 failed + 0 skipped; b"},
		{"cut off before any test ended", "running 3 tests\n", "nothing"},
		{"test lines without a run are prose", "test a ... ok\n", "nothing"},
	})
}

func TestNextest(t *testing.T) {
	const start = "    Starting 2 tests across 1 binary"
	check(t, []reading{
		{"counts of every kind", lines(start, "     Summary [  15.750s] 8/10 tests run: 5 passed (1 slow, 1 flaky, 1 leaky), 2 failed, 1 exec failed, 1 timed out, 2 skipped"), "nextest: 11 = 5 passed + 4 failed + 2 skipped"},
		{"cut off before the summary", lines(start, "        PASS [   0.004s] a tests::x", "        FAIL [   0.004s] a tests::y"), "nextest: 2 = 1 passed + 1 failed + 0 skipped; a tests::y"},
		{"cut off before any test ended", lines(start), "nothing"},
		{"what the tests print themselves is theirs", lines(start, "running 1 test", "test tests::y ... ok",
			"test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 1 filtered out; finished in 0.00s", "        PASS [   0.004s] a tests::y",
			"     Summary [   0.005s] 1 test run: 1 passed, 0 skipped"), "nextest: 1 = 1 passed + 0 failed + 0 skipped"},
		{"a cargo test before it counts too", lines("running 1 test", "test x ... ok", "test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
			start, "     Summary [   0.005s] 2 tests run: 2 passed, 0 skipped"), "cargo+nextest: 3 = 3 passed + 0 failed + 0 skipped"},
		{"a summary in words", "Summary [0.1s] 2 tests run: 2 passed\n", "nothing"},
	})
}
