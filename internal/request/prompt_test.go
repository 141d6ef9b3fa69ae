package request

import "testing"

func TestWhatTellsAPrompt(t *testing.T) {
	for _, tt := range []struct {
		name string
		req  Request
		want string
	}{
		{"the prompt of a run", Request{Prompt: "Fix it"}, "whole"},
		{"a sentence to a run", Request{Words: "Fix it"}, "whole"},
		{"a sentence to a procedure", Request{Procedure: "plan", Words: "Add an export"}, "Add an export"},
		{"a procedure alone", Request{Procedure: "build"}, ""},
		{"more for a procedure", Request{Procedure: "build", Context: []string{"Go only."}}, ""},
		{"a prompt in the place of a procedure's", Request{Procedure: "build", Prompt: "Fix it"}, "whole"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, err := Load(t.TempDir(), tt.req)
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Telling("whole"); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
