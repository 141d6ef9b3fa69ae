package cli

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/outside"
)

// workerProgram is the program that knows of fleets. It is one of its own, for what it
// is made of is larger than all of this one.
const workerProgram = "refrain-worker"

// fleetCommand hands its words to the program that knows what to do with them.
func fleetCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "fleet COMMAND",
		Short: "Hand runs to a fleet of workers, look at them and steer them",
		Long: "Hand runs to a fleet of workers, look at them and steer them, with the words that runs on this machine\n" +
			"take. The commands are those of the program " + workerProgram + ", which is looked for beside this one, and on\n" +
			"PATH.",
		Example:            "  refrain fleet submit 'Fix the failing tests' --gate 'make test'\n  refrain fleet ls\n  refrain-worker work --trust 'https://git.example.com/team/*'",
		DisableFlagParsing: true,
		ValidArgsFunction: func(cmd *cobra.Command, args []string, word string) ([]cobra.Completion, cobra.ShellCompDirective) {
			return completeFleet(cmd.Context(), append(slices.Clone(args), word))
		},
	}
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if sh.allHelp {
			args = append(slices.Clone(args), "--all")
		}
		program, err := findWorker()
		if err != nil {
			return err
		}
		return become(sh, program, append([]string{cmd.Name()}, args...))
	}
	return cmd
}

// findWorker is where the program is: beside this one, or on PATH.
func findWorker() (string, error) {
	name := workerProgram
	if runtime.GOOS == "windows" {
		name += ".exe"
	}
	if self, err := os.Executable(); err == nil {
		if straight, err := filepath.EvalSymlinks(self); err == nil {
			self = straight
		}
		beside := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(beside); err == nil && info.Mode().IsRegular() {
			return beside, nil
		}
	}
	path, err := outside.Find(workerProgram)
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		return "", usage(
			workerProgram+" is neither beside this program nor on PATH, and fleets are its business",
			"install it: go install github.com/refrain-loop/refrain/cmd/refrain-worker@latest")
	}
	return path, err
}

// completeFleet asks the other program what may come next.
func completeFleet(ctx context.Context, words []string) ([]cobra.Completion, cobra.ShellCompDirective) {
	program, err := findWorker()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	cmd := exec.CommandContext(ctx, program, append([]string{cobra.ShellCompRequestCmd, "fleet"}, words...)...)
	out, err := cmd.Output()
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return readCompletions(out)
}

// readCompletions reads what a program like ours answers a shell: one completion a
// line, and a last line that says what the shell should make of them.
func readCompletions(out []byte) ([]cobra.Completion, cobra.ShellCompDirective) {
	var list []cobra.Completion
	for line := range bytes.Lines(out) {
		word := strings.TrimRight(string(line), "\r\n")
		if number, ok := strings.CutPrefix(word, ":"); ok {
			if directive, err := strconv.Atoi(number); err == nil {
				return list, cobra.ShellCompDirective(directive)
			}
		}
		if word != "" {
			list = append(list, word)
		}
	}
	return nil, cobra.ShellCompDirectiveNoFileComp // it was cut short
}
