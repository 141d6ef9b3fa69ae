package telemetry

import (
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestMetricsAreServedToThisMachine(t *testing.T) {
	m := newTestMetrics(t, Settings{})
	addr, err := m.Serve("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	newTeller(m).night()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for _, tt := range []struct {
		what, method, path, host string
		status                   int
		kind                     string
	}{
		{"as Prometheus asks", "GET", "/metrics", "", 200, "text/plain; version=0.0.4; charset=utf-8"},
		{"under a name of this machine", "GET", "/metrics", "localhost:9464", 200, "text/plain; version=0.0.4; charset=utf-8"},
		{"as JSON", "GET", "/metrics?format=json", "", 200, "application/json"},
		{"in a format that is not known", "GET", "/metrics?format=xml", "", 400, ""},
		{"elsewhere", "GET", "/", "", 404, ""},
		{"to change them", "POST", "/metrics", "", 405, ""},
		{"by a web page under its own name", "GET", "/metrics", "evil.example", 403, ""},
	} {
		r, err := http.NewRequestWithContext(t.Context(), tt.method, "http://"+addr.String()+tt.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Host = tt.host
		answer, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil || answer.StatusCode != tt.status || tt.kind != "" && answer.Header.Get("Content-Type") != tt.kind {
			t.Errorf("asked %s: %s with %v, %v", tt.what, answer.Status, answer.Header, err)
		}
		switch {
		case tt.status != 200:
		case tt.kind == "application/json":
			if !json.Valid(body) {
				t.Errorf("asked %s: %s", tt.what, body)
			}
		default:
			if _, err := parse(body); err != nil {
				t.Errorf("asked %s: %v", tt.what, err)
			}
		}
	}
	if err := m.Close(t.Context()); err != nil {
		t.Errorf("Close: %v", err)
	}
}

func TestOnlyThisMachineMayListen(t *testing.T) {
	for _, addr := range []string{":9464", "0.0.0.0:9464", "[::]:9464", "192.168.1.2:9464", "example.com:9464", "9464", ""} {
		m, err := NewMetrics(Settings{Listen: addr})
		if addr == "" {
			if err != nil || m.server != nil {
				t.Errorf("without an address there is %v, %v", m.server, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), "metrics.listen") {
			t.Errorf("listening on %q gives %v, want an error that names metrics.listen", addr, err)
		}
	}
}

func TestAnAddressThatIsTakenIsAnError(t *testing.T) {
	first := newTestMetrics(t, Settings{})
	addr, err := first.Serve("localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewMetrics(Settings{Listen: addr.String()}); err == nil || !strings.Contains(err.Error(), "metrics.listen") {
		t.Errorf("listening twice gives %v", err)
	}
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
}
