package tests

import "testing"

func TestGradle(t *testing.T) {
	check(t, []reading{
		{"one test", lines("SumTest > adds() FAILED", "    boom at SumTest.java:5", "", "1 test completed, 1 failed"), "gradle: 1 = 0 passed + 1 failed + 0 skipped; SumTest > adds()"},
		{"tasks add up", lines("> Task :a:test", "ATest > adds PASSED", "> Task :b:test", "BTest > adds PASSED", "BTest > later SKIPPED"), "gradle: 3 = 2 passed + 0 failed + 1 skipped"},
		{"a task that was up to date says nothing", lines("> Task :test UP-TO-DATE", "", "BUILD SUCCESSFUL in 1s"), "nothing"},
		{"failing tests that were not shown", lines("* What went wrong:", "Execution failed for task ':app:testDebugUnitTest'.", "> There were failing tests. See the report at: file:///project/index.html"), "gradle: 1 = 0 passed + 1 failed + 0 skipped; :app:testDebugUnitTest"},
		{"a task that has nothing to do with tests", lines("> Task :compileJava FAILED", "Execution failed for task ':compileJava'.", "> Compilation failed; see the compiler error output for details."), "nothing"},
		{"cut off in the middle", lines("> Task :test", "ATest > adds PASSED", "ATest > throws FAILED", "    boom"), "gradle: 2 = 1 passed + 1 failed + 0 skipped; ATest > throws"},
		{"lines that only look alike", lines("a > b FAILED", "menu > file > save PASSED", "3 tests completed", "3 tests completed, 1 failed again"), "nothing"},
	})
}
