package config

import (
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/setting"
)

// Reference is every key in markdown tables, for the manual.
func Reference() string {
	var b strings.Builder
	b.WriteString("| key | type | default | environment | meaning |\n|---|---|---|---|---|\n")
	for _, r := range settings {
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` | %s |\n", r.Key, cell(r.Type()), defaultCell(r), envName(r.Key), cell(r.Doc))
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
func inTable(b *strings.Builder, prefix string, rows []setting.Row) {
	b.WriteString("| key | type | default | meaning |\n|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(b, "| `%s%s` | %s | %s | %s |\n", prefix, r.Key, cell(r.Type()), defaultCell(r), cell(r.Doc))
	}
}

func defaultCell(r setting.Row) string {
	return cell(r.Defaults(func(v any) string { return "`" + setting.Render(v) + "`" }))
}

// cell keeps a text inside its column and its angle brackets visible.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;").Replace(s)
}
