package telemetry

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/text"
)

// The messages of OTLP that a trace needs, as its JSON has them: whole numbers
// of 64 bits are strings, enumerations are numbers.

type export struct {
	ResourceSpans []resourceSpans `json:"resourceSpans"`
}

type resourceSpans struct {
	Resource   resource     `json:"resource"`
	ScopeSpans []scopeSpans `json:"scopeSpans"`
}

type resource struct {
	Attributes []attribute `json:"attributes"`
}

type scopeSpans struct {
	Scope scope  `json:"scope"`
	Spans []span `json:"spans"`
}

type scope struct {
	Name    string `json:"name"`
	Version string `json:"version,omitempty"`
}

// span is one thing that took time.
type span struct {
	Trace  traceID `json:"traceId"`
	ID     spanID  `json:"spanId"`
	Parent spanID  `json:"parentSpanId,omitzero"`
	Name   string  `json:"name"`
	Kind   int     `json:"kind"`
	Start  nanos   `json:"startTimeUnixNano,string"`
	End    nanos   `json:"endTimeUnixNano,string"`

	Attributes []attribute `json:"attributes,omitempty"`
	Events     []moment    `json:"events,omitempty"`
	Dropped    int         `json:"droppedEventsCount,omitempty"`
	Status     status      `json:"status"`
}

// moment is something that happened within a span.
type moment struct {
	Time       nanos       `json:"timeUnixNano,string"`
	Name       string      `json:"name"`
	Attributes []attribute `json:"attributes,omitempty"`
}

type status struct {
	Message string `json:"message,omitempty"`
	Code    int    `json:"code,omitempty"`
}

// Words of OTLP for enumerations.
const (
	kindInternal = 1
	statusError  = 2
)

// nanos is a time as OTLP counts it.
type nanos int64

func nanosOf(t time.Time) nanos { return nanos(t.UnixNano()) }

type attribute struct {
	Key   string `json:"key"`
	Value any    `json:"value"` // one of the four below
}

type (
	textValue struct {
		Text string `json:"stringValue"`
	}
	wholeValue struct {
		Whole int64 `json:"intValue,string"`
	}
	numberValue struct {
		Number float64 `json:"doubleValue"`
	}
	truthValue struct {
		Truth bool `json:"boolValue"`
	}
)

// maxText is how long a text may be: an attribute is for looking at, and the
// journal has the rest.
const maxText = 1000

// The makers of attributes give none for what is not known.

func textAttr[T ~string](key string, value T) []attribute {
	if value == "" {
		return nil
	}
	return []attribute{{key, textValue{text.Cut(string(value), maxText)}}}
}

func known(key string, n int) []attribute {
	if n == 0 {
		return nil
	}
	return whole(key, n)
}

func whole(key string, n int) []attribute { return []attribute{{key, wholeValue{int64(n)}}} }

func truth(key string, yes bool) []attribute { return []attribute{{key, truthValue{yes}}} }

// traceID and spanID are hexadecimal in JSON: OTLP wants these two so, against
// the rule for bytes in protobuf's JSON.
type (
	traceID [16]byte
	spanID  [8]byte
)

func (t traceID) String() string               { return hex.EncodeToString(t[:]) }
func (t traceID) MarshalText() ([]byte, error) { return []byte(t.String()), nil }
func (s spanID) String() string                { return hex.EncodeToString(s[:]) }
func (s spanID) MarshalText() ([]byte, error)  { return []byte(s.String()), nil }

// traceOf is the trace of a run: the number in its id, so that a person who
// knows the one finds the other, and a runner that goes on finds it too.
func traceOf(run string) traceID {
	number, err := hex.DecodeString(strings.ReplaceAll(strings.TrimPrefix(run, "loop_"), "-", ""))
	if err != nil || len(number) != len(traceID{}) {
		sum := sha256.Sum256([]byte(run))
		number = sum[:len(traceID{})]
	}
	return traceID(number)
}

// spanOf is the id of a part of a run. The same words give the same id, so it
// is known before the span is made, and to every runner.
func spanOf(run string, words ...any) spanID {
	sum := sha256.Sum256([]byte(run + " " + fmt.Sprintln(words...)))
	return spanID(sum[:8])
}

func rootOf(run string) spanID { return spanOf(run, "run") }

func attemptOf(run string, iter, attempt int) spanID { return spanOf(run, "attempt", iter, attempt) }
