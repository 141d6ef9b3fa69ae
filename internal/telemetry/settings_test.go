package telemetry

import (
	"fmt"
	"strings"
	"testing"
)

func TestWhereSpansGo(t *testing.T) {
	type vars map[string]string
	for _, tt := range []struct {
		what     string
		endpoint string
		env      vars
		url      string
		headers  string
	}{
		{"nowhere unless asked", "", nil, "", ""},
		{"the path is added to a base", "http://localhost:4318", nil, "http://localhost:4318/v1/traces", "map[Own:1]"},
		{"to one with a path, too", "https://c.example/otlp/", nil, "https://c.example/otlp/v1/traces", "map[Own:1]"},
		{"a whole address is taken as it is", "https://c.example/v1/traces", nil, "https://c.example/v1/traces", "map[Own:1]"},
		{"the environment's base", "", vars{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318"}, "http://c:4318/v1/traces", "map[Own:1]"},
		{
			"the environment's own for traces wins, and is taken as it is", "",
			vars{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://t:1/in"},
			"http://t:1/in", "map[Own:1]",
		},
		{
			"headers of the environment", "",
			vars{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_HEADERS": "a=1, b = Bearer%20x ,Own=no", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "a=2"},
			"http://c/v1/traces", "map[Own:1 a:2 b:Bearer x]",
		},
		{
			"the settings win, and get no headers that were meant for another", "http://mine:4318",
			vars{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c", "OTEL_EXPORTER_OTLP_HEADERS": "key=secret"},
			"http://mine:4318/v1/traces", "map[Own:1]",
		},
		{"a gRPC endpoint is for others", "", vars{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, "", ""},
		{
			"gRPC, but not for traces", "",
			vars{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json"},
			"http://c:4318/v1/traces", "map[Own:1]",
		},
		{"traces switched off", "", vars{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_TRACES_EXPORTER": "none"}, "", ""},
		{"everything switched off", "", vars{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://c:4318", "OTEL_SDK_DISABLED": "true"}, "", ""},
		{"but the settings still win", "http://mine", vars{"OTEL_SDK_DISABLED": "true"}, "http://mine/v1/traces", "map[Own:1]"},
	} {
		s := Settings{Endpoint: tt.endpoint, Headers: map[string]string{"Own": "1"}, Env: func(name string) string { return tt.env[name] }}
		to, err := s.target()
		if err != nil {
			t.Errorf("%s: %v", tt.what, err)
			continue
		}
		url, headers := "", ""
		if to != nil {
			url, headers = to.url, fmt.Sprint(to.headers)
		}
		if url != tt.url || headers != tt.headers {
			t.Errorf("%s: got %q with %s, want %q with %s", tt.what, url, headers, tt.url, tt.headers)
		}
	}
}

func TestMistakesNameTheirKeyAndNoSecret(t *testing.T) {
	for _, tt := range []struct{ what, key, value, own string }{
		{"no scheme", "trace.endpoint", "", "secret:4318"},
		{"another scheme", "trace.endpoint", "", "grpc://secret:4317"},
		{"no host", "trace.endpoint", "", "http:///secret"},
		{"not an address", "trace.endpoint", "", "http://a b secret"},
		{"in the environment", "OTEL_EXPORTER_OTLP_ENDPOINT", "secret:4318", ""},
		{"headers without a value", "OTEL_EXPORTER_OTLP_HEADERS", "a=1,secret", ""},
		{"headers that are not encoded", "OTEL_EXPORTER_OTLP_HEADERS", "a=%secret", ""},
		{"a resource", "OTEL_RESOURCE_ATTRIBUTES", "=secret", ""},
	} {
		tracer, err := NewTracer(Settings{RunID: runID, Endpoint: tt.own, Env: func(name string) string {
			switch name {
			case tt.key:
				return tt.value
			case "OTEL_EXPORTER_OTLP_ENDPOINT":
				return "http://collector"
			}
			return ""
		}})
		if err == nil || tracer != nil || !strings.Contains(err.Error(), tt.key) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: got %v, want an error that names %s and gives nothing away", tt.what, err, tt.key)
		}
	}
}

func TestWhoSends(t *testing.T) {
	s := Settings{Version: "1", Env: func(name string) string {
		return map[string]string{"OTEL_RESOURCE_ATTRIBUTES": "service.name=a,host.name=box", "OTEL_SERVICE_NAME": "b"}[name]
	}}
	got, err := s.resource()
	want := newResource(map[string]string{"service.name": "b", "service.version": "1", "host.name": "box"})
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("resource is %v, %v; want %v", got, err, want)
	}
}
