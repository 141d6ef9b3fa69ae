package journal

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/refrain-loop/refrain/internal/loop"
)

var noon = time.Date(2026, 11, 5, 12, 0, 0, 0, time.UTC)

func TestEncodeWritesTheNamesThatScriptsRelyOn(t *testing.T) {
	tests := []struct {
		name  string
		event loop.Event
		want  string
	}{
		{
			"the payload stands beside the head",
			loop.Event{Seq: 12, Time: noon, Run: "loop_1", Iter: 3, Attempt: 1, Payload: &loop.IterationPhase{Phase: loop.Gates}},
			`{"seq":12,"time":"2026-11-05T12:00:00.000Z","run":"loop_1","iter":3,"attempt":1,"type":"iteration.phase","phase":"gates"}`,
		},
		{
			"an event of the run has no iteration",
			loop.Event{Seq: 1, Time: noon, Run: "loop_1", Payload: &loop.Warning{Text: "a <b> & c"}},
			`{"seq":1,"time":"2026-11-05T12:00:00.000Z","run":"loop_1","type":"warning","text":"a <b> & c"}`,
		},
		{
			"a payload without fields adds none",
			loop.Event{Seq: 2, Time: noon, Run: "loop_1", Iter: 1, Attempt: 1, Payload: &loop.IterationStarted{}},
			`{"seq":2,"time":"2026-11-05T12:00:00.000Z","run":"loop_1","iter":1,"attempt":1,"type":"iteration.started"}`,
		},
		{
			"a time elsewhere is written in UTC and whole milliseconds",
			loop.Event{Seq: 3, Time: noon.Add(1999 * time.Microsecond).In(time.FixedZone("", 3600)), Payload: &loop.Unknown{Name: "later.thing"}},
			`{"seq":3,"time":"2026-11-05T12:00:00.001Z","run":"","type":"later.thing"}`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Encode(tt.event)
			if err != nil || string(got) != tt.want {
				t.Errorf("Encode =\n%s, %v, want\n%s", got, err, tt.want)
			}
		})
	}
}

func TestEncodeRefusesWhatJSONCannotHold(t *testing.T) {
	tests := []struct {
		name  string
		event loop.Event
	}{
		{"a cost that is no number", loop.Event{Time: noon, Payload: &loop.AgentUsage{Usage: loop.Usage{CostUSD: math.NaN()}}}},
		{"a year of five digits", loop.Event{Time: noon.AddDate(10000, 0, 0), Payload: &loop.Warning{}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if line, err := Encode(tt.event); err == nil {
				t.Errorf("Encode = %s, want an error", line)
			}
		})
	}
}

func TestEveryEventComesBackAsItWas(t *testing.T) {
	for _, typ := range loop.Types() {
		t.Run(string(typ), func(t *testing.T) {
			want := loop.Event{Seq: 7, Time: noon, Run: "loop_1", Iter: 2, Attempt: 3, Payload: loop.NewPayload(typ)}
			fill(reflect.ValueOf(want.Payload).Elem())
			line, err := Encode(want)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Decode(line)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Decode(%s) differs (-want +got):\n%s", line, diff)
			}
		})
	}
}

// fill gives every field of a payload a value that is not its zero.
func fill(v reflect.Value) {
	switch x := v.Addr().Interface().(type) {
	case *time.Time:
		*x = noon
		return
	case *loop.Millis:
		*x = loop.Millis(5 * time.Second)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fill(v.Index(0))
	case reflect.String:
		v.SetString("text\n\"quoted\"\u2028")
	case reflect.Int:
		v.SetInt(3)
	case reflect.Float64:
		v.SetFloat(0.42)
	case reflect.Bool:
		v.SetBool(true)
	}
}

func TestNoPayloadUsesANameOfTheHead(t *testing.T) {
	taken := map[string]bool{"seq": true, "time": true, "run": true, "iter": true, "attempt": true, "type": true}
	for _, typ := range loop.Types() {
		fields := reflect.TypeOf(loop.NewPayload(typ)).Elem()
		for i := range fields.NumField() {
			name, _, _ := strings.Cut(fields.Field(i).Tag.Get("json"), ",")
			if taken[strings.ToLower(name)] {
				t.Errorf("%s has a field %q, which every event has", typ, name)
			}
		}
	}
}

func TestDecodeOfOtherVersionsAndOtherFiles(t *testing.T) {
	const rest = `"seq":1,"time":"2026-11-05T12:00:00.000Z","run":"loop_1"`
	tests := []struct {
		name string
		line string
		want loop.Payload // nil is an error
	}{
		{"an unknown field is skipped", `{` + rest + `,"type":"iteration.phase","phase":"gates","mood":"good"}`, &loop.IterationPhase{Phase: loop.Gates}},
		{"an unknown type is kept as such", `{` + rest + `,"type":"later.thing","x":1}`, &loop.Unknown{Name: "later.thing"}},
		{"no type", `{` + rest + `}`, nil},
		{"no time", `{"seq":1,"type":"warning"}`, nil},
		{"a field of another kind", `{` + rest + `,"type":"warning","text":5}`, nil},
		{"no object", `null`, nil},
		{"half a line", `{` + rest + `,"type":"warn`, nil},
		{"two lines in one", `{` + rest + `,"type":"warning"}{}`, nil},
		{"nothing", ``, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := Decode([]byte(tt.line))
			if (err != nil) != (tt.want == nil) || !reflect.DeepEqual(got.Payload, tt.want) {
				t.Errorf("Decode(%s) = %+v, %v, want %+v", tt.line, got.Payload, err, tt.want)
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	for _, typ := range loop.Types() {
		line, err := Encode(loop.Event{Seq: 1, Time: noon, Run: "loop_1", Iter: 1, Attempt: 2, Payload: loop.NewPayload(typ)})
		if err != nil {
			f.Fatal(err)
		}
		f.Add(line)
	}
	f.Add([]byte(`{"seq":1,"time":"0000-01-01T00:00:00+23:59","type":"x"}`))
	f.Add([]byte("{\"seq\":1,\"time\":\"2026-11-05T12:00:00Z\",\"type\":\"warning\",\"text\":\"\xff\"}"))
	f.Fuzz(func(t *testing.T, line []byte) {
		first, err := Decode(line)
		if err != nil {
			return
		}
		again, err := Encode(first)
		if err != nil {
			t.Fatalf("Decode took %q, but Encode does not: %v", line, err)
		}
		if !json.Valid(again) || strings.ContainsAny(string(again), "\n\x00") {
			t.Fatalf("Encode gave %q, which is no line of JSON", again)
		}
		second, err := Decode(again)
		if err != nil {
			t.Fatalf("Encode gave %q, but Decode does not take it: %v", again, err)
		}
		if diff := cmp.Diff(asJSON(t, first), asJSON(t, second)); diff != "" {
			t.Errorf("%q comes back different (-first +second):\n%s", line, diff)
		}
	})
}

// asJSON makes values comparable that differ only in how Go holds them: an
// empty list and none, a zone and its offset.
func asJSON(t rapid.TB, v any) string {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
