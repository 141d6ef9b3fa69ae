package cli

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// Program is another program of ours: with its own commands, and help, mistakes,
// completions and exit statuses like those of this one.
type Program struct {
	Name    string
	Short   string
	Long    string
	Example string

	Commands []func(*Shell) *cobra.Command
}

// calledAs is the name by which a program was started. One that is started in the
// place of another goes by the other's name.
func (p Program) calledAs() string {
	name := strings.TrimSuffix(filepath.Base(os.Args[0]), ".exe")
	if name == ourName {
		return ourName
	}
	return p.Name
}

// ourName is the program that people know.
const ourName = "refrain"

// Main runs one command and returns its exit status.
func (p Program) Main(args []string) int {
	ignoreBrokenPipes()
	sh := newShell(args)
	root := &cobra.Command{
		Use: p.calledAs(), Version: Version, Short: p.Short, Long: p.Long, Example: p.Example,
		SilenceErrors: true, SilenceUsage: true, Args: noArguments,
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		CompletionOptions: cobra.CompletionOptions{HiddenDefaultCmd: false},
	}
	cobra.EnableCommandSorting = false
	setUp(sh, root)
	for _, make := range p.Commands {
		root.AddCommand(make(&Shell{sh}))
	}
	correctDefaults(root)
	args, sh.allHelp = wantsAll(args)
	root.SetArgs(args)
	return execute(sh, root)
}

// newShell is where a command of this process stands.
func newShell(args []string) *shell {
	return &shell{console: console{in: os.Stdin, out: os.Stdout, err: fold(os.Stderr)}, args: args}
}

// setUp gives the root of the commands what all of them have.
func setUp(sh *shell, root *cobra.Command) {
	root.SetOut(sh.out)
	root.SetErr(sh.err)
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate(versionLine(root.Name()) + "\n")
	root.PersistentFlags().StringVarP(&sh.dir, "dir", "C", ".", "work in this folder")
	root.Flags().BoolP("version", "v", false, "print the version")
	root.PersistentFlags().BoolP("help", "h", false, "tell about a command; with --all, everything")
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { showHelp(sh, cmd) })
}

// execute runs the command that was asked for, and gives the exit status.
func execute(sh *shell, root *cobra.Command) int {
	err := root.ExecuteContext(context.Background())
	tellSkipped(sh)
	if errors.Is(err, syscall.EPIPE) {
		return 0 // whoever read has seen enough
	}
	if err != nil {
		told := explain(err)
		told.print(sh.err)
		return told.status
	}
	return sh.status
}
