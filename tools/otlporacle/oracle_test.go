// Package otlporacle asks protobuf whether it can read what package telemetry sends.
// It is a module of its own, so that nobody who imports Refrain inherits protobuf.
package otlporacle

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protojson"
)

// Every body that the tests of package telemetry see, a random run's too, is one
// that protobuf reads.
func TestProtobufReadsWhatIsSent(t *testing.T) {
	folder := t.TempDir()
	run := exec.Command("go", "test", "-count=1", "-run", "Span|Night|Run", "./internal/telemetry")
	run.Dir = "../.."
	run.Env = append(os.Environ(), "REFRAIN_OTLP_BODIES="+folder)
	if out, err := run.CombinedOutput(); err != nil {
		t.Fatalf("the tests that make bodies: %v\n%s", err, out)
	}
	bodies, err := filepath.Glob(filepath.Join(folder, "*.json"))
	if err != nil || len(bodies) < 20 {
		t.Fatalf("the tests made %d bodies, %v; want one for each run that they play", len(bodies), err)
	}
	spans := 0
	for _, name := range bodies {
		body, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		data, err := decode(body)
		if err != nil {
			t.Errorf("protobuf cannot read %s: %v", body, err)
			continue
		}
		for _, s := range data.ResourceSpans[0].ScopeSpans[0].Spans {
			spans++
			if len(s.TraceId) != 16 || len(s.SpanId) != 8 || s.Kind != tracev1.Span_SPAN_KIND_INTERNAL || s.StartTimeUnixNano == 0 {
				t.Errorf("protobuf reads a span as %v", s)
			}
		}
	}
	t.Logf("%d bodies with %d spans", len(bodies), spans)
}

// decode reads a body as strictly as protobuf can. OTLP's JSON differs from
// protobuf's in the ids, which are hexadecimal and not base64: they are
// changed before. What protobuf is lenient in is looked at as well: 64-bit
// numbers must be strings, enumerations numbers, and names in camel case.
func decode(body []byte) (*tracev1.TracesData, error) {
	var tree any
	if err := json.Unmarshal(body, &tree); err != nil {
		return nil, err
	}
	if err := toProtobuf(tree); err != nil {
		return nil, err
	}
	changed, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	var data tracev1.TracesData
	return &data, protojson.Unmarshal(changed, &data)
}

func toProtobuf(tree any) error {
	switch tree := tree.(type) {
	case []any:
		for _, one := range tree {
			if err := toProtobuf(one); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, value := range tree {
			text, isText := value.(string)
			_, isNumber := value.(float64)
			if strings.Contains(key, "_") {
				return fmt.Errorf("%s is not in camel case", key)
			}
			switch key {
			case "traceId", "spanId", "parentSpanId":
				id, err := hex.DecodeString(text)
				if err != nil || !isText {
					return fmt.Errorf("%s %v is not hexadecimal", key, value)
				}
				tree[key] = base64.StdEncoding.EncodeToString(id)
			case "startTimeUnixNano", "endTimeUnixNano", "timeUnixNano", "intValue":
				if !isText {
					return fmt.Errorf("%s %v is not a string", key, value)
				}
			case "kind", "code":
				if !isNumber {
					return fmt.Errorf("%s %v is not a number", key, value)
				}
			}
			if err := toProtobuf(value); err != nil {
				return err
			}
		}
	}
	return nil
}
