package tests

import "testing"

func TestSurefire(t *testing.T) {
	check(t, []reading{
		{"modules add up, their classes do not", lines("[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in ATest", "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0",
			"[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1, Time elapsed: 0.1 s <<< FAILURE! -- in BTest", "[ERROR] Tests run: 3, Failures: 1, Errors: 0, Skipped: 1"), "surefire: 5 = 3 passed + 1 failed + 1 skipped"},
		{"without the log's levels", "Tests run: 2, Failures: 0, Errors: 1, Skipped: 0\n", "surefire: 2 = 1 passed + 1 failed + 0 skipped"},
		{"flakes that passed in the end", "[WARNING] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0, Flakes: 1\n", "surefire: 4 = 4 passed + 0 failed + 0 skipped"},
		{
			"the end of an output", lines("[ERROR] Failures: ", "[ERROR]   SumTest.adds:5 expected: <3> but was: <4>", "[ERROR] Errors: ", "[ERROR]   SumTest.throwsUp:7->helper:9 » IllegalState boom", "[INFO] ", "[ERROR] Tests run: 6, Failures: 1, Errors: 1, Skipped: 1"),
			"surefire: 6 = 3 passed + 2 failed + 1 skipped; SumTest.adds, SumTest.throwsUp",
		},
		{"cut off between two classes", lines("[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in ATest", "[INFO] Running BTest"), "surefire: 2 = 2 passed + 0 failed + 0 skipped"},
		{"tests that were left out", "[INFO] Tests are skipped.\n", "surefire: 0 = 0 passed + 0 failed + 0 skipped"},
		{"code that does not compile is no test", "[ERROR] Failed to execute goal org.apache.maven.plugins:maven-compiler-plugin:3.10.1:compile (default-compile) on project sum: Compilation failure\n", "nothing"},
		{"JUnit's own runner", lines("Tests run: 3,  Failures: 1", "OK (3 tests)"), "nothing"},
		{"a summary in words", "Tests run: 3, Failures: 0, Errors: 0, Skipped: 0, I think\n", "nothing"},
	})
}
