package telemetry

import (
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/view"
)

// Settings say what is wanted and of which run.
type Settings struct {
	RunID   string // loop_…
	Version string // of this program

	Seen *view.Run    // what is known of a run that goes on; nil for a new one
	Tail []loop.Event // what its journal has after the last iteration.finished

	Endpoint string            // trace.endpoint: a collector's base URL
	Headers  map[string]string // trace.headers
	File     files.Named       // metrics.file
	Listen   string            // metrics.listen

	// Env gives a variable of the environment; nil is an empty one.
	Env func(string) string
	// Warn hears what a person should know. It is called from a goroutine of
	// this package, never from inside Observe, until Close returns.
	Warn func(loop.Warning)
}

func (s Settings) env(name string) string {
	if s.Env == nil {
		return ""
	}
	return strings.TrimSpace(s.Env(name))
}

// tracesPath is where a collector takes spans, below its base URL.
const tracesPath = "/v1/traces"

// target is where spans go, and with which headers.
type target struct {
	url     string
	host    string
	headers map[string]string
}

// target finds the collector: trace.endpoint, else the variables that every
// OpenTelemetry program reads. It is nil when neither asks for traces. Headers
// of the environment belong to the endpoint of the environment: whoever can
// write a settings file must not be able to send them elsewhere.
func (s Settings) target() (*target, error) {
	if s.Endpoint != "" {
		return newTarget("trace.endpoint", s.Endpoint, true, s.Headers)
	}
	if s.environmentIsForOthers() {
		return nil, nil
	}
	const specific, general = "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT"
	name, isBase := specific, false
	if s.env(name) == "" {
		name, isBase = general, true
	}
	if s.env(name) == "" {
		return nil, nil
	}
	headers := map[string]string{}
	for _, name := range []string{"OTEL_EXPORTER_OTLP_HEADERS", "OTEL_EXPORTER_OTLP_TRACES_HEADERS"} {
		pairs, err := readPairs(s.env(name))
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		maps.Copy(headers, pairs)
	}
	maps.Copy(headers, s.Headers)
	return newTarget(name, s.env(name), isBase, headers)
}

// environmentIsForOthers tells whether the variables switch traces off, or
// name an endpoint that does not speak HTTP: then they are meant for the agent.
func (s Settings) environmentIsForOthers() bool {
	protocol := s.env("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
	if protocol == "" {
		protocol = s.env("OTEL_EXPORTER_OTLP_PROTOCOL")
	}
	exporters := s.env("OTEL_TRACES_EXPORTER")
	return strings.EqualFold(s.env("OTEL_SDK_DISABLED"), "true") ||
		protocol == "grpc" ||
		exporters != "" && !strings.Contains(exporters, "otlp")
}

func newTarget(key, endpoint string, isBase bool, headers map[string]string) (*target, error) {
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		// The address itself may hold a password, so it is not repeated.
		return nil, fmt.Errorf("%s is not the address of a collector: write it as http://localhost:4318", key)
	}
	if isBase && !strings.HasSuffix(u.Path, tracesPath) {
		u = u.JoinPath(tracesPath)
	}
	return &target{url: u.String(), host: u.Host, headers: headers}, nil
}

// resource says who sends: this program, unless the environment says otherwise.
func (s Settings) resource() (resource, error) {
	values := map[string]string{serviceName: "refrain"}
	if s.Version != "" {
		values[serviceVersion] = s.Version
	}
	const name = "OTEL_RESOURCE_ATTRIBUTES"
	pairs, err := readPairs(s.env(name))
	if err != nil {
		return resource{}, fmt.Errorf("read %s: %w", name, err)
	}
	maps.Copy(values, pairs)
	if service := s.env("OTEL_SERVICE_NAME"); service != "" {
		values[serviceName] = service
	}
	return newResource(values), nil
}

// readPairs reads "a=1,b=2" as the OTEL_ variables have it, where a value may
// be percent-encoded. What it complains of may be a secret, so it only says
// which pair it is.
func readPairs(text string) (map[string]string, error) {
	pairs := map[string]string{}
	for i, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		key, value, ok := strings.Cut(pair, "=")
		value, err := url.PathUnescape(strings.TrimSpace(value))
		if key = strings.TrimSpace(key); key == "" || !ok || err != nil {
			return nil, fmt.Errorf("pair %d is not of the form key=value: separate pairs with commas, and write a comma in a value as %%2C", i+1)
		}
		pairs[key] = value
	}
	return pairs, nil
}

func newResource(values map[string]string) resource {
	var r resource
	for _, key := range slices.Sorted(maps.Keys(values)) {
		r.Attributes = append(r.Attributes, attribute{key, textValue{values[key]}})
	}
	return r
}
