package fakemodel

import (
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"testing"
	"time"
)

func TestEachKindOfErrorIsSaidTheVendorsWay(t *testing.T) {
	type row struct {
		status int
		kind   string
	}
	tests := map[string][4]row{ // in the order of tongues
		"auth":        {{401, "authentication_error"}, {401, "invalid_request_error"}, {401, "invalid_request_error"}, {401, "UNAUTHENTICATED"}},
		"rate_limit":  {{429, "rate_limit_error"}, {429, "requests"}, {429, "requests"}, {429, "RESOURCE_EXHAUSTED"}},
		"overloaded":  {{529, "overloaded_error"}, {503, "server_error"}, {503, "server_error"}, {503, "UNAVAILABLE"}},
		"server":      {{500, "api_error"}, {500, "server_error"}, {500, "server_error"}, {500, "INTERNAL"}},
		"bad_request": {{400, "invalid_request_error"}, {400, "invalid_request_error"}, {400, "invalid_request_error"}, {400, "INVALID_ARGUMENT"}},
		"context":     {{400, "invalid_request_error"}, {400, "invalid_request_error"}, {400, "invalid_request_error"}, {400, "INVALID_ARGUMENT"}},
		"model":       {{404, "not_found_error"}, {404, "invalid_request_error"}, {404, "invalid_request_error"}, {404, "NOT_FOUND"}},
		"quota":       {{400, "invalid_request_error"}, {429, "insufficient_quota"}, {429, "insufficient_quota"}, {429, "RESOURCE_EXHAUSTED"}},
		"usage_limit": {{429, "rate_limit_error"}, {429, "usage_limit_reached"}, {429, "usage_limit_reached"}, {429, "RESOURCE_EXHAUSTED"}},
	}
	for kind := range presets {
		for i, g := range tongues {
			status, said := g.failure(t, Error{Kind: kind})
			got := row{status, said.text("type")}
			if g.name == "gemini" {
				got.kind = said.text("status")
			}
			if got != tests[kind][i] {
				t.Errorf("%s in %s = %v, want %v", kind, g.name, got, tests[kind][i])
			}
			if said.text("message") == "" {
				t.Errorf("%s in %s says nothing", kind, g.name)
			}
		}
	}
}

// failure asks a server that answers with an error, and gives the status and
// the error.
func (g tongue) failure(t *testing.T, e Error) (int, object) {
	t.Helper()
	s := Start(t, Script{Turns: []Turn{{Error: &e}}})
	answer := post(t, t.Context(), s.URL+g.path, streaming(g))
	var o object
	decode(t, answer, &o)
	return answer.StatusCode, o.object("error")
}

func TestAStatusAloneTellsTheKind(t *testing.T) {
	for status, want := range map[int]string{400: "invalid_request", 403: "invalid_api_key", 429: "rate_limit_exceeded", 503: "server_is_overloaded", 502: "server_error"} {
		got, said := tongues[2].failure(t, Error{Status: status})
		if got != status || said.text("code") != want {
			t.Errorf("status %d came as %d with code %q, want %q", status, got, said.text("code"), want)
		}
	}
}

func TestAScriptOverridesAnErrorsPreset(t *testing.T) {
	status, said := tongues[2].failure(t, Error{Kind: "auth", Status: 418, Type: "t", Code: "c", Message: "m"})
	if status != 418 || said.text("type") != "t" || said.text("code") != "c" || said.text("message") != "m" {
		t.Errorf("got %d %v, want what the script says", status, said)
	}
	s := Start(t, Script{Turns: []Turn{{Error: &Error{Kind: "server", Body: json.RawMessage(`"gone"`), Headers: map[string]string{"retry-after": "7"}}}}})
	answer := post(t, t.Context(), s.URL+"/v1/messages", streaming(tongues[0]))
	body, err := io.ReadAll(answer.Body)
	if err != nil || string(body) != "\"gone\"\n" || answer.Header.Get("retry-after") != "7" {
		t.Errorf("got %q with retry-after %q, want the script's body and header", body, answer.Header.Get("retry-after"))
	}
}

func TestAUsageLimitSaysWhenItIsOver(t *testing.T) {
	e := Error{Kind: "usage_limit", ResetsInS: 3600}
	before := time.Now().Unix() + 3600
	s := Start(t, Script{Turns: []Turn{{Error: &e}}})
	h := post(t, t.Context(), s.URL+"/v1/messages", streaming(tongues[0])).Header
	_, said := tongues[1].failure(t, e)
	after := time.Now().Unix() + 3600
	header, err := strconv.ParseInt(h.Get("anthropic-ratelimit-unified-reset"), 10, 64)
	if err != nil || header < before || header > after {
		t.Errorf("Anthropic's header says %d, want one hour from now (%d)", header, before)
	}
	if got := int64(said.number("resets_at")); got < before || got > after {
		t.Errorf("OpenAI's error says %d, want one hour from now (%d)", got, before)
	}
}

func decode(t *testing.T, answer *http.Response, v any) {
	t.Helper()
	if err := json.NewDecoder(answer.Body).Decode(v); err != nil {
		t.Fatal(err)
	}
}
