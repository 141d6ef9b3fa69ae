package conformance

import (
	"slices"
	"testing"
	"testing/fstest"
)

func TestStoriesAreFoundInBothPlaces(t *testing.T) {
	repository := fstest.MapFS{
		commandLine + "/promise.txtar":    {Data: []byte("# END-01\nexits 0 x\n")},
		commandLine + "/life-rooda.txtar": {Data: []byte("# LIM-01\nexits 0 x\n")},
		"own_test.go":                     {Data: []byte("// Nothing of a row.\nfunc TestOther(t *testing.T) {}\n\n// API-14\n// A run can be made.\nfunc ExampleRun() {}\n")},
	}
	for _, system := range Systems {
		repository["conformance/testdata/"+system+"/limits.txtar"] = &fstest.MapFile{Data: []byte("# LIM-01\nexits 0 x\n")}
	}
	stories, err := Stories(repository)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range stories {
		got = append(got, s.Test+" "+s.System)
	}
	want := []string{
		"ExampleRun ",
		"TestStories/tachikoma/limits tachikoma", "TestStories/rooda/limits rooda",
		"TestStories/fresher/limits fresher", "TestStories/descartes/limits descartes", "TestScripts/life-rooda rooda", "TestScripts/promise ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("Stories() = %q, want %q", got, want)
	}
	delete(repository, "conformance/testdata/rooda/limits.txtar")
	if _, err := Stories(repository); err == nil {
		t.Error("Stories() of a repository without those of rooda is no error")
	}
}

func TestACommentOfRowsStandsAboveATest(t *testing.T) {
	repository := fstest.MapFS{"own_test.go": {Data: []byte("// API-14\nvar x = 1\n\nfunc TestX(t *testing.T) {}\n")}}
	if _, err := libraryStories(repository); err == nil {
		t.Error("a comment with rows above a variable is no error")
	}
}
