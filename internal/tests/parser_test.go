package tests

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func TestWhatIsNoTestRun(t *testing.T) {
	for name, text := range map[string]string{
		"nothing":                       "",
		"a sentence with counts":        "All good: 3 passed, 0 failed in 0.12s, as you can see.\nI ran the tests: 12 passed.",
		"a list of claims":              "- 3 passed in 0.12s\n* 3 passed in 0.12s\n> 3 passed in 0.12s\n1. ok 1 - adds",
		"a diff of a summary":           "-test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n+test result: ok. 9 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
		"a diff of a log":               "+ok  \texample.com/calc\t0.01s\n+--- FAIL: TestAdd (0.00s)\n-FAIL\texample.com/calc\t0.01s",
		"a log with line numbers":       "12: ok  \texample.com/calc\t0.01s\n   13\tFAIL\texample.com/calc\t0.01s\n14→1..2",
		"source that prints a summary":  "\tfmt.Println(\"ok  \\texample.com/calc\\t0.01s\")\n    print(\"2 passed in 0.01s\")",
		"source of a test":              "func TestAdd(t *testing.T) {\n\tt.Run(\"n=1\", func(t *testing.T) {})\n}\ndef test_add():\n    assert add(1, 2) == 3",
		"a plan without tests in prose": "1. first\n2. second\nok then, let us go on\nnot ok with me",
		"cargo build that fails":        "error[E0425]: cannot find value `x` in this scope\nerror: could not compile `addup` (lib) due to 1 previous error",
		"JSON that is no event":         `{"Time":"2026-01-01T00:00:00Z","Level":"info","Message":"pass"}`,
		"XML that is no report":         "<project>\n  <testsuite tests=\"3\"/>\n</project>",
		"a makefile":                    "FAIL: no such target\nPASS\nOK\nok\nDONE",
		"words of other tools":          "Ran 3 queries in 0.01s\n\nOK\nSummary [draft] 3 tests run\nRunning 3 tests\n100% tests, none failed",
	} {
		if report, ok := Read(text); ok {
			t.Errorf("%s: Read(%q) = %+v, want no test run", name, text, report)
		}
	}
}

func TestFrameworksAddUp(t *testing.T) {
	goRun := sample(t, "testdata/go/failing.txt")
	pyRun := sample(t, "testdata/pytest/failing.txt")
	one, _ := Read(goRun)
	two, _ := Read(pyRun)
	got, ok := Read(goRun + "\nsome words between\n" + pyRun)
	if !ok || got.Framework != "go+pytest" {
		t.Fatalf("Read(go, then pytest) = %q, %v, want go+pytest", got.Framework, ok)
	}
	if got.Total != one.Total+two.Total || got.Failed != one.Failed+two.Failed || got.Passed != one.Passed+two.Passed {
		t.Errorf("Read(go, then pytest) = %+v, want the sum of %+v and %+v", got, one, two)
	}
	if len(got.Failing) != len(one.Failing)+len(two.Failing) {
		t.Errorf("failing = %v, want those of both", got.Failing)
	}
}

func TestTheSameRunToldTwiceCountsOnce(t *testing.T) {
	text := sample(t, "testdata/pytest/failing-quiet.txt")
	xml := sample(t, "testdata/junit/pytest.txt")
	if got, _ := Read(text + xml); got.Framework != "pytest" || got.Total != 8 {
		t.Errorf("Read(pytest and its report) = %s %d, want pytest 8", got.Framework, got.Total)
	}
	other := sample(t, "testdata/junit/bats.txt")
	if got, _ := Read(text + other); got.Framework != "pytest+junit" || got.Total != 11 {
		t.Errorf("Read(pytest and another's report) = %s %d, want pytest+junit 11", got.Framework, got.Total)
	}
}

func TestTerminalOutput(t *testing.T) {
	const last = "==== 1 failed, 2 passed in 0.10s ===="
	for name, text := range map[string]string{
		"plain":                              last,
		"with a line end of Windows":         last + "\r\n",
		"with two carriage returns":          last + "\r\r\n",
		"coloured":                           "\x1b[31m==== \x1b[1m1 failed\x1b[0m, \x1b[32m2 passed\x1b[0m in 0.10s ====\x1b[0m",
		"coloured with colons":               "\x1b[38:2::255:0:0m" + last + "\x1b[m",
		"with a link":                        "\x1b]8;;https://example.com\x1b\\" + last + "\x1b]8;;\a",
		"with a title":                       "\x1b]0;running 1 failed\a" + last,
		"with a character set":               last + "\x1b(B\x1b[m",
		"over a progress bar":                "50%\r99% done\r" + last,
		"over a progress bar without an end": strings.Repeat("working\r", maxLine) + last,
		"with the line cleared":              "\x1b[2K\r" + last,
	} {
		got, ok := Read(text)
		if !ok || got.Framework != "pytest" || got.Failed != 1 || got.Passed != 2 {
			t.Errorf("%s: Read(%.60q) = %+v, %v, want pytest with 1 failed and 2 passed", name, text, got, ok)
		}
	}
	if got, ok := Read(last + "\rsomething else\n"); ok {
		t.Errorf("a line that was overwritten was read: %+v", got)
	}
}

func TestLinesOfAnyLength(t *testing.T) {
	text := strings.Repeat("x", 10*maxLine) + "\n2 passed in 0.01s\n" + strings.Repeat("3 passed in 0.01s ", maxLine)
	got, ok := Read(text)
	if !ok || got.Total != 2 {
		t.Errorf("Read(long lines around a summary) = %+v, %v, want 2 tests", got, ok)
	}
}

func TestFailingTestsAreBounded(t *testing.T) {
	var text strings.Builder
	for i := range 10 * maxFailing {
		fmt.Fprintf(&text, "--- FAIL: Test%d%s (0.00s)\n    a_test.go:1: %s\n", i, strings.Repeat("é", 2*maxMessage), strings.Repeat("ü", 2*maxMessage))
	}
	text.WriteString("FAIL\texample.com/calc\t0.01s\n")
	got, _ := Read(text.String())
	if got.Failed != 10*maxFailing || len(got.Failing) != maxFailing {
		t.Errorf("failed %d, named %d, want %d and %d", got.Failed, len(got.Failing), 10*maxFailing, maxFailing)
	}
	for _, f := range got.Failing {
		if len(f.Name) > maxMessage || len(f.Message) > maxMessage || !strings.HasPrefix(f.Message, "a_test.go:1: ü") {
			t.Fatalf("name of %d bytes, message of %d bytes %.40q…", len(f.Name), len(f.Message), f.Message)
		}
		if strings.ToValidUTF8(f.Name+f.Message, "") != f.Name+f.Message {
			t.Fatalf("cut inside a character: %q", f.Name)
		}
	}
}

func TestReportOfNothing(t *testing.T) {
	if got, ok := New().Report(); ok {
		t.Errorf("Report() = %+v before anything was read", got)
	}
}

// An output in a diff, as a quotation or with line numbers is shown, not printed.
func TestSamplesThatAreShown(t *testing.T) {
	for _, path := range samples(t) {
		if strings.Contains(sample(t, path), "\r") {
			continue // it would overwrite the prefix
		}
		for _, prefix := range []string{"+", "-", "> ", "12: ", "  12 | ", "    12\t", "  12→", "# "} {
			lines := strings.SplitAfter(sample(t, path), "\n")
			if report, ok := Read(prefix + strings.Join(lines, prefix)); ok {
				t.Errorf("%s, each line behind %q, was read as %+v", path, prefix, report)
			}
		}
	}
}

// Asked while an output is still being read, a parser reads on as if it was not.
func TestReportInBetween(t *testing.T) {
	for _, path := range samples(t) {
		p := New()
		for line := range strings.Lines(sample(t, path)) {
			p.Write([]byte(line))
			p.Report()
		}
		want, _ := Read(sample(t, path))
		if got, _ := p.Report(); !cmp.Equal(want, got) {
			t.Errorf("%s: asked after each line it reads differently (-want +got):\n%s", path, cmp.Diff(want, got))
		}
	}
}

// However an output is cut into pieces, it says the same.
func TestPiecesDoNotMatter(t *testing.T) {
	all, texts := samples(t), make(map[string]string)
	for _, path := range all {
		texts[path] = sample(t, path)
	}
	rapid.Check(t, func(t *rapid.T) {
		var text []byte
		for range rapid.IntRange(1, 3).Draw(t, "samples") {
			text = append(text, texts[rapid.SampledFrom(all).Draw(t, "sample")]...)
		}
		want, wantOK := Read(string(text))
		p := New()
		for rest := text; len(rest) > 0; {
			n := min(len(rest), rapid.IntRange(1, 200).Draw(t, "piece"))
			p.Write(rest[:n])
			rest = rest[n:]
		}
		got, ok := p.Report()
		if diff := cmp.Diff(want, got); diff != "" || ok != wantOK {
			t.Fatalf("in pieces it reads differently (-whole +pieces):\n%s", diff)
		}
	})
}

func FuzzParser(f *testing.F) {
	for _, path := range samples(f) {
		f.Add([]byte(sample(f, path)))
	}
	f.Add([]byte("\x1b[\r\r\n\x1b]x\n1..99999999999\nok 1\n<testsuites tests='-1'\n"))
	f.Add([]byte("PASS a.test.js\n x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := New()
		p.Write(data)
		whole, ok := p.Report()
		if whole.Total < 0 || whole.Passed < 0 || whole.Failed < 0 || whole.Skipped < 0 {
			t.Errorf("negative counts: %+v", whole)
		}
		if whole.Passed+whole.Failed+whole.Skipped > whole.Total {
			t.Errorf("parts exceed the total: %+v", whole)
		}
		if len(whole.Failing) > maxFailing {
			t.Errorf("%d failing tests are kept", len(whole.Failing))
		}
		checkNames(t, whole)
		if ok == (whole.Framework == "") {
			t.Errorf("seen = %v by %q", ok, whole.Framework)
		}
		if twice, _ := p.Report(); !cmp.Equal(whole, twice) {
			t.Errorf("asked twice, it says something else:\n%s", cmp.Diff(whole, twice))
		}
		p = New()
		for i := range data {
			p.Write(data[i : i+1])
		}
		if pieces, again := p.Report(); again != ok || !cmp.Equal(whole, pieces) {
			t.Errorf("byte by byte it reads differently:\n%s", cmp.Diff(whole, pieces))
		}
	})
}

// BenchmarkParser reads what gates mostly print: the talk of a build, then tests.
func BenchmarkParser(b *testing.B) {
	var text bytes.Buffer
	for i := range 2000 {
		fmt.Fprintf(&text, "   Compiling some-crate-%d v1.0.%d (registry+https://example.com/index)\n", i, i)
		fmt.Fprintf(&text, "src/module_%d.ts:12:34 - warning: this value is never read afterwards\n", i)
		fmt.Fprintf(&text, "time=2026-01-01T00:00:00Z level=INFO msg=\"request served\" path=/items/%d\n", i)
		fmt.Fprintf(&text, "\x1b[32m✓\x1b[0m something that went well in the build step (%d ms)\n", i)
		fmt.Fprintf(&text, "--- PASS: TestNumber%d (0.00s)\n", i)
	}
	text.WriteString("ok  \texample.com/calc\t0.01s\n")
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		p := New()
		p.Write(text.Bytes())
		if _, ok := p.Report(); !ok {
			b.Fatal("nothing seen")
		}
	}
}
