package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/control"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/loop"
)

func eventsCommand(sh *shell) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "events [RUN]",
		Short: "Print the events of a run, one JSON object a line",
		Long: "Print everything that happened in a run, one JSON object a line, in order: what is in its journal and what the\n" +
			"agents said and did. With -f go on as the run does, until it ends.",
		Example: "  refrain events | jq -r 'select(.type==\"claim.refused\") | .why'\n" +
			"  refrain events build-7 -f --type iteration.finished --type run.",
		Args:              atMost(1),
		ValidArgsFunction: completeRuns(sh),
	}
	f := cmd.Flags()
	onward := f.BoolP("follow", "f", false, "go on as the run does, until it ends")
	after := f.Int64("after", 0, "only what comes after the event with this number (seq)")
	types := f.StringArray("type", nil, "only events whose type begins with this, such as iteration. or agent.text (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("type", completeTypes) // fails only for a flag that is not there
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if *after < 0 {
			return usage(fmt.Sprintf("--after is %d", *after), "pass the seq of an event; the first one has 1")
		}
		if err := knownTypes(*types); err != nil {
			return err
		}
		store, entry, err := sh.meant(first(args))
		if err != nil {
			return err
		}
		ctx, stop := sh.untilSignal(cmd.Context())
		defer stop()
		events := journal.AllToEncode(store, entry.Name, *after)
		if *onward {
			events = control.Follow(ctx, store, entry.Name, *after)
		}
		err = printEvents(ctx, sh.out, events, *types, *onward)
		if ctx.Err() != nil || errors.Is(err, syscall.EPIPE) {
			return nil // nobody wants to read on
		}
		return err
	}
	return cmd
}

// printEvents prints those events whose type begins with one of some words, if
// there are any: each at once when somebody waits for it.
func printEvents(ctx context.Context, out io.Writer, events iter.Seq2[loop.Event, error], types []string, live bool) error {
	w := bufio.NewWriter(out)
	for e, err := range events {
		if err != nil || ctx.Err() != nil {
			return errors.Join(err, w.Flush())
		}
		if len(types) > 0 && !slices.ContainsFunc(types, begins(e.Type())) {
			continue
		}
		line, err := journal.Encode(e)
		if err != nil {
			return err
		}
		_, _ = w.Write(append(line, '\n')) // Flush tells
		if live {
			err = w.Flush()
		}
		if err != nil {
			return err
		}
	}
	return w.Flush()
}

func begins(t loop.Type) func(prefix string) bool {
	return func(prefix string) bool { return strings.HasPrefix(string(t), prefix) }
}

// knownTypes refuses words that no event begins with: who mistypes one would
// wait for ever.
func knownTypes(prefixes []string) error {
	for _, prefix := range prefixes {
		if !slices.ContainsFunc(loop.Types(), func(t loop.Type) bool { return begins(t)(prefix) }) {
			return usage(fmt.Sprintf("no type of event begins with %q", prefix), "write it like iteration.finished, or only run. for a whole family; docs/journal.md lists them")
		}
	}
	return nil
}

func completeTypes(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var names []cobra.Completion
	for _, t := range loop.Types() {
		names = append(names, string(t))
	}
	slices.Sort(names)
	return names, cobra.ShellCompDirectiveNoFileComp
}
