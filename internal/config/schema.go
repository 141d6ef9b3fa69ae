package config

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
)

// Schema is a JSON Schema of refrain.toml, for editors.
func Schema() []byte {
	top := object(settings)
	procedure := object(procedureSettings())
	for _, table := range []map[string]any{top, procedure} {
		table["properties"].(map[string]any)[gateKey] = map[string]any{
			"type":        "array",
			"description": gatesDoc,
			"items":       map[string]any{"$ref": "#/$defs/gate"},
		}
	}
	properties := top["properties"].(map[string]any)
	properties["agents"] = map[string]any{
		"type":                 "object",
		"description":          "agents of your own, and settings of the built-in ones",
		"additionalProperties": map[string]any{"$ref": "#/$defs/agent"},
	}
	properties["prices"] = map[string]any{
		"type":                 "object",
		"description":          pricesDoc,
		"additionalProperties": map[string]any{"$ref": "#/$defs/price"},
	}
	properties["procedures"] = map[string]any{
		"type":                 "object",
		"description":          "named loops, each with settings that hold when it is run",
		"additionalProperties": map[string]any{"$ref": "#/$defs/procedure"},
	}
	top["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	top["title"] = FileName
	top["$defs"] = map[string]any{"agent": object(agentSettings), "gate": gateObject(), "part": partSchema(), "price": priceObject(), "procedure": procedure}
	b, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		panic(err) // made of plain values
	}
	return append(b, '\n')
}

// procedureSettings is the rows that can stand in a procedure's table.
func procedureSettings() []setting.Row {
	inside := slices.Clone(promptSettings)
	for _, r := range settings {
		if !onlyAtTop(r.Key) {
			inside = append(inside, r)
		}
	}
	return inside
}

// object is the schema of a table with these rows, and nothing else in it.
func object(rows []setting.Row) map[string]any {
	top := emptyObject()
	for _, r := range rows {
		properties, name := top["properties"].(map[string]any), r.Key
		for group, rest, ok := strings.Cut(name, "."); ok; group, rest, ok = strings.Cut(name, ".") {
			if properties[group] == nil {
				properties[group] = emptyObject()
			}
			properties, name = properties[group].(map[string]any)["properties"].(map[string]any), rest
		}
		properties[name] = r.Schema()
	}
	return top
}

// gateObject is the schema of one gate: a command or a reviewer.
func gateObject() map[string]any {
	gate := object(gateSettings)
	gate["properties"].(map[string]any)["name"].(map[string]any)["pattern"] = namePattern
	gate["required"] = []string{"name"}
	gate["oneOf"] = []any{
		map[string]any{"required": []string{"run"}},
		map[string]any{"required": []string{"agent", "prompt"}},
	}
	return gate
}

func emptyObject() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{}}
}
