package fakemodel

import (
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAServerTellsWhatItWasAsked(t *testing.T) {
	s := Start(t, Script{Turns: abc})
	g := tongues[2]
	g.stream(t, s, nil)
	g.stream(t, s, []string{"Bash"})
	g.stream(t, s, []string{"Bash"})
	want := State{
		Requests: 3, Main: 2, Side: 1, Played: []string{"side", "turn 0", "turn 1"},
		ByPath: map[string]int{"POST /v1/chat/completions": 3},
	}
	if diff := cmp.Diff(want, s.State()); diff != "" {
		t.Errorf("state (-want +got):\n%s", diff)
	}
}

func TestWhatAgentsAskBesidesReplies(t *testing.T) {
	tests := []struct {
		name, method, path string
		status             int
		has                string // a key of the answer
	}{
		{"a token count", "POST", "/v1/messages/count_tokens", 200, "input_tokens"},
		{"Gemini's token count", "POST", "/v1beta/models/m:countTokens", 200, "totalTokens"},
		{"the models", "GET", "/v1/models", 200, "data"},
		{"one model", "GET", "/v1/models/gpt-5", 200, "data"},
		{"Gemini's models", "GET", "/v1beta/models", 200, "models"},
		{"whether anybody is there", "HEAD", "/", 200, ""},
		{"what nobody offers", "POST", "/v1/embeddings", 404, "error"},
		{"a reply, but not by POST", "GET", "/v1/messages", 404, "error"},
	}
	s := Start(t, Script{Turns: abc})
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := http.NewRequestWithContext(t.Context(), tt.method, s.URL+tt.path, nil)
			if err != nil {
				t.Fatal(err)
			}
			answer, err := s.http.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			defer answer.Body.Close()
			if answer.StatusCode != tt.status {
				t.Errorf("status %d, want %d", answer.StatusCode, tt.status)
			}
			if tt.has == "" {
				return
			}
			var o object
			if decode(t, answer, &o); o[tt.has] == nil {
				t.Errorf("the answer %v has no %q", o, tt.has)
			}
		})
	}
	if got := s.State().Main; got != 0 {
		t.Errorf("%d turns were taken, want none", got)
	}
}

func FuzzRequest(f *testing.F) {
	for _, g := range tongues {
		f.Add(g.path, []byte(encode(g.ask([]string{"Bash", "Write"}, []bool{true, false, true}))))
	}
	f.Add("/v1/messages", []byte(`{"messages":[1,null],"tools":{"a":[]},"model":3}`))
	f.Fuzz(func(t *testing.T, path string, body []byte) {
		d := dialectAt(path)
		if d == nil {
			t.Skip("not ours")
		}
		q := read(d, path, body)
		q.calls(said)
	})
}
