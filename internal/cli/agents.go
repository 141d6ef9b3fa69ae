package cli

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/doctor"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/request"
	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/view"
)

func agentsCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "agents",
		Short: "List the agents that are built in and configured",
		Args:  noArguments,
	}
	asJSON := addJSON(cmd)
	prices := cmd.Flags().Bool("prices", false, "list what models cost: by these an agent's cost is estimated where it does not tell")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		here, err := request.In(sh.dir, request.Request{})
		if err != nil {
			return err
		}
		if *prices {
			return showPrices(sh, lineup.Prices(here.Settings), *asJSON)
		}
		list := doctor.Agents(cmd.Context(), here)
		if *asJSON {
			return printJSON(sh.out, list)
		}
		table := lines.Table{Columns: []lines.Column{{Name: "AGENT"}, {Name: "FROM", Rank: 1}, {Name: "VERSION", Wraps: true}, {Name: "MEASURED", Rank: 2, Wraps: true}, {Name: "CALLED AS", Wraps: true}}}
		for _, a := range list {
			from := "refrain.toml"
			if a.BuiltIn {
				from = "built in"
			}
			table.Add(a.Name, from, versionOf(a), measuredOf(a), text.Line(a.CalledAs()))
		}
		sh.print(&table)
		return nil
	}
	return cmd
}

func showPrices(sh *shell, list []lineup.Price, asJSON bool) error {
	if asJSON {
		return printJSON(sh.out, list)
	}
	table := lines.Table{Columns: []lines.Column{
		{Name: "MODEL"},
		{Name: "INPUT", Right: true},
		{Name: "OUTPUT", Right: true},
		{Name: "CACHE READ", Right: true, Rank: 2},
		{Name: "CACHE WRITE", Right: true, Rank: 3},
		{Name: "WINDOW", Right: true, Rank: 4},
		{Name: "FROM", Rank: 1},
	}}
	for _, p := range list {
		window := "-"
		if p.Window > 0 {
			window = text.Count(p.Window)
		}
		table.Add(p.Model, fmt.Sprint(p.Input), fmt.Sprint(p.Output), fmt.Sprint(p.CacheRead), fmt.Sprint(p.CacheWrite), window, p.From)
	}
	sh.print(&table)
	fmt.Fprintln(sh.out)
	sh.say("US dollars for a million tokens. A model goes by the longest of these names that its own begins with. Change one or add your own in refrain.toml:")
	fmt.Fprintln(sh.out, "\n  [prices.\"my-model\"]\n  input = 1.5\n  output = 6.0")
	return nil
}

func versionOf(a doctor.AgentInfo) string {
	switch {
	case !a.Found:
		return "not found"
	case a.Version == "":
		return "-"
	}
	said := view.Fit(a.Version, 32)
	if a.Newer {
		said += ", newer than measured"
	}
	if a.Older {
		said += ", older than measured"
	}
	return said
}

// measuredOf is the versions that an agent was measured with.
func measuredOf(a doctor.AgentInfo) string {
	return cmp.Or(strings.Join(a.Measured, ", "), "-")
}
