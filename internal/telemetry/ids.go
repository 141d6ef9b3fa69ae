package telemetry

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

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
