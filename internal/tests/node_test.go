package tests

import (
	"strings"
	"testing"
	"time"
)

func TestNode(t *testing.T) {
	end := func(tests, pass, fail, cancelled, skipped, todo string) string {
		return lines("ℹ tests "+tests, "ℹ suites 0", "ℹ pass "+pass, "ℹ fail "+fail, "ℹ cancelled "+cancelled, "ℹ skipped "+skipped, "ℹ todo "+todo, "ℹ duration_ms 12.5")
	}
	check(t, []reading{
		{"cancelled tests failed, those to do are skipped", end("10", "4", "1", "2", "2", "1"), "node: 10 = 4 passed + 3 failed + 3 skipped"},
		{
			"two runs add up", "✖ adds (0.5ms)\n" + end("1", "0", "1", "0", "0", "0") + "✖ takes away (0.5ms)\n" + end("1", "0", "1", "0", "0", "0"),
			"node: 2 = 0 passed + 2 failed + 0 skipped; adds, takes away",
		},
		{"suites as older versions close them", "▶ sum\n  ✖ adds (0.5ms)\n    Error: boom\n\n▶ sum (1.5ms)\n\n" + end("1", "0", "1", "0", "0", "0"), "node: 1 = 0 passed + 1 failed + 0 skipped; sum > adds"},
		{"tests of the same name in two suites", "▶ a\n  ✖ adds (0.5ms)\n✖ a (1.5ms)\n▶ b\n  ✖ adds (0.6ms)\n✖ b (1.5ms)\n" + end("2", "0", "2", "0", "0", "0"), "node: 2 = 0 passed + 2 failed + 0 skipped; a > adds, b > adds"},
		{"cut off before the summary", "▶ sum\n  ✔ adds (0.5ms)\n  ✖ takes away (0.6ms)\n  ﹣ later (0.1ms) # SKIP\n  ✖ some day (0.2ms) # TODO\n", "node: 4 = 1 passed + 1 failed + 2 skipped; sum > takes away"},
		{"cut off in the summary", "ℹ tests 3\nℹ suites 0\nℹ pass 3\nℹ fail 0\n", "nothing"},
		{"other tools' check marks", lines("✔ Container web  Started", "  ✔ adds", "✔ is slow (81ms)", "✖ 3 problems (3 errors, 0 warnings)", "ℹ tests are good", "ℹ tests 3"), "nothing"},
	})
}

func TestNodeTAP(t *testing.T) {
	const end = "# tests 2\n# suites 1\n# pass 1\n# fail 1\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 12.5\n"
	check(t, []reading{
		{
			"a message of several lines", "TAP version 13\n# Subtest: adds\nnot ok 1 - adds\n  ---\n  duration_ms: 0.5\n  error: |-\n    Expected values:\n    \n    4 !== 3\n  code: 'ERR_ASSERTION'\n  ...\n1..1\n" + end,
			"node-tap: 2 = 1 passed + 1 failed + 0 skipped; adds",
		},
		{"TAP of somebody else stays TAP", "TAP version 13\nok 1 - adds\nnot ok 2 - takes away\n1..2\n# tests 2\n# pass 1\n# fail 1\n", "tap: 2 = 1 passed + 1 failed + 0 skipped; takes away"},
		{"two runs add up", end + end, "node-tap: 4 = 2 passed + 2 failed + 0 skipped"},
	})
}

// What stands for an error of several lines is not one of them.
func TestNodeTAPSaysWhy(t *testing.T) {
	report, _ := Read("TAP version 13\n# Subtest: adds\nnot ok 1 - adds\n  ---\n  duration_ms: 0.5\n  location: 'a.js:1:1'\n  error: |-\n    Expected values:\n    \n    4 !== 3\n  code: 'ERR_ASSERTION'\n  ...\n1..1\n# tests 1\n# suites 0\n# pass 0\n# fail 1\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 12.5\n")
	if got := report.Failing; len(got) != 1 || got[0].Message != "Expected values:\n4 !== 3" || got[0].Duration != 500*time.Microsecond {
		t.Errorf("failing = %+v", got)
	}
}

func TestNodeSaysWhy(t *testing.T) {
	for _, path := range []string{"testdata/node/failing.txt", "testdata/node/failing-v22.txt", "testdata/node/failing-v24.txt"} {
		report, _ := Read(sample(t, path))
		if got := report.Failing[0].Message; !strings.HasPrefix(got, "AssertionError [ERR_ASSERTION]: -3 == -4\n") || strings.Contains(got, "at Test") {
			t.Errorf("%s: message %q, want the error without its stack", path, got)
		}
		if report.Failing[0].Duration == 0 {
			t.Errorf("%s: no duration", path)
		}
	}
}
