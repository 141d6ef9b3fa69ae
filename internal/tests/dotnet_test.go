package tests

import "testing"

func TestDotnet(t *testing.T) {
	check(t, []reading{
		{"an older SDK names no file", "Passed!  - Failed:     0, Passed:    12, Skipped:     3, Total:    15, Duration: 1 m 2 s\n", "dotnet: 15 = 12 passed + 0 failed + 3 skipped"},
		{"a filter that nothing matched", "No test matches the given testcase filter `X` in /project/a.dll\n", "dotnet: 0 = 0 passed + 0 failed + 0 skipped"},
		{"a summary of the terminal logger without a time", "Test summary: total: 9, failed: 1, succeeded: 7, skipped: 1\n", "dotnet: 9 = 7 passed + 1 failed + 1 skipped"},
		{"a run that failed without a failing test", lines("Test run summary: Failed!", "  total: 3", "  failed: 0", "  succeeded: 3", "  skipped: 0", "  duration: 1s"), "dotnet: 4 = 3 passed + 1 failed + 0 skipped"},
		{"a summary that is cut off", lines("Test run summary: Failed!", "  total: 3", "  failed: 1", "  succeeded: 2"), "dotnet: 3 = 2 passed + 1 failed + 0 skipped"},
		{"a summary with the modules in it", lines("Test run summary: Passed!", "  a.dll (net10.0|x64) passed", "", "  total: 3", "  failed: 0", "  succeeded: 3", "  skipped: 0", "Done."), "dotnet: 3 = 3 passed + 0 failed + 0 skipped"},
		{"a summary in words", lines("Failed!  - Failed: a lot", "Test summary: all good", "Test run summary: Passed!", "Total tests: many", "  Failed to open the file [12 ms]"), "nothing"},
		{"a run that built nothing", lines("Build FAILED.", "    0 Warning(s)", "    1 Error(s)"), "nothing"},
	})
}

func TestDotnetSaysWhy(t *testing.T) {
	const want = "Assert.Equal() Failure: Values differ\nExpected: -4\nActual:   -3"
	for _, path := range []string{"testdata/dotnet/failing.txt", "testdata/dotnet/terminal-logger.txt", "testdata/dotnet/platform.txt"} {
		report, _ := Read(sample(t, path))
		if got := report.Failing[0].Message; got != want {
			t.Errorf("%s: message %q, want %q", path, got, want)
		}
	}
}
