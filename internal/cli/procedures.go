package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/surface"
	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/text"
)

func proceduresCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "procedures [NAME]",
		Short: "List the procedures, or show one in full",
		Long: "List the built-in procedures and those of refrain.toml, or show one: its prompt as the first\n" +
			"iteration would get it, and its settings. --eject writes a built-in one into .refrain/prompts/,\n" +
			"where it is taken instead of the built-in one and can be edited. Commands in the prompt are run only\n" +
			"if you trust this work tree.",
		Example: "  refrain procedures\n  refrain procedures build\n  refrain procedures audit-spec --eject",
		Args:    atMost(1),
	}
	eject := cmd.Flags().Bool("eject", false, "write the prompt into .refrain/prompts/ for editing")
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		name := first(args)
		switch {
		case *eject && name == "":
			return usage("--eject needs a procedure", "name one: refrain procedures build --eject")
		case *eject:
			path, err := request.Eject(sh.dir, name)
			if err != nil {
				return err
			}
			fmt.Fprintf(sh.out, "wrote %s\n", path)
			return nil
		case name != "":
			return showProcedure(sh, cmd, name, *asJSON)
		}
		return listProcedures(sh, *asJSON)
	}
	return cmd
}

func listProcedures(sh *shell, asJSON bool) error {
	list, err := request.Procedures(sh.dir, nil)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(sh.out, list)
	}
	width := 0
	for _, p := range list {
		width = max(width, len(p.Name))
	}
	family := ""
	for i, p := range list {
		if p.Family != family {
			if family = p.Family; i > 0 {
				fmt.Fprintln(sh.out)
			}
			fmt.Fprintf(sh.out, "%s\n", family)
		}
		fmt.Fprint(sh.out, lines.Hang(fmt.Sprintf("  %-*s  ", width, text.Line(p.Name)), text.Line(p.Summary), sh.look()))
	}
	fmt.Fprintln(sh.out)
	sh.say("Run one with \"refrain run NAME\", see it with \"refrain procedures NAME\".")
	return nil
}

func showProcedure(sh *shell, cmd *cobra.Command, name string, asJSON bool) error {
	p, err := request.ShowProcedure(cmd.Context(), sh.dir, name, nil, func(a request.Assignment) (bool, error) {
		news, err := surface.News(cmd.Context(), a, nil)
		return len(news) == 0, err
	})
	if err != nil {
		return err
	}
	settings := notBuiltIn(p.Settings)
	if asJSON {
		return printJSON(sh.out, map[string]any{
			"name": p.Name, "family": p.Family, "summary": p.Summary, "aliases": p.Aliases, "builtin": p.Builtin,
			"prompt": p.Prompt, "tokens": p.Tokens, "settings": settings,
		})
	}
	fmt.Fprintf(sh.out, "%s: %s\n", text.Line(p.Name), text.Line(p.Summary))
	if len(p.Aliases) > 0 {
		fmt.Fprintf(sh.out, "also called %s\n", strings.Join(p.Aliases, ", "))
	}
	if len(settings) > 0 {
		fmt.Fprintln(sh.out, "\nSettings:")
		for _, s := range settings {
			where := s.Layer
			if s.Where != "" {
				where += ", " + s.Where
			}
			fmt.Fprintf(sh.out, "  %s = %s  (%s)\n", s.Key, s.Value, where)
		}
	}
	fmt.Fprintf(sh.out, "\nPrompt (about %s tokens):\n\n%s\n", text.Count(p.Tokens), strings.TrimSuffix(p.Prompt, "\n"))
	return nil
}

// notBuiltIn is the settings that somebody set, or that the procedure brings.
func notBuiltIn(r *config.Resolved) []config.Setting {
	list := []config.Setting{}
	for _, s := range r.Settings() {
		if s.Layer != "built-in" {
			list = append(list, s)
		}
	}
	return list
}
