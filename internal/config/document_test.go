package config

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/refrain-loop/refrain/internal/setting"
)

func TestSchemaKnowsEveryKey(t *testing.T) {
	var schema struct {
		Properties map[string]json.RawMessage
		Defs       map[string]struct {
			Properties map[string]json.RawMessage
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	for _, r := range settings() {
		wantInSchema(t, schema.Properties, r)
		if !onlyAtTop(r.Key) {
			wantInSchema(t, schema.Defs["procedure"].Properties, r)
		}
	}
	for _, r := range agentSettings() {
		wantInSchema(t, schema.Defs["agent"].Properties, r)
	}
	for _, r := range gateSettings() {
		wantInSchema(t, schema.Defs["gate"].Properties, r)
	}
	for _, r := range priceSettings() {
		wantInSchema(t, schema.Defs["price"].Properties, r)
	}
	for _, r := range promptSettings() {
		wantInSchema(t, schema.Defs["procedure"].Properties, r)
	}
	for where, properties := range map[string]map[string]json.RawMessage{"the top": schema.Properties, "a procedure": schema.Defs["procedure"].Properties} {
		if _, ok := properties["gate"]; !ok {
			t.Errorf("%s takes no gates", where)
		}
	}
	for _, name := range []string{"profile", "log", "agents", "prices"} {
		if _, ok := schema.Defs["procedure"].Properties[name]; ok {
			t.Errorf("a procedure takes %s", name)
		}
	}
}

func wantInSchema(t *testing.T, properties map[string]json.RawMessage, r setting.Row) {
	t.Helper()
	groups := strings.Split(r.Key, ".")
	raw := properties[groups[0]]
	for _, name := range groups[1:] {
		var table struct {
			Properties           map[string]json.RawMessage
			AdditionalProperties *bool
		}
		if err := json.Unmarshal(raw, &table); err != nil || table.AdditionalProperties == nil || *table.AdditionalProperties {
			t.Errorf("%s: no closed table around it: %v", r.Key, err)
			return
		}
		raw = table.Properties[name]
	}
	var property struct{ Description string }
	if err := json.Unmarshal(raw, &property); err != nil || property.Description != r.Doc {
		t.Errorf("%s: description %q, %v; want %q", r.Key, property.Description, err, r.Doc)
	}
}

func TestReferenceKnowsEveryKey(t *testing.T) {
	reference := Reference()
	for _, r := range settings() {
		if !strings.Contains(reference, "| `"+r.Key+"` |") || !strings.Contains(reference, "| `"+envName(r.Key)+"` |") {
			t.Errorf("the reference lacks %s or %s", r.Key, envName(r.Key))
		}
	}
	for _, r := range agentSettings() {
		if !strings.Contains(reference, "| `agents.NAME."+r.Key+"` |") {
			t.Errorf("the reference lacks agents.NAME.%s", r.Key)
		}
	}
	for _, r := range gateSettings() {
		if !strings.Contains(reference, "| `"+r.Key+"` |") {
			t.Errorf("the reference lacks the key %s of a gate", r.Key)
		}
	}
	for _, r := range priceSettings() {
		if !strings.Contains(reference, "| `prices.\"MODEL\"."+r.Key+"` |") {
			t.Errorf("the reference lacks prices.\"MODEL\".%s", r.Key)
		}
	}
	for _, r := range promptSettings() {
		if !strings.Contains(reference, "| `procedures.NAME."+r.Key+"` |") {
			t.Errorf("the reference lacks procedures.NAME.%s", r.Key)
		}
	}
	for line := range strings.Lines(reference) {
		columns := strings.Count(strings.ReplaceAll(line, `\|`, ""), "|")
		if strings.HasPrefix(line, "|") && columns != 5 && columns != 6 {
			t.Errorf("a row with %d bars: %s", columns, line)
		}
	}
}
