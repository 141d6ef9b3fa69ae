package telemetry

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// What a collector understands of a body, by our own reading of OTLP's JSON. It
// is strict where protobuf is: no field that is not known, ids in hexadecimal,
// numbers of 64 bits as strings. Whether protobuf agrees is asked in the module
// oracle, which is the only one that needs protobuf.

type received struct {
	TraceID      id         `json:"traceId"`
	SpanID       id         `json:"spanId"`
	ParentSpanID id         `json:"parentSpanId"`
	Name         string     `json:"name"`
	Kind         int        `json:"kind"`
	Start        big        `json:"startTimeUnixNano"`
	End          big        `json:"endTimeUnixNano"`
	Attributes   []keyValue `json:"attributes"`
	Events       []struct {
		Time       big        `json:"timeUnixNano"`
		Name       string     `json:"name"`
		Attributes []keyValue `json:"attributes"`
	} `json:"events"`
	Dropped int    `json:"droppedEventsCount"`
	Status  status `json:"status"`
}

type traces struct {
	ResourceSpans []struct {
		Resource struct {
			Attributes []keyValue `json:"attributes"`
		} `json:"resource"`
		ScopeSpans []struct {
			Scope scope      `json:"scope"`
			Spans []received `json:"spans"`
		} `json:"scopeSpans"`
	} `json:"resourceSpans"`
}

type keyValue struct {
	Key   string `json:"key"`
	Value value  `json:"value"`
}

// value is one of the four that we send.
type value struct {
	Text   *string  `json:"stringValue"`
	Whole  *big     `json:"intValue"`
	Number *float64 `json:"doubleValue"`
	Truth  *bool    `json:"boolValue"`
}

func (v value) String() string {
	switch {
	case v.Text != nil:
		return *v.Text
	case v.Whole != nil:
		return fmt.Sprint(*v.Whole)
	case v.Number != nil:
		return fmt.Sprint(*v.Number)
	case v.Truth != nil:
		return fmt.Sprint(*v.Truth)
	}
	return "?"
}

// id is bytes that are hexadecimal.
type id []byte

func (i *id) UnmarshalText(text []byte) (err error) {
	*i, err = hex.DecodeString(string(text))
	return err
}

// big is a number that must be a string.
type big int64

func (b *big) UnmarshalJSON(data []byte) error {
	text, err := strconv.Unquote(string(data))
	if err != nil {
		return fmt.Errorf("%s is not a string", data)
	}
	n, err := strconv.ParseInt(text, 10, 64)
	*b = big(n)
	return err
}

func (r received) attribute(key string) string {
	for _, a := range r.Attributes {
		if a.Key == key {
			return a.Value.String()
		}
	}
	return ""
}

func (r received) events() (names []string) {
	for _, e := range r.Events {
		names = append(names, e.Name)
	}
	return names
}

// bodiesVar names a folder in which the module tools/otlporacle wants every body that
// these tests see.
const bodiesVar = "REFRAIN_OTLP_BODIES"

func decode(body []byte) (traces, error) {
	if folder := os.Getenv(bodiesVar); folder != "" {
		sum := sha256.Sum256(body)
		if err := os.WriteFile(filepath.Join(folder, hex.EncodeToString(sum[:8])+".json"), body, 0o600); err != nil {
			return traces{}, err
		}
	}
	var data traces
	in := json.NewDecoder(bytes.NewReader(body))
	in.DisallowUnknownFields()
	return data, in.Decode(&data)
}
