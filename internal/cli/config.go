package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/request"
	lines "github.com/refrain-loop/refrain/internal/term"
)

func configCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Show, explain, set and check the settings",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(configShow(sh), configExplain(sh), configSet(sh), configValidate(sh), configSchema(sh))
	return cmd
}

// resolver adds the flags that say what the settings are for, and gives what
// resolves them.
func resolver(sh *shell, cmd *cobra.Command) func() (*config.Resolved, error) {
	procedure := cmd.Flags().String("procedure", "", "for this procedure")
	addSettings(cmd.Flags(), runFlags)
	return func() (*config.Resolved, error) {
		flags, err := settingsOf(cmd.Flags(), runFlags)
		if err != nil {
			return nil, err
		}
		here, err := request.In(sh.dir, request.Request{Procedure: *procedure, Flags: flags})
		return here.Settings, err
	}
}

func configShow(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "show",
		Short: "Show every setting, its value, and where it comes from",
		Args:  noArguments,
	}
	resolve := resolver(sh, cmd)
	changed := cmd.Flags().Bool("changed", false, "show only what is not built in")
	asJSON := addJSON(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		settings, err := resolve()
		if err != nil {
			return err
		}
		list := []config.Setting{}
		for _, s := range settings.Settings() {
			if !*changed || s.Layer != "built-in" {
				list = append(list, s)
			}
		}
		if *asJSON {
			return printJSON(sh.out, list)
		}
		table := lines.Table{Columns: []lines.Column{{}, {Wraps: true}, {Wraps: true}}}
		for _, s := range list {
			from := source(s.Origin)
			if s.Blank {
				from = "taken back by " + from
			}
			table.Add(s.Key, "= "+string(s.Value), "# "+from)
		}
		sh.print(&table)
		return nil
	}
	return cmd
}

func source(o config.Origin) string {
	if o.Where == "" {
		return o.Layer
	}
	return o.Layer + ", " + o.Where
}

func configExplain(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "explain KEY",
		Short:   "Say what a key means, what it is, who set it and what that overrode",
		Example: "  refrain config explain loop.max_iterations",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usage("explain takes one key", "for example: refrain config explain loop.max_iterations")
			}
			return nil
		},
	}
	resolve := resolver(sh, cmd)
	asJSON := addJSON(cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		settings, err := resolve()
		var wrong *config.Errors
		if errors.As(err, &wrong) {
			// Whoever mends a file wants to know what its keys mean.
			fmt.Fprintf(sh.err, "WARNING: %s; this is without what files and flags say\n", oneLine(err.Error()))
			settings, err = config.Load(config.Sources{})
		}
		if err != nil {
			return err
		}
		e, err := settings.Explain(args[0])
		if err != nil {
			return err
		}
		if *asJSON {
			return printJSON(sh.out, e)
		}
		printExplanation(sh, e)
		return nil
	}
	return cmd
}

// projectFile is where the settings of a project are.
const projectFile = "refrain.toml"

func configSet(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "set KEY VALUE",
		Short:   "Write a setting into refrain.toml, and leave the rest of it as it is",
		Example: "  refrain config set loop.max_iterations 20\n  refrain config set agent claude",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usage("set takes a key and its value", "for example: refrain config set loop.max_iterations 20")
			}
			return nil
		},
	}
	asJSON := addJSON(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		tree, err := request.Root(sh.dir)
		if err != nil {
			return err
		}
		path := filepath.Join(tree, projectFile)
		mode := fs.FileMode(0o644)
		if info, err := os.Lstat(path); err == nil {
			if mode = info.Mode(); !mode.IsRegular() {
				return usage(projectFile+" is not a regular file", "change it where it really is")
			}
		}
		old, err := files.ReadFile(cmd.Context(), path, maxSettings)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		changed, err := config.Set(old, projectFile, args[0], args[1])
		if err != nil {
			return err
		}
		if err := files.Replace(path, changed, mode.Perm(), files.NoSync); err != nil {
			return fmt.Errorf("write %s: %w", projectFile, err)
		}
		if *asJSON {
			return printJSON(sh.out, map[string]string{"file": path, "key": args[0], "value": args[1]})
		}
		value := args[1]
		if value == "" {
			value = "taken back"
		}
		sh.say("%s is %s now, in %s", args[0], value, path)
		return nil
	}
	return cmd
}

func printExplanation(sh *shell, e config.Explanation) {
	value := string(e.Value)
	if value == "" {
		value = "(not set)"
	}
	sh.say("%s = %s", e.Key, value)
	sh.say("%s", e.Doc)
	fmt.Fprintln(sh.out)
	table := lines.Table{Columns: []lines.Column{{}, {Wraps: true}}, Indent: 2}
	switch {
	case e.Blank:
		table.Add("taken back", "by "+source(e.Origin))
	case e.Layer != "":
		table.Add("set by", source(e.Origin))
	}
	for _, o := range e.Overrode {
		if o.Blank {
			table.Add("over", "a blank from "+source(o))
			continue
		}
		table.Add("over", string(o.Value)+" from "+source(o))
	}
	table.Add("type", e.Type)
	table.Add("default", e.Default)
	if len(e.Choices) > 0 {
		table.Add("choices", strings.Join(e.Choices, ", "))
	}
	if e.Env != "" {
		table.Add("environment", e.Env)
	}
	sh.print(&table)
}

func configValidate(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "validate",
		Short: "Check the settings and list every problem",
		Args:  noArguments,
	}
	resolve := resolver(sh, cmd)
	asJSON := addJSON(cmd)
	cmd.RunE = func(*cobra.Command, []string) error {
		_, err := resolve()
		var found *config.Errors
		if err != nil && !errors.As(err, &found) {
			return err
		}
		problems := []config.Problem{}
		if found != nil {
			problems = found.Problems
			sh.status = statusUsage
		}
		if *asJSON {
			return printJSON(sh.out, map[string]any{"valid": len(problems) == 0, "problems": problems})
		}
		if len(problems) == 0 {
			fmt.Fprintln(sh.out, "the settings are valid")
			return nil
		}
		for _, p := range problems {
			failure{what: p.String(), hint: p.Hint}.print(sh.err)
		}
		return nil
	}
	return cmd
}

func configSchema(sh *shell) *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print a JSON Schema of refrain.toml for editors",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := sh.out.Write(config.Schema())
			return err
		},
	}
}
