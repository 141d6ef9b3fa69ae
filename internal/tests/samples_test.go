package tests

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write testdata/want.txt and named.txt anew")

// samples are the recorded outputs, by their path in testdata.
func samples(t testing.TB) []string {
	paths, err := filepath.Glob(filepath.Join("testdata", "*", "*.txt"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no samples in testdata: %v", err)
	}
	return paths
}

func sample(t testing.TB, path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestSamples holds every recorded output against testdata/want.txt: a line for
// the counts, and one for each failing test with the first line of its message.
// The file is written by -update, and each line of it is to be read by a person.
func TestSamples(t *testing.T) {
	var got strings.Builder
	for _, path := range samples(t) {
		name := strings.TrimSuffix(filepath.ToSlash(strings.TrimPrefix(path, "testdata"+string(filepath.Separator))), ".txt")
		report, ok := Read(sample(t, path))
		if !ok {
			fmt.Fprintf(&got, "%s: no tests seen\n", name)
			continue
		}
		fmt.Fprintf(&got, "%s: %s %d = %d passed, %d failed, %d skipped; %v\n", name, report.Framework,
			report.Total, report.Passed, report.Failed, report.Skipped, report.Duration)
		for _, f := range report.Failing {
			why, _, _ := strings.Cut(f.Message, "\n")
			fmt.Fprintf(&got, "\t%s | %s\n", f.Name, why)
		}
	}
	path := filepath.Join("testdata", "want.txt")
	if *update {
		if err := os.WriteFile(path, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(strings.Split(sample(t, path), "\n"), strings.Split(got.String(), "\n")); diff != "" {
		t.Errorf("samples (-want +got); if the new readings are true, run go test -update:\n%s", diff)
	}
}

func TestEveryFrameworkHasSamples(t *testing.T) {
	folders := make(map[string]bool)
	for _, path := range samples(t) {
		folders[filepath.Base(filepath.Dir(path))] = true
	}
	for _, f := range frameworks {
		if !folders[f.name] {
			t.Errorf("no samples of %s: put some in testdata/%s", f.name, f.name)
		}
		delete(folders, f.name)
	}
	for name := range folders {
		t.Errorf("testdata/%s has samples of a framework that is not in the table", name)
	}
}

// A sample adds up: what a summary says is what the parts say.
func TestSamplesAddUp(t *testing.T) {
	for _, path := range samples(t) {
		report, _ := Read(sample(t, path))
		if sum := report.Passed + report.Failed + report.Skipped; sum != report.Total {
			t.Errorf("%s: %d passed + %d failed + %d skipped is not %d", path, report.Passed, report.Failed, report.Skipped, report.Total)
		}
		if report.Failed < len(report.Failing) {
			t.Errorf("%s: %d failed, but %d are named: %v", path, report.Failed, len(report.Failing), report.Failing)
		}
	}
}
