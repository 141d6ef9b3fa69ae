package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestSamplesName holds the tests that are named in every recorded output against
// testdata/named.txt, which -update writes: a line that says whether all counted
// tests are named, and one for each name, with its time.
func TestSamplesName(t *testing.T) {
	var got strings.Builder
	for _, path := range samples(t) {
		name := strings.TrimSuffix(filepath.ToSlash(strings.TrimPrefix(path, "testdata"+string(filepath.Separator))), ".txt")
		report, ok := Read(sample(t, path))
		if !ok {
			continue
		}
		all := "some"
		if report.Complete() {
			all = "all"
		}
		fmt.Fprintf(&got, "%s: %s of %d\n", name, all, report.Total)
		for _, test := range report.Named {
			fmt.Fprintf(&got, "\t%s %s%s\n", test.Status, test.Name, more(test))
		}
	}
	path := filepath.Join("testdata", "named.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(sample(t, path), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("names in samples (-want +got); if the new ones are true, run go test -update:\n%s", diff)
	}
}

// more is what a line of named.txt says behind a name: how long the test took, and
// whether it is an error.
func more(t Test) string {
	said := ""
	if t.Duration > 0 {
		said += fmt.Sprintf(" [%s]", t.Duration)
	}
	if t.Error {
		said += " [error]"
	}
	return said
}

// What is named is named once, no more tests are named as passed or skipped than
// there were, and whatever failed is named like that.
func checkNames(t testing.TB, r Report) {
	t.Helper()
	seen := make(map[string]Status)
	for _, test := range r.Named {
		if _, twice := seen[test.Name]; twice || test.Name == "" || len(test.Name) > maxMessage {
			t.Errorf("%.60q is named twice, has no name, or is too long", test.Name)
		}
		if test.Status != Passed && test.Status != Failed && test.Status != Skipped {
			t.Errorf("%q ended as %q", test.Name, test.Status)
		}
		seen[test.Name] = test.Status
	}
	if len(r.Named) > maxNamed {
		t.Errorf("%d names are kept", len(r.Named))
	}
	if n := len(r.Names(Passed)); n > r.Passed {
		t.Errorf("%d passed, but %d are named: %q", r.Passed, n, r.Names(Passed))
	}
	if n := len(r.Names(Skipped)); n > r.Skipped {
		t.Errorf("%d skipped, but %d are named: %q", r.Skipped, n, r.Names(Skipped))
	}
	for _, f := range r.Failing {
		if f.Name != "" && !r.MoreNamed && seen[f.Name] != Failed {
			t.Errorf("%q is failing, but named as %q", f.Name, seen[f.Name])
		}
	}
	if r.Complete() && len(r.Names(Passed))+len(r.Names(Failed))+len(r.Names(Skipped)) != r.Total {
		t.Errorf("complete with %d names of %d tests", len(r.Named), r.Total)
	}
}

// Recorded runs do not contradict themselves: failing tests, too, are no more
// than were counted.
func TestSamplesNameNoMoreThanTheyCount(t *testing.T) {
	for _, path := range samples(t) {
		report, _ := Read(sample(t, path))
		checkNames(t, report)
		if n := len(report.Names(Failed)); n > report.Failed {
			t.Errorf("%s: %d failed, but %d are named: %q", path, report.Failed, n, report.Names(Failed))
		}
		if t.Failed() {
			t.Fatalf("in %s", path)
		}
	}
}

func TestATestHasOneNameHoweverItEnds(t *testing.T) {
	const rule, title = unittestSingle, unittestDouble
	for framework, tt := range map[string]struct {
		name string // of the test in each of the outputs
		// Outputs in which it passes, fails and is skipped, and in which it fails
		// when the runner is not told to be verbose.
		passed, failed, skipped, quiet string
	}{
		"go": {
			name:    "a.com/b.TestX/sub",
			passed:  lines("=== RUN   TestX", "=== RUN   TestX/sub", "--- PASS: TestX (0.00s)", "    --- PASS: TestX/sub (0.00s)", "PASS", "ok  \ta.com/b\t0.01s"),
			failed:  lines("=== RUN   TestX", "=== RUN   TestX/sub", "    b_test.go:1: no", "--- FAIL: TestX (0.00s)", "    --- FAIL: TestX/sub (0.00s)", "FAIL", "FAIL\ta.com/b\t0.01s"),
			skipped: lines("=== RUN   TestX", "=== RUN   TestX/sub", "--- PASS: TestX (0.00s)", "    --- SKIP: TestX/sub (0.00s)", "PASS", "ok  \ta.com/b\t0.01s"),
			quiet:   lines("--- FAIL: TestX (0.00s)", "    --- FAIL: TestX/sub (0.00s)", "        b_test.go:1: no", "FAIL", "FAIL\ta.com/b\t0.01s"),
		},
		"go a package": {
			name:   "a.com/b",
			passed: "ok  \ta.com/b\t0.01s\n",
			failed: "FAIL\ta.com/b [build failed]\n",
		},
		"go-json": {
			name:    "a.com/b.TestX",
			passed:  lines(`{"Action":"pass","Package":"a.com/b","Test":"TestX","Elapsed":0}`),
			failed:  lines(`{"Action":"fail","Package":"a.com/b","Test":"TestX","Elapsed":0}`),
			skipped: lines(`{"Action":"skip","Package":"a.com/b","Test":"TestX","Elapsed":0}`),
		},
		"node": {
			name:    "sum > adds",
			passed:  "▶ sum\n  ✔ adds (0.5ms)\n✔ sum (1.5ms)\n" + nodeEnd("ℹ", 1, 0, 0),
			failed:  "▶ sum\n  ✖ adds (0.5ms)\n✖ sum (1.5ms)\n" + nodeEnd("ℹ", 0, 1, 0) + "\n✖ failing tests:\n\ntest at a.mjs:1:1\n✖ adds (0.5ms)\n  Error: boom\n",
			skipped: "▶ sum\n  ﹣ adds (0.5ms) # SKIP\n✔ sum (1.5ms)\n" + nodeEnd("ℹ", 0, 0, 1),
		},
		"node-tap": {
			name:    "sum > adds",
			passed:  nodeTree("ok 1 - adds", "ok 1 - sum") + nodeEnd("#", 1, 0, 0),
			failed:  nodeTree("not ok 1 - adds", "not ok 1 - sum") + nodeEnd("#", 0, 1, 0),
			skipped: nodeTree("ok 1 - adds # SKIP not here", "ok 1 - sum") + nodeEnd("#", 0, 0, 1),
		},
		"tap": {
			name:    "sum > adds",
			passed:  "1..1\n    ok 1 - adds\nok 1 - sum\n",
			failed:  "1..1\n    not ok 1 - adds\nnot ok 1 - sum\n",
			skipped: "1..1\n    ok 1 - adds # SKIP why\nok 1 - sum\n",
		},
		"unittest": {
			name:    "calc.AddTest.test_add",
			passed:  lines("test_add (calc.AddTest.test_add) ... ok", "", rule, "Ran 1 test in 0.001s", "", "OK"),
			failed:  lines("test_add (calc.AddTest.test_add) ... FAIL", "", title, "FAIL: test_add (calc.AddTest.test_add)", rule, "AssertionError: no", "", rule, "Ran 1 test in 0.001s", "", "FAILED (failures=1)"),
			skipped: lines("test_add (calc.AddTest.test_add) ... skipped 'not ... yet'", "", rule, "Ran 1 test in 0.001s", "", "OK (skipped=1)"),
			quiet:   lines("E", title, "ERROR: test_add (calc.AddTest.test_add)", "Adds.", rule, "RuntimeError: no", "", rule, "Ran 1 test in 0.001s", "", "FAILED (errors=1)"),
		},
		"unittest of older Pythons, with a docstring": {
			name:    "calc.AddTest.test_add",
			passed:  lines("test_add (calc.AddTest)", "Adds ... numbers. ... ok", "", rule, "Ran 1 test in 0.001s", "", "OK"),
			failed:  lines("test_add (calc.AddTest)", "Adds ... numbers. ... unexpected success", "", rule, "Ran 1 test in 0.001s", "", "FAILED (unexpected successes=1)"),
			skipped: lines("test_add (calc.AddTest)", "Adds ... numbers. ... expected failure", "", rule, "Ran 1 test in 0.001s", "", "OK (expected failures=1)"),
			quiet:   lines("F", title, "FAIL: test_add (calc.AddTest)", rule, "AssertionError: no", "", rule, "Ran 1 test in 0.001s", "", "FAILED (failures=1)"),
		},
		"pytest": {
			name:    "t/test_a.py::TestA::test_x[a - b]",
			passed:  lines("t/test_a.py::TestA::test_x[a - b] PASSED   [100%]", "=== 1 passed in 0.01s ==="),
			failed:  lines("t/test_a.py::TestA::test_x[a - b] FAILED   [100%]", "=== short test summary info ===", "FAILED t/test_a.py::TestA::test_x[a - b] - assert 1 == 2", "=== 1 failed in 0.01s ==="),
			skipped: lines("t/test_a.py::TestA::test_x[a - b] SKIPPED (not yet)   [100%]", "=== 1 skipped in 0.01s ==="),
			quiet:   lines("F     [100%]", "=== short test summary info ===", "FAILED t/test_a.py::TestA::test_x[a - b] - assert 1 == 2", "1 failed in 0.01s"),
		},
		"pytest that lists all, in a base class": {
			name:    "t/test_a.py::TestA::test_x",
			passed:  lines("=== short test summary info ===", "PASSED t/test_a.py::TestA::test_x", "=== 1 passed in 0.01s ==="),
			failed:  lines("t/test_a.py::TestA::test_x <- t/base.py FAILED   [ 1/1]", "=== FAILURES ===", "____ TestA.test_x ____", "E   no", "=== 1 failed in 0.01s ==="),
			skipped: lines("=== short test summary info ===", "XFAIL t/test_a.py::TestA::test_x - later", "=== 1 xfailed in 0.01s ==="),
		},
		"jest": {
			name:    "a.test.js › sum › of negatives › adds",
			passed:  lines("PASS a.test.js", "  sum", "    of negatives", "      ✓ adds (3 ms)", "", "Test Suites: 1 passed, 1 total", "Tests:       1 passed, 1 total"),
			failed:  lines("FAIL a.test.js (5.2 s)", "  sum", "    of negatives", "      ✕ adds", "", "  ● sum › of negatives › adds", "", "    boom", "", "Test Suites: 1 failed, 1 total", "Tests:       1 failed, 1 total"),
			skipped: lines("PASS a.test.js", "  sum", "    of negatives", "      ○ skipped adds", "", "Test Suites: 1 passed, 1 total", "Tests:       1 skipped, 1 total"),
			quiet:   lines("FAIL a.test.js", "  ● sum › of negatives › adds", "", "    boom", "", "Test Suites: 1 failed, 1 total", "Tests:       1 failed, 1 total"),
		},
		"vitest": {
			name:    "a.test.js > sum > adds",
			passed:  lines(" RUN  v3.2.7 /project", "", " ✓ a.test.js > sum > adds 12ms", "", " Test Files  1 passed (1)", "      Tests  1 passed (1)"),
			failed:  lines(" RUN  v3.2.7 /project", "", " × a.test.js > sum > adds 1ms", "", " FAIL  a.test.js > sum > adds", "Error: boom", "", " Test Files  1 failed (1)", "      Tests  1 failed (1)"),
			skipped: lines(" RUN  v3.2.7 /project", "", " ↓ a.test.js > sum > adds", "", " Test Files  1 skipped (1)", "      Tests  1 skipped (1)"),
			quiet:   lines(" RUN  v3.2.7 /project", "", " ❯ a.test.js (1 test | 1 failed) 7ms", "   × sum > adds 1ms", "", " FAIL  a.test.js > sum > adds", "Error: boom", "", " Test Files  1 failed (1)", "      Tests  1 failed (1)"),
		},
		"mocha": {
			name:    "sum of negatives adds",
			passed:  lines("", "  sum", "    of negatives", "      ✔ adds (81ms)", "", "", "  1 passing (84ms)"),
			failed:  lines("", "  sum", "    of negatives", "      1) adds", "", "", "  0 passing (84ms)", "  1 failing", "", "  1) sum", "       of negatives", "         adds:", "     Error: boom"),
			skipped: lines("", "  sum", "    of negatives", "      - adds", "", "", "  0 passing (84ms)", "  1 pending"),
			quiet:   lines("  !", "", "  0 passing (84ms)", "  1 failing", "", "  1) sum", "       of negatives", "         adds:", "     Error: boom"),
		},
		"cargo": {
			name:    "addup::tests::adds",
			passed:  cargoRun("test tests::adds - should panic ... ok", "ok. 1 passed; 0 failed; 0 ignored"),
			failed:  cargoRun("test tests::adds - should panic ... FAILED\n\nfailures:\n\n---- tests::adds stdout ----\nno\n\nfailures:\n    tests::adds\n", "FAILED. 0 passed; 1 failed; 0 ignored"),
			skipped: cargoRun("test tests::adds ... ignored, too slow", "ok. 0 passed; 0 failed; 1 ignored"),
		},
		"nextest": {
			name:    "addup tests::adds",
			passed:  lines("    Starting 1 test across 1 binary", "        PASS [   0.003s] addup tests::adds", "     Summary [   0.005s] 1 test run: 1 passed, 0 skipped"),
			failed:  lines("    Starting 1 test across 1 binary", "        FAIL [   0.003s] addup tests::adds", "     Summary [   0.005s] 1 test run: 0 passed, 1 failed, 0 skipped", "        FAIL [   0.003s] addup tests::adds"),
			skipped: lines("    Starting 2 tests across 1 binary (1 test skipped)", "        PASS [   0.003s] addup tests::other", "        SKIP [         ] addup tests::adds", "     Summary [   0.005s] 1 test run: 1 passed, 1 skipped"),
		},
		"deno with steps": {
			name:    "adds => ./a_test.ts",
			passed:  lines("running 1 test from ./a_test.ts", "adds ...", "  one ... ok (0ms)", "adds ... ok (2ms)", "", "ok | 1 passed (1 step) | 0 failed (12ms)"),
			failed:  lines("running 1 test from ./a_test.ts", "adds ...", "  one ... FAILED (0ms)", "adds ... FAILED (due to 1 failed step) (2ms)", "", " ERRORS ", "", "adds ... one => ext:deno_node/testing.ts:1:2", "error: Error: boom", "", "FAILED | 0 passed | 1 failed (1 step) (12ms)"),
			skipped: lines("running 1 test from ./a_test.ts", "adds ... ignored (0ms)", "", "ok | 0 passed | 0 failed | 1 ignored (12ms)"),
		},
		"rspec": {
			name:    "Sum#add of negatives adds",
			passed:  lines("", "Sum", "  #add", "    of negatives", "      adds", "", "Finished in 0.01 seconds (files took 0.1 seconds to load)", "1 example, 0 failures"),
			failed:  lines("", "Sum", "  #add", "    of negatives", "      adds (FAILED - 1)", "", "Failures:", "", "  1) Sum#add of negatives adds", "     Failure/Error: no", "", "Finished in 0.01 seconds (files took 0.1 seconds to load)", "1 example, 1 failure"),
			skipped: lines("", "Sum", "  #add", "    of negatives", "      adds (PENDING: later)", "", "Pending: (Failures listed here are expected and do not affect your suite's status)", "", "  1) Sum#add of negatives adds", "     # later", "", "Finished in 0.01 seconds (files took 0.1 seconds to load)", "1 example, 0 failures, 1 pending"),
			quiet:   lines("F", "", "Failures:", "", "  1) Sum#add of negatives adds", "     Failure/Error: no", "", "Finished in 0.01 seconds (files took 0.1 seconds to load)", "1 example, 1 failure"),
		},
		"exunit": {
			name:    "test adds (SumTest)",
			passed:  lines("SumTest [test/sum_test.exs]", "  * test adds [L#3]\r  * test adds (0.1ms) [L#3]", "", "Finished in 0.03 seconds (0.00s async, 0.03s sync)", "1 test, 0 failures"),
			failed:  lines("SumTest [test/sum_test.exs]", "  * test adds [L#3]\r  * test adds (0.1ms) [L#3]", "", "  1) test adds (SumTest)", "     test/sum_test.exs:3", "     no", "", "Finished in 0.03 seconds (0.00s async, 0.03s sync)", "1 test, 1 failure"),
			skipped: lines("SumTest [test/sum_test.exs]", "  * test adds [L#3]\r  * test adds (skipped) [L#3]", "", "Finished in 0.03 seconds (0.00s async, 0.03s sync)", "1 test, 0 failures, 1 skipped"),
		},
	} {
		for status, texts := range map[Status][]string{Passed: {tt.passed}, Failed: {tt.failed, tt.quiet}, Skipped: {tt.skipped}} {
			for _, text := range texts {
				if text == "" {
					continue
				}
				report, _ := Read(text)
				if !slices.Contains(report.Names(status), tt.name) {
					t.Errorf("%s: %q is not among the %s in %+v, which was read in\n%s", framework, tt.name, status, report, text)
				}
				if !report.Complete() {
					t.Errorf("%s: not all tests are named in %+v, which was read in\n%s", framework, report, text)
				}
				checkNames(t, report)
			}
		}
	}
}

func nodeEnd(mark string, pass, fail, skipped int) string {
	return fmt.Sprintf("%[1]s tests %[2]d\n%[1]s suites 1\n%[1]s pass %[3]d\n%[1]s fail %[4]d\n%[1]s cancelled 0\n%[1]s skipped %[5]d\n%[1]s todo 0\n%[1]s duration_ms 12.5\n", mark, pass+fail+skipped, pass, fail, skipped)
}

func nodeTree(test, suite string) string {
	return lines("TAP version 13", "# Subtest: sum", "    # Subtest: adds", "    "+test, "      ---", "      duration_ms: 0.5", "      ...", "    1..1",
		suite, "  ---", "  duration_ms: 1.5", "  type: 'suite'", "  failureType: 'subtestsFailed'", "  ...", "1..1")
}

func cargoRun(test, result string) string {
	return lines("     Running unittests src/lib.rs (target/debug/deps/addup-0123456789abcdef)", "", "running 1 test", test, "", "test result: "+result+"; 0 measured; 0 filtered out; finished in 0.00s")
}

func TestNamesOfSeveralRunsAreMerged(t *testing.T) {
	run := func(status, name string) string {
		verdict := map[string]string{"PASS": "ok  ", "SKIP": "ok  ", "FAIL": "FAIL"}[status]
		return lines("=== RUN   "+name, "--- "+status+": "+name+" (0.00s)", verdict+"\ta.com/b\t0.01s")
	}
	report, _ := Read(run("PASS", "TestA") + run("FAIL", "TestB") + run("SKIP", "TestA") + run("PASS", "TestB") + "t.py::test_x PASSED   [100%]\n=== 1 passed in 0.01s ===\n")
	want := []Test{{Name: "a.com/b.TestA", Status: Skipped}, {Name: "a.com/b.TestB", Status: Failed}, {Name: "t.py::test_x", Status: Passed}}
	if diff := cmp.Diff(want, report.Named); diff != "" {
		t.Errorf("named (-want +got):\n%s", diff)
	}
	if report.Complete() {
		t.Error("complete, though two tests were run twice")
	}
}

func TestNamesThatContradictTheCountsAreNotTaken(t *testing.T) {
	for name, text := range map[string]string{
		"a list before Mocha's":  lines("  ✔ built", "  sum", "    ✔ adds", "", "  1 passing (8ms)"),
		"text in RSpec's tree":   lines("", "sum", "  adds", "hello", "  takes away", "", "Finished in 0.01 seconds (files took 0.1 seconds to load)", "2 examples, 0 failures"),
		"unittest of other runs": lines("test_a (m.T.test_a) ... ok", "test_b (m.T.test_b) ... ok", "", unittestSingle, "Ran 1 test in 0.001s", "", "OK"),
	} {
		if report, ok := Read(text); !ok || len(report.Named) > 0 || report.Complete() {
			t.Errorf("%s: named %v, want none in\n%s", name, report.Named, text)
		}
	}
}

func TestNamesAreBounded(t *testing.T) {
	var text strings.Builder
	for i := range maxNamed + 5 {
		fmt.Fprintf(&text, "--- PASS: Test%d (0.00s)\n", i)
	}
	text.WriteString("ok  \ta.com/b\t0.01s\n")
	report, _ := Read(text.String())
	if len(report.Named) != maxNamed || !report.MoreNamed || report.Complete() || report.Passed != maxNamed+5 {
		t.Errorf("%d names, more %v, complete %v, want %d, true and false", len(report.Named), report.MoreNamed, report.Complete(), maxNamed)
	}
	again, _ := Read(text.String() + "t.py::test_x PASSED   [100%]\n=== 1 passed in 0.01s ===\n")
	if len(again.Named) != maxNamed || !again.MoreNamed {
		t.Errorf("with another framework: %d names, more %v, want %d and true", len(again.Named), again.MoreNamed, maxNamed)
	}
}

// More tests fail than are kept with their messages; their names are kept.
func TestAllFailingTestsAreNamed(t *testing.T) {
	var goRun, pyRun strings.Builder
	pyRun.WriteString("=== short test summary info ===\n")
	for i := range 2 * maxFailing {
		fmt.Fprintf(&goRun, "--- FAIL: Test%d (0.00s)\n", i)
		fmt.Fprintf(&pyRun, "FAILED t.py::test_%d - no\n", i)
	}
	goRun.WriteString("FAIL\ta.com/b\t0.01s\n")
	fmt.Fprintf(&pyRun, "=== %d failed in 0.01s ===\n", 2*maxFailing)
	for _, text := range []string{goRun.String(), pyRun.String()} {
		if report, _ := Read(text); len(report.Failing) != maxFailing || len(report.Names(Failed)) != 2*maxFailing || !report.Complete() {
			t.Errorf("%s: %d failing, %d named, want %d and %d", report.Framework, len(report.Failing), len(report.Names(Failed)), maxFailing, 2*maxFailing)
		}
	}
}

// A report that was given away does not change when the parser reads on.
func TestReportsKeepTheirNames(t *testing.T) {
	p := New()
	p.Write([]byte("--- PASS: TestA (0.00s)\nok  \ta.com/b\t0.01s\n"))
	before, _ := p.Report()
	p.Write([]byte("--- FAIL: TestA (0.00s)\nFAIL\ta.com/b\t0.01s\n"))
	if after, _ := p.Report(); before.Named[0].Status != Passed || after.Named[0].Status != Failed {
		t.Errorf("named %v before and %v after, want passed, then failed", before.Named, after.Named)
	}
}

// Whatever a run of go test -v consists of, all of it is named as it ended.
func TestGoNamesWhatRan(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := make(map[string]Status)
		var text strings.Builder
		for p := range rapid.IntRange(1, 4).Draw(t, "packages") {
			word := "ok  "
			for i := range rapid.IntRange(1, 6).Draw(t, "tests") {
				end := rapid.SampledFrom([]string{"PASS", "FAIL", "SKIP"}).Draw(t, "end")
				fmt.Fprintf(&text, "=== RUN   Test%d\n--- %s: Test%d (0.00s)\n", i, end, i)
				want[fmt.Sprintf("a.com/p%d.Test%d", p, i)] = map[string]Status{"PASS": Passed, "FAIL": Failed, "SKIP": Skipped}[end]
				if end == "FAIL" {
					word = "FAIL"
				}
			}
			fmt.Fprintf(&text, "%s\ta.com/p%d\t0.01s\n", word, p)
		}
		report, _ := Read(text.String())
		got := make(map[string]Status)
		for _, test := range report.Named {
			got[test.Name] = test.Status
		}
		if diff := cmp.Diff(want, got); diff != "" || !report.Complete() {
			t.Fatalf("complete %v, names (-want +got):\n%s\nfrom\n%s", report.Complete(), diff, text.String())
		}
	})
}
