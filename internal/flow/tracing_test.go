package flow

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// Traces are sent where the usual variables say so, and nowhere else.
func TestTracesAreSentWhereTheVariablesSayWhere(t *testing.T) {
	for _, tt := range []struct {
		name string
		env  map[string]string
		want bool
	}{
		{"nothing is set", nil, false},
		{"an endpoint", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, true},
		{"an endpoint for traces", map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, true},
		{"switched off", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_SDK_DISABLED": "true"}, false},
		{"no traces", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318", "OTEL_TRACES_EXPORTER": "none"}, false},
	} {
		if got := traced(func(key string) string { return tt.env[key] }); got != tt.want {
			t.Errorf("%s: traced = %t, want %t", tt.name, got, tt.want)
		}
	}
}

// What is asked of a server can be followed.
func TestARunIsTraced(t *testing.T) {
	at := realServer(t)
	var sent atomic.Int64
	collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/traces" && r.ContentLength > 0 {
			sent.Add(1)
		}
	}))
	t.Cleanup(collector.Close)
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	s, err := Dial(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	submit(t, s, specOf(t, "one"))
	s.Close()
	if sent.Load() == 0 {
		t.Error("no trace was sent")
	}
}
