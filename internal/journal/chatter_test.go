package journal

import (
	"bytes"
	"encoding/json"
	"iter"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/refrain-loop/refrain/internal/loop"
)

// reflected is a payload as encoding/json writes it, without its braces.
func reflected(t testing.TB, p loop.Payload) string {
	t.Helper()
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(p); err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSuffix(b.Bytes(), []byte("}\n"))[1:])
}

func FuzzChatter(f *testing.F) {
	f.Add("id", "na\"me", "out\\put \x01\x1f\x7f\b\f\t\r\n<>&\u2028\u2029\u2027\xff\xe2\x80 é 世界 0123456789abcdef\"0123456", true, 7, 0.25)
	f.Add("", "", "", false, 0, 0.0)
	f.Add("a\x00b", "\U0001f600", "1234567\"", true, -1, 1e-7)
	f.Add("", "", "12345678\x80", true, math.MaxInt, 1e21)
	f.Add("", "", "        \n        ", false, math.MinInt, -3.1)
	f.Add("", "", "\ufffd\xed\xa0\x80\xf4\x90\x80\x80\xc0\xaf", false, 1, math.Copysign(0, -1))
	f.Add("", "", "\x7f\u0080\u2028", false, 1, 5e-324)
	f.Add("", "", "", false, 1, math.Nextafter(1e21, 0))
	f.Add("", "", "", false, 1, math.Nextafter(1e-6, 0))
	f.Fuzz(func(t *testing.T, a, b, c string, yes bool, n int, cost float64) {
		if math.IsNaN(cost) || math.IsInf(cost, 0) {
			cost = 1
		}
		for _, p := range []loop.Payload{
			&loop.AgentText{Text: c, Cut: yes, Plain: !yes},
			&loop.AgentTool{ID: a, Name: b, Input: c, Shell: yes},
			&loop.AgentToolResult{ID: a, Name: b, Output: c, Failed: yes, Denied: !yes, Exit: &n},
			&loop.AgentToolResult{ID: a, Name: b, Output: c, Failed: yes},
			&loop.AgentToolResult{Exit: &n},
			&loop.AgentToolResult{},
			&loop.AgentUsage{Usage: loop.Usage{Input: n, Output: len(a), CacheRead: n / 2, CacheWrite: len(b), CostUSD: cost, CostEstimated: yes, ContextPercent: n % 101, Turns: len(c)}},
			&loop.AgentUsage{},
		} {
			got, known := appendChatter([]byte("{"), p)
			if !known {
				if u, ok := p.(*loop.AgentUsage); !ok || plainNumber(u.Usage.CostUSD) {
					t.Errorf("%#v is not known", p)
				}
				continue
			}
			if want := "{" + reflected(t, p); string(got) != want {
				t.Errorf("%#v:\ngot  %s\nwant %s", p, got, want)
			}
			e := loop.Event{Seq: 1, Time: time.Unix(0, 0).UTC(), Run: a, Iter: 1, Attempt: 1, Payload: p}
			line, err := Encode(e)
			if err != nil || !json.Valid(line) {
				t.Errorf("%#v: Encode gives %s, %v", p, line, err)
			}
		}
	})
}

// A field that is added to one of these must be written, too.
func TestChatterWritesEveryField(t *testing.T) {
	exit := 3
	for _, p := range []loop.Payload{
		&loop.AgentText{Text: "x", Cut: true, Plain: true},
		&loop.AgentTool{ID: "i", Name: "n", Input: "in", Shell: true},
		&loop.AgentToolResult{ID: "i", Name: "n", Output: "o", Failed: true, Denied: true, Exit: &exit},
		&loop.AgentUsage{Usage: loop.Usage{Input: 1, Output: 2, CacheRead: 3, CacheWrite: 4, CostUSD: 5, CostEstimated: true, ContextPercent: 6, Turns: 7}},
	} {
		noZero(t, p)
		if got, _ := appendChatter([]byte("{"), p); string(got[1:]) != reflected(t, p) {
			t.Errorf("got %s, want %s", got[1:], reflected(t, p))
		}
	}
}

// noZero sees that every field is set, or a field could be forgotten unseen.
func noZero(t *testing.T, p any) {
	t.Helper()
	for v := range allFields(reflect.Indirect(reflect.ValueOf(p))) {
		if v.IsZero() {
			t.Errorf("%T has a field that is not set here: %s", p, v.Type())
		}
	}
}

func allFields(v reflect.Value) iter.Seq[reflect.Value] {
	return func(yield func(reflect.Value) bool) {
		for i := range v.NumField() {
			if f := v.Field(i); f.Kind() == reflect.Struct {
				for inner := range allFields(f) {
					if !yield(inner) {
						return
					}
				}
			} else if !yield(f) {
				return
			}
		}
	}
}
