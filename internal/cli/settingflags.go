package cli

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/text"
)

// settingFlag is a flag that sets one key.
type settingFlag struct{ name, short, key, help string }

// limitFlags set limits.
var limitFlags = []settingFlag{
	{"max-iterations", "n", "loop.max_iterations", "stop after N iterations (0 is unlimited)"},
	{"max-time", "", "loop.max_time", "stop after this much time, such as 8h or 2d"},
	{"max-cost", "", "budget.cost_usd", "stop when this much money is spent"},
	{"max-tokens", "", "budget.tokens", "stop when this many tokens are used"},
	{"iteration-timeout", "", "loop.iteration_timeout", "end an iteration after this time"},
	{"idle-timeout", "", "loop.idle_timeout", "end an iteration after this much silence"},
}

// sandboxFlag says what agents and gates are held in.
var sandboxFlag = settingFlag{"sandbox", "", "sandbox.mode", "what agent and gates are held in: auto, namespaces, landlock, seatbelt, docker, podman, none"}

// resumeFlags are what a resume takes.
var resumeFlags = append(slices.Clip(limitFlags), sandboxFlag)

// standAlone are the flags that need no value, and then say true.
var standAlone = []string{"commit", "branch"}

// addSettings adds flags that set keys, --gate, and --set for all the others.
func addSettings(f *pflag.FlagSet, flags []settingFlag) {
	addFlags(f, flags)
	f.StringArray("gate", nil, "a command that must pass before a claim is believed (repeatable)")
	f.StringArray("set", nil, "set any key, as KEY=VALUE (repeatable; \"refrain config show\" lists the keys)")
}

// addFlags adds flags that set keys.
func addFlags(f *pflag.FlagSet, flags []settingFlag) {
	for _, s := range flags {
		f.StringP(s.name, s.short, "", s.help)
		if slices.Contains(standAlone, s.name) {
			f.Lookup(s.name).NoOptDefVal = "true"
		}
	}
}

// timeFlag is a flag for how long, which also knows days.
func timeFlag(f *pflag.FlagSet, name, help string) *time.Duration {
	d := new(timeValue)
	f.Var(d, name, help)
	return (*time.Duration)(d)
}

type timeValue time.Duration

func (d *timeValue) Set(s string) error {
	read, err := setting.ReadDuration(s)
	*d = timeValue(read)
	return err
}

func (d *timeValue) String() string { return text.Seconds(time.Duration(*d)) }

func (*timeValue) Type() string { return "duration" }

// settingsOf reads the flags that were given, in the order of the table.
func settingsOf(f *pflag.FlagSet, flags []settingFlag) ([]config.Flag, error) {
	var list []config.Flag
	for _, arg := range given(f, "set") {
		flag, err := config.ParseSet(arg)
		if err != nil {
			return nil, err
		}
		list = append(list, flag)
	}
	for _, s := range flags {
		if flag := f.Lookup(s.name); flag.Changed {
			list = append(list, config.Flag{Name: "--" + s.name, Key: s.key, Value: flag.Value.String()})
		}
	}
	for _, command := range given(f, "gate") {
		if strings.TrimSpace(command) == "" {
			return nil, usage("--gate is empty", "pass the command that must pass")
		}
		list = append(list, config.Flag{Name: "--gate", Key: "gate", Value: command})
	}
	return list, nil
}

// given is every value of a repeatable flag. GetStringArray takes one empty
// value for none.
func given(f *pflag.FlagSet, name string) []string {
	values, ok := f.Lookup(name).Value.(pflag.SliceValue)
	if !ok {
		return nil // no flag of ours
	}
	return values.GetSlice()
}
