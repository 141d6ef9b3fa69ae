package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/carry"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/foreign"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
	"github.com/refrain-loop/refrain/internal/trust"
)

// The exit statuses of commands that could not do their work. Those of a run
// that ended are in attend.go.
const (
	statusFailed = 1
	statusUsage  = 3
	statusLocked = 4
	statusParked = 6
)

// failure is what a person is told: what happened, then what to do.
type failure struct {
	what   string
	hint   string
	status int
}

func (f failure) Error() string { return f.what }

func (f failure) print(w io.Writer) {
	fmt.Fprintf(w, "refrain: %s\n", oneLine(f.what))
	if f.hint != "" {
		fmt.Fprintf(w, "hint: %s\n", f.hint)
	}
}

// oneLine keeps an error that quotes several lines from filling the screen.
func oneLine(text string) string {
	first, rest, more := strings.Cut(strings.TrimSpace(text), "\n")
	if more && strings.TrimSpace(rest) != "" {
		return first + " …"
	}
	return first
}

// usage is a mistake in what was asked for.
func usage(what, hint string) error { return failure{what: what, hint: hint, status: statusUsage} }

// explain turns an error into what a person is told. Each kind of error that
// has its own exit status is named here and nowhere else.
func explain(err error) failure {
	var (
		told     failure
		asked    *request.UsageError
		choice   *lineup.ChoiceError
		settings *config.Errors
		held     *journal.HeldError
		missing  *journal.NotFoundError
		corrupt  *journal.CorruptError
		newer    *journal.NewerError
		gone     *journal.GoneError
		live     *journal.LiveError
		unasked  *trust.Error
		several  *severalError
		unknown  *carry.UnknownError
		away     *journal.AwayError
	)
	switch {
	case errors.As(err, &told):
		return told
	case errors.As(err, &several):
		return several.failure()
	case errors.As(err, &asked):
		return failure{asked.What, asked.Hint, statusUsage}
	case errors.As(err, &unknown):
		return failure{unknown.Error(), unknown.Hint(), statusUsage}
	case errors.As(err, &away):
		return failure{away.Error(), away.Hint(), statusUsage}
	case errors.As(err, &choice):
		return failure{choice.Error(), "choose one with -a NAME, or set agent = \"NAME\" in refrain.toml", statusUsage}
	case errors.As(err, &settings):
		hint := "\"refrain config validate\" lists every problem"
		if strings.HasPrefix(settings.Problems[0].File, "--") {
			hint = "see \"refrain run --help\""
		}
		return failure{settings.Error(), cmp.Or(settings.Hint(), hint), statusUsage}
	case errors.As(err, &unasked):
		return failure{unasked.Error(), unasked.Hint(), statusUsage}
	case errors.As(err, &held):
		return failure{heldBy(held.Holder), "wait for it, or end it with \"refrain stop\"; \"refrain status\" shows it", statusLocked}
	case errors.As(err, &live):
		return failure{live.What, live.Hint, statusLocked}
	case errors.As(err, &missing):
		hint := "\"refrain ls\" lists the runs here"
		switch {
		case missing.Away:
			hint = "use refrain where you moved it; \"refrain resume\" takes one of its runs along here"
		case missing.CopyOf != "":
			hint = fmt.Sprintf("\"refrain -C %s ls\" lists the runs there; \"refrain resume\" takes one along", missing.CopyOf)
		case len(missing.Near) == 0:
			hint = "start one with \"refrain run\", or see \"refrain demo\""
		}
		return failure{missing.Error(), hint, statusUsage}
	case errors.As(err, &corrupt):
		return failure{"the run cannot be read: " + corrupt.Error(), "start a new run: it moves the damaged one aside and loses nothing", statusFailed}
	case errors.As(err, &gone):
		return failure{gone.Error(), gone.Hint(), statusUsage}
	case errors.As(err, &newer):
		return failure{newer.Error(), "install a newer refrain", statusFailed}
	}
	f := failure{what: err.Error(), status: statusFailed}
	var hinted interface{ Hint() string }
	switch {
	case errors.As(err, &hinted):
		f.hint = hinted.Hint()
	case errors.Is(err, fs.ErrPermission):
		f.hint = "look at who owns the file and who may write to it"
	case files.NoSpace(err):
		f.hint = "free some disk space"
	}
	return f
}

func heldBy(h journal.Holder) string {
	what := "another run is live in this work tree"
	if h.Run != "" {
		what += ": " + h.Run
	}
	if h.PID != 0 {
		what += fmt.Sprintf(" (pid %d on %s, since %s)", h.PID, h.Host, h.Started.Local().Format("2006-01-02 15:04:05"))
	}
	return what
}

// noArguments refuses arguments, and at the root an unknown command.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasAvailableSubCommands() {
		hint := fmt.Sprintf("%q lists the commands", cmd.CommandPath()+" --help")
		what := fmt.Sprintf("unknown command %q", args[0])
		if theirs := foreign.Command(args); theirs != "" && !cmd.HasParent() {
			hint = theirs
		} else if near := nearestCommand(cmd, args[0]); near != "" {
			hint = fmt.Sprintf("did you mean %q?", cmd.CommandPath()+" "+near)
		} else if near, err := nearestProcedure(cmd, args[0]); near != "" {
			hint = fmt.Sprintf("did you mean %q?", cmd.CommandPath()+" "+near)
		} else if err != nil { // it may be one that somebody wrote
			what += ", and its procedures cannot be read: " + text.Line(err.Error())
			hint = "\"refrain config validate\" tells what is wrong with the settings"
		}
		return usage(what, hint)
	}
	return usage(fmt.Sprintf("%s takes no argument %q", cmd.CommandPath(), args[0]), "see \""+cmd.CommandPath()+" --help\"")
}

func nearestCommand(cmd *cobra.Command, name string) string {
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return setting.Nearest(name, names)
}

// nearestProcedure is the procedure that a word may stand for; an error when they
// cannot be read.
func nearestProcedure(cmd *cobra.Command, name string) (string, error) {
	if run, _, err := cmd.Find([]string{"run"}); cmd.HasParent() || err != nil || run == cmd {
		return "", nil
	}
	dir, _ := cmd.Flags().GetString("dir") // all commands have it
	list, err := request.Procedures(dir, nil)
	var names []string
	for _, p := range list {
		names = append(names, p.Name)
	}
	return setting.Nearest(name, names), err
}

// atMost refuses more than n arguments.
func atMost(n int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return usage(fmt.Sprintf("%s takes at most %s, not %d", cmd.CommandPath(), text.Plural(n, "argument"), len(args)), "see \""+cmd.CommandPath()+" --help\"")
		}
		return nil
	}
}

// some refuses no arguments at all.
func some(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usage(cmd.CommandPath()+" takes "+what, "see \""+cmd.CommandPath()+" --help\"")
		}
		return nil
	}
}

// exclusive refuses flags that contradict each other, by name.
func exclusive(pairs [][2]string) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		for _, p := range pairs {
			if cmd.Flags().Changed(p[0]) && cmd.Flags().Changed(p[1]) {
				return usage(fmt.Sprintf("--%s and --%s exclude each other", p[0], p[1]), "give one of them")
			}
		}
		return nil
	}
}
