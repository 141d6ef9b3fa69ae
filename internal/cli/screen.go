package cli

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/loop"
	lines "github.com/refrain-loop/refrain/internal/term"
	"github.com/refrain-loop/refrain/internal/view"
)

// outputs are the ways to show a run.
var outputs = []string{"auto", "plain", "json", "quiet", "lines", "live", "tui"}

func addOutput(f *pflag.FlagSet, output *string) {
	f.StringVarP(output, "output", "o", "auto", "how to show the run: "+strings.Join(outputs, ", "))
	f.Var(jsonOutput{output}, "json", "the same as -o json")
	f.Lookup("json").NoOptDefVal = "true"
}

// jsonOutput is the flag by which every command prints JSON, for one that has more
// ways than two.
type jsonOutput struct{ output *string }

func (j jsonOutput) Set(s string) error {
	on, err := strconv.ParseBool(s)
	if on {
		*j.output = "json"
	}
	return err
}

func (j jsonOutput) String() string {
	return strconv.FormatBool(j.output != nil && *j.output == "json")
}

func (jsonOutput) Type() string { return "bool" }

// IsBoolFlag says that it takes no value.
func (jsonOutput) IsBoolFlag() bool { return true }

// screen shows a run in the way that was asked for. What it shows of the past
// is known only when the run is open, so it is made first and filled later.
type screen struct {
	sh   *shell
	kind string
	out  lines.Output

	brief bool // what the run came to is told by somebody else
}

// showing is the way in which a run is shown: as the flag says, else on a terminal as
// the settings do. The whole screen is taken only where somebody sits who can leave it.
func showing(sh *shell, flag string, setting string) (kind string, err error) {
	switch {
	case !slices.Contains(outputs, flag):
		return "", usage(fmt.Sprintf("unknown output %q", flag), "use one of "+strings.Join(outputs, ", "))
	case flag == "tui":
		return flag, sh.canFillScreen("-o tui", "refrain logs -f")
	case flag != "auto":
		return flag, nil
	case !isTerminal(sh.out):
		return "plain", nil
	case setting == "tui" && (!sh.person() || sh.canFillScreen("", "refrain logs -f") != nil || os.Getenv("TERM") == "" || os.Getenv("CI") != ""):
		return "live", nil
	}
	return setting, nil
}

func newScreen(sh *shell, flag, setting string) (*screen, error) {
	kind, err := showing(sh, flag, setting)
	return &screen{sh: sh, kind: kind}, err
}

// show begins, with what is known of the run so far.
func (s *screen) show(past *view.Run) {
	switch s.kind {
	case "plain":
		s.out = lines.Plain(s.sh.out, past)
	case "json":
		s.out = lines.JSON(s.sh.out)
	case "quiet":
		s.out = lines.Quiet(s.sh.out, past)
	case "lines":
		s.out = lines.Lines(s.sh.out, past, s.sh.look())
	default:
		look := s.sh.look()
		look.Brief = s.brief
		s.out = lines.Auto(s.sh.out, past, look)
	}
}

// Observe shows one event.
func (s *screen) Observe(e loop.Event) { s.out.Observe(e) }

func (s *screen) close() {
	if s.out != nil {
		s.out.Close()
	}
}
