package telemetry

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/refrain-loop/refrain/internal/text"
)

// prefix begins the name of every metric.
const prefix = "refrain_"

// maxLabel is how long the value of a label may be.
const maxLabel = 200

// family is a metric with all its values.
type family struct {
	Name    string   `json:"name"`
	Type    string   `json:"type"`
	Help    string   `json:"help"`
	Samples []sample `json:"samples"`
}

type sample struct {
	Name   string  `json:"name"`
	Labels labels  `json:"labels"`
	Value  float64 `json:"value"`
}

type label struct{ name, value string }

type labels []label

// with adds a value, under the family's name when none is given.
func (f family) with(name string, v float64) family {
	if name == "" {
		name = f.Name
	}
	f.Samples = append(f.Samples, sample{Name: name, Value: v})
	return f
}

// withKnown leaves out 0, where that is what is not known.
func (f family) withKnown(name string, v float64) family {
	if v == 0 {
		return f
	}
	return f.with(name, v)
}

func (f family) withTime(t time.Time) family {
	if t.IsZero() {
		return f
	}
	return f.with("", float64(t.UnixMilli())/1000)
}

func (f family) withLabel(name, value string, v float64) family {
	f.Samples = append(f.Samples, sample{Name: f.Name, Labels: labels{{name, value}}, Value: v})
	return f
}

// WriteTo writes the metrics in Prometheus' text format, version 0.0.4.
func (m *Metrics) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(m.text())
	return int64(n), err
}

func (m *Metrics) text() []byte {
	var b bytes.Buffer
	for _, f := range m.families(time.Now()) {
		f.write(&b)
	}
	return b.Bytes()
}

// MarshalJSON is the same as JSON: a list of metrics with their values.
func (m *Metrics) MarshalJSON() ([]byte, error) {
	list := []family{}
	for _, f := range m.families(time.Now()) {
		if len(f.Samples) > 0 {
			list = append(list, f)
		}
	}
	return json.Marshal(list)
}

// write leaves out a metric of which nothing is known.
func (f family) write(b *bytes.Buffer) {
	if len(f.Samples) == 0 {
		return
	}
	fmt.Fprintf(b, "# HELP %s %s\n# TYPE %s %s\n", f.Name, f.Help, f.Name, f.Type)
	for _, s := range f.Samples {
		pairs := make([]string, len(s.Labels))
		for i, l := range s.Labels {
			pairs[i] = l.name + `="` + escaper.Replace(clean(l.value)) + `"`
		}
		fmt.Fprintf(b, "%s{%s} %s\n", s.Name, strings.Join(pairs, ","), strconv.FormatFloat(s.Value, 'g', -1, 64))
	}
}

// escaper is what the format wants escaped in the value of a label.
var escaper = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// clean makes a value fit to be a label.
func clean(value string) string { return text.Cut(strings.ToValidUTF8(value, "\uFFFD"), maxLabel) }

// MarshalJSON writes labels as an object.
func (l labels) MarshalJSON() ([]byte, error) {
	object := make(map[string]string, len(l))
	for _, one := range l {
		object[one.name] = clean(one.value)
	}
	return json.Marshal(object)
}
