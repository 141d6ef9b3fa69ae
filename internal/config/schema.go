package config

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/procedure"
	"github.com/refrain-loop/refrain/internal/setting"
)

// Schema is a JSON Schema of refrain.toml, for editors.
func Schema() []byte {
	top := object(settings(), orBlank)
	defs := map[string]any{"gate": gateObject(), "part": partSchema()}
	for _, f := range families() {
		top["properties"].(map[string]any)[f.name] = map[string]any{
			"type":                 "object",
			"description":          f.doc,
			"additionalProperties": map[string]any{"$ref": "#/$defs/" + f.def},
		}
		defs[f.def] = object(f.rows, orBlank)
	}
	defs["price"].(map[string]any)["required"] = needed
	defs["procedure"].(map[string]any)["properties"].(map[string]any)[gateKey] = gateList()
	top["properties"].(map[string]any)[gateKey] = gateList()
	top["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	top["title"] = FileName
	top["$defs"] = defs
	b, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		panic(err) // made of plain values
	}
	return append(b, '\n')
}

// orBlank is the schema of a value that a blank may stand for, to take back what
// other layers say.
func orBlank(r setting.Row) map[string]any {
	s := r.Schema()
	if r.Each != nil {
		return s
	}
	if _, ok := r.Kind.Read(""); ok && !r.Required { // a text, for which a blank is one
		return s
	}
	either := map[string]any{"description": s["description"], "anyOf": []any{s, map[string]any{"const": ""}}}
	if value, ok := s["default"]; ok {
		either["default"] = value
	}
	delete(s, "description")
	delete(s, "default")
	return either
}

// object is the schema of a table with these rows, and nothing else in it.
func object(rows []setting.Row, schema func(setting.Row) map[string]any) map[string]any {
	top := emptyObject()
	for _, r := range rows {
		properties, name := top["properties"].(map[string]any), r.Key
		for group, rest, ok := strings.Cut(name, "."); ok; group, rest, ok = strings.Cut(name, ".") {
			if properties[group] == nil {
				properties[group] = emptyObject()
			}
			properties, name = properties[group].(map[string]any)["properties"].(map[string]any), rest
		}
		properties[name] = schema(r)
	}
	return top
}

// gateList is the schema of a list of gates.
func gateList() map[string]any {
	return map[string]any{
		"type":        "array",
		"description": gatesDoc,
		"items":       map[string]any{"$ref": "#/$defs/gate"},
	}
}

// gateObject is the schema of one gate: a command or a reviewer.
func gateObject() map[string]any {
	gate := object(gateSettings(), setting.Row.Schema)
	gate["properties"].(map[string]any)["name"].(map[string]any)["pattern"] = namePattern
	gate["required"] = []string{"name"}
	gate["oneOf"] = []any{
		map[string]any{"required": []string{"run"}},
		map[string]any{"required": []string{"agent", "prompt"}},
	}
	return gate
}

// partSchema is the schema of one part.
func partSchema() map[string]any {
	table := emptyObject()
	for _, key := range procedure.PartKeys {
		table["properties"].(map[string]any)[key] = map[string]any{"type": "string", "pattern": `\S`}
	}
	table["oneOf"] = []any{
		map[string]any{"required": []string{"file"}},
		map[string]any{"required": []string{"text"}},
		map[string]any{"required": []string{"builtin"}},
	}
	return map[string]any{"anyOf": []any{map[string]any{"type": "string", "pattern": `\S`}, table}}
}

func emptyObject() map[string]any {
	return map[string]any{"type": "object", "additionalProperties": false, "properties": map[string]any{}}
}

// Reference is every key in markdown tables, for the manual.
func Reference() string {
	var b strings.Builder
	b.WriteString("| key | type | default | environment | meaning |\n|---|---|---|---|---|\n")
	for _, r := range settings() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | %s |\n", r.Key, cell(r.Type()), defaultCell(r), envName(r.Key), meaning(r))
	}
	b.WriteString("\nBelow `[[gate]]`, which comes once for each gate, without names in the environment:\n\n")
	inTable(&b, "", gateSettings())
	b.WriteString("\nBelow `[agents.NAME]`, in the environment as `REFRAIN_AGENTS_NAME_KEY`, but for `env`:\n\n")
	inTable(&b, "agents.NAME.", agentSettings())
	b.WriteString("\nBelow `[prices.\"MODEL\"]`, without names in the environment, stands " + pricesDoc + ":\n\n")
	inTable(&b, `prices."MODEL".`, priceSettings())
	b.WriteString("\nBelow `[procedures.NAME]` stand the same keys as at the top, except `profile`, `log`, `agents`, `prices` and `procedures`; its gates are `[[procedures.NAME.gate]]`. These it has besides:\n\n")
	inTable(&b, "procedures.NAME.", promptSettings())
	return b.String()
}

// inTable writes the rows of a table without names in the environment.
func inTable(b *strings.Builder, prefix string, rows []setting.Row) {
	b.WriteString("| key | type | default | meaning |\n|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(b, "| `%s%s` | %s | %s | %s |\n", prefix, r.Key, cell(r.Type()), defaultCell(r), meaning(r))
	}
}

// meaning is what a setting does, and whether it names files.
func meaning(r setting.Row) string {
	if r.File {
		return cell(r.Doc) + " (see [Files](#files))"
	}
	return cell(r.Doc)
}

func defaultCell(r setting.Row) string {
	return cell(r.Defaults(func(v any) string { return "`" + setting.Render(v) + "`" }))
}

// cell keeps a text inside its column and its angle brackets visible.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;").Replace(s)
}
