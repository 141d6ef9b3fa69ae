package config

import (
	"fmt"
	"strings"
)

// Reference is every key in markdown tables, for the manual.
func Reference() string {
	var b strings.Builder
	b.WriteString("| key | type | default | environment | meaning |\n|---|---|---|---|---|\n")
	for _, r := range settings {
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | %s |\n", r.key, r.typeCell(), r.defaultCell(), envName(r.key), cell(r.doc))
	}
	b.WriteString("\nBelow `[[gate]]`, which comes once for each gate, without names in the environment:\n\n")
	inTable(&b, "", gateSettings)
	b.WriteString("\nBelow `[agents.NAME]`, without names in the environment:\n\n")
	inTable(&b, "agents.NAME.", agentSettings)
	b.WriteString("\nBelow `[prices.\"MODEL\"]`, without names in the environment, stands " + pricesDoc + ":\n\n")
	inTable(&b, `prices."MODEL".`, priceSettings)
	b.WriteString("\nBelow `[procedures.NAME]` stand the same keys as at the top, except `profile`, `log`, `agents`, `prices` and `procedures`; its gates are `[[procedures.NAME.gate]]`. These it has besides:\n\n")
	inTable(&b, "procedures.NAME.", promptSettings)
	return b.String()
}

// inTable writes the rows of a table without names in the environment.
func inTable(b *strings.Builder, prefix string, rows []row) {
	b.WriteString("| key | type | default | meaning |\n|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(b, "| `%s%s` | %s | %s | %s |\n", prefix, r.key, r.typeCell(), r.defaultCell(), cell(r.doc))
	}
}

func (r row) typeCell() string {
	if r.choices == nil {
		return cell(r.kind.name)
	}
	if r.kind == list {
		return cell("list of " + either(r.choices))
	}
	return cell(either(r.choices))
}

func (r row) defaultCell() string {
	if r.builtin == nil {
		return "none"
	}
	words := "`" + render(r.builtin) + "`"
	for _, s := range r.special {
		words += "; `" + render(s.value) + "` " + string(s.when)
	}
	return cell(words)
}

// cell keeps a text inside its column and its angle brackets visible.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;").Replace(s)
}
