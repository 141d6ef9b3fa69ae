package telemetry

import (
	"bytes"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/refrain-loop/refrain/internal/loop"
)

var (
	headLine   = regexp.MustCompile(`^# (HELP|TYPE) ([a-zA-Z_:][a-zA-Z0-9_:]*) (.+)$`)
	sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)\{(.*)\} (\S+)$`)
	labelPair  = regexp.MustCompile(`^([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\["\\n])*)"(,|$)`)
	unescaper  = strings.NewReplacer(`\\`, `\`, `\"`, `"`, `\n`, "\n")
)

// parse reads Prometheus' text format strictly: every metric has its help and
// type first and stands in one piece, no line comes twice, counters do not fall
// below 0, and the buckets of a histogram only rise. Keys are name{labels} with
// the labels of the run left out.
func parse(text []byte) (map[string]float64, error) {
	if !utf8.Valid(text) || len(text) > 0 && text[len(text)-1] != '\n' {
		return nil, fmt.Errorf("the text is not UTF-8, or its last line has no end")
	}
	values := map[string]float64{}
	families := map[string]string{}
	name, kind, last := "", "", 0.0
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		wrong := func(why string) error { return fmt.Errorf("line %d, %s: %s", i+1, why, line) }
		if head := headLine.FindStringSubmatch(line); head != nil {
			switch {
			case head[1] == "HELP" && families[head[2]] == "":
				name, kind, last = head[2], "", 0
				families[name] = "told"
			case head[1] == "TYPE" && head[2] == name && kind == "" && slices.Contains([]string{"counter", "gauge", "histogram"}, head[3]):
				kind = head[3]
			default:
				return nil, wrong("it is not expected here")
			}
			continue
		}
		parts := sampleLine.FindStringSubmatch(line)
		if parts == nil {
			return nil, wrong("it is no sample")
		}
		suffix, ours := strings.CutPrefix(parts[1], name)
		isHistogram := kind == "histogram" && slices.Contains([]string{"_bucket", "_sum", "_count"}, suffix)
		if !ours || kind == "" || !isHistogram && (suffix != "" || kind == "histogram") {
			return nil, wrong("it belongs to another metric")
		}
		labels, err := parseLabels(parts[2])
		if err != nil {
			return nil, wrong(err.Error())
		}
		v, err := strconv.ParseFloat(parts[3], 64)
		if err != nil || kind == "counter" && v < 0 {
			return nil, wrong("it is no value")
		}
		if suffix == "_bucket" {
			if v < last {
				return nil, wrong("the buckets fall")
			}
			last = v
		}
		if suffix == "_count" && v != last {
			return nil, wrong("the last bucket does not hold all")
		}
		key := parts[1] + labels
		if _, twice := values[key]; twice {
			return nil, wrong("it comes twice")
		}
		values[key] = v
	}
	return values, nil
}

func parseLabels(text string) (string, error) {
	found := map[string]string{}
	for text != "" {
		pair := labelPair.FindStringSubmatch(text)
		if pair == nil {
			return "", fmt.Errorf("%q is no label", text)
		}
		if _, twice := found[pair[1]]; twice {
			return "", fmt.Errorf("label %s comes twice", pair[1])
		}
		found[pair[1]] = unescaper.Replace(pair[2])
		text = text[len(pair[0]):]
	}
	for _, name := range []string{"run", "procedure", "agent"} {
		if _, there := found[name]; !there {
			return "", fmt.Errorf("there is no label %s", name)
		}
		delete(found, name)
	}
	said := ""
	for _, name := range slices.Sorted(maps.Keys(found)) {
		said += fmt.Sprintf("{%s=%s}", name, found[name])
	}
	return said, nil
}

func read(t *testing.T, m *Metrics) map[string]float64 {
	t.Helper()
	var b bytes.Buffer
	n, err := m.WriteTo(&b)
	if err != nil || n != int64(b.Len()) {
		t.Fatalf("WriteTo = %d, %v with %d bytes written", n, err, b.Len())
	}
	values, err := parse(b.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, b.Bytes())
	}
	return values
}

// Names that others make up must not break the format.
func FuzzNamesOfOthers(f *testing.F) {
	f.Add("test", "Bash")
	f.Add("a\"b\\c\nd", "\xff\xfe")
	f.Add("", "}{=,\"")
	f.Add(strings.Repeat("é", 300), strings.Repeat("é", 301))
	f.Fuzz(func(t *testing.T, one, other string) {
		m, err := NewMetrics(Settings{Version: other})
		if err != nil {
			t.Fatal(err)
		}
		tell := newTeller(m)
		tell.tell(&loop.RunStarted{Name: one, Procedure: other, Agent: one, Model: other})
		for _, name := range []string{one, other} {
			tell.tell(&loop.GateFinished{Gate: loop.Gate{Name: name}})
			tell.tell(&loop.AgentTool{Name: name})
			tell.tell(&loop.RunWaiting{Rule: name})
		}
		values := read(t, m)
		if len(other) < maxLabel && utf8.ValidString(other) && one != other && values["refrain_tool_calls_total{tool="+other+"}"] != 1 {
			t.Errorf("the tool %q is not found again in %v", other, values)
		}
		if _, err := m.MarshalJSON(); err != nil {
			t.Errorf("MarshalJSON: %v", err)
		}
	})
}
