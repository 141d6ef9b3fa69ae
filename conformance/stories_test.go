package conformance

import (
	"slices"
	"testing"
	"testing/fstest"
)

func TestNamed(t *testing.T) {
	tests := []struct {
		name, script string
		want         []string
		wantErr      bool
	}{
		{"a line of ids", "# FAIL-01 FAIL-02\nexec true\n", []string{"FAIL-01", "FAIL-02"}, false},
		{"with the spec", "# RD: FAIL-01\n# What happens.\n", []string{"FAIL-01"}, false},
		{"several lines, each row once", "# RD: FAIL-01\n# T96: FAIL-01 API-02\n", []string{"FAIL-01", "API-02"}, false},
		{"ids that are no rows", "# FAIL-01 X-10 W-46 S-R01\n", []string{"FAIL-01"}, false},
		{"prose that has an id in it", "# As in FAIL-01 and FAIL-02.\n", nil, false},
		{"a comment inside a file", "exec true\n-- a --\n# FAIL-01\n", nil, false},
		{"a file at the very beginning", "-- a --\n# FAIL-01\n", nil, false},
		{"a spec without ids", "# RD: what happens\n", nil, true},
		{"a spec that nobody knows", "# XY: FAIL-01\n", nil, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := named(tt.script)
			if !slices.Equal(got, tt.want) || (err != nil) != tt.wantErr {
				t.Errorf("named(%q) = %q, %v; want %q, error %v", tt.script, got, err, tt.want, tt.wantErr)
			}
		})
	}
}

func TestStoriesAreFoundInBothPlaces(t *testing.T) {
	repository := fstest.MapFS{commandLine + "/promise.txtar": {Data: []byte("# END-01\n")}}
	for _, system := range Systems {
		repository["conformance/testdata/"+system+"/limits.txtar"] = &fstest.MapFile{Data: []byte("# LIM-01\n")}
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
		"TestStories/tachikoma/limits tachikoma", "TestStories/rooda/limits rooda",
		"TestStories/fresher/limits fresher", "TestStories/descartes/limits descartes", "TestScripts/promise ",
	}
	if !slices.Equal(got, want) {
		t.Errorf("Stories() = %q, want %q", got, want)
	}
	delete(repository, "conformance/testdata/rooda/limits.txtar")
	if _, err := Stories(repository); err == nil {
		t.Error("Stories() of a repository without those of rooda is no error")
	}
}
