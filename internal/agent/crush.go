package agent

import (
	"errors"
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/text"
)

// Crush. What it prints was measured; the rest is from its source and
// its documentation, for it could not be run here.
//
// It prints plain text: what it said, one message right behind the other, and on
// stderr why it failed. It tells no tokens, no tools and no session, and ends with
// status 0 after a refusal and after a reply that was cut off. It reads AGENTS.md
// by itself. INT makes it end its tools, TERM does not.
func newCrush(o Options) (Agent, error) {
	if o.Permissions == "edits" && len(o.Command) == 0 {
		return nil, commandsAnyway(o.Name)
	}
	return newCLI(o, cli{
		program: "crush",
		format:  "crush",
		traits: Traits{
			Measured: []string{"0.90.0"},
			Secrets:  anyProvider, Bases: anyBase, Home: "https://github.com/charmbracelet/crush",
			Hosts: []string{"catwalk.charm.land"}, // the list of models; providers by their keys
			State: State{
				Folder: ".local/share/crush", In: "CRUSH_GLOBAL_DATA", More: []string{".cache/crush/"}, Private: []string{".config/crush"},
				Secret: []string{"crush.json"},
			},
		},
		first: "INT",
		env: map[string]string{
			"CRUSH_DISABLE_METRICS":              "1",
			"CRUSH_DISABLE_PROVIDER_AUTO_UPDATE": "1",
		},
		args: crushArgs,
		takes: Takes{
			// From the folder it works in and those above. A crushrc is a program, as are
			// plugins.
			Settings: []string{".crush.json", "crush.json"},
			Scripts:  []string{".crushrc", "crushrc", ".crush/hooks/"},
			Code:     []string{".crush/plugins/"},
			Skills:   []string{".crush/skills/", ".agents/skills/", ".claude/skills/", ".cursor/skills/"},
		},
	})
}

// crushArgs has no modes: it says yes to all its tools when nobody is there.
func crushArgs(_ Options, c Call) ([]string, error) {
	args := []string{"run", "--quiet"}
	if c.Model != "" {
		args = append(args, "--model", c.Model)
	}
	return args, nil
}

// crushDecoder reads its text, and on stderr why it failed: a word in a line of its
// own, and then the reason, broken wherever the screen would end.
type crushDecoder struct {
	Decoder
	report report
	fails  bool
	why    []string
}

func newCrushDecoder(o Options) Decoder {
	return &crushDecoder{Decoder: newTextDecoder(o), report: report{options: o}}
}

// crushHeader is that word, a badge with colours on a terminal. The reason may stand
// behind it.
var crushHeader = text.NewPattern(`^(?:ERROR!?:?(?:\s+|$)|Error: )(.*)$`)

func (d *crushDecoder) Complain(line []byte) []loop.Payload {
	said := strings.TrimSpace(text.StripEscapes(text.Valid(string(line))))
	if header := crushHeader().FindStringSubmatch(said); header != nil {
		d.fails, d.why, said = true, nil, header[1]
	}
	if d.fails && said != "" {
		d.why = append(d.why, said)
	}
	return nil
}

func (d *crushDecoder) Close(exit loop.Exit) []loop.Payload {
	last := d.Decoder.Close(exit)
	if exit.Zero() || exit.Cause != loop.Exited || len(d.why) == 0 {
		return last
	}
	d.report.failed(fault{text: strings.Join(d.why, " ")})
	for i, p := range last {
		if _, ok := p.(*loop.AgentResult); ok {
			last[i] = d.report.result
		}
	}
	return append(d.report.take(), last...)
}

// commandsAnyway is why an agent is not made for "edits": it would run commands all
// the same, and nobody would be told.
func commandsAnyway(name string) error {
	return errors.New(name + ` cannot be kept from running commands, so there is no permissions.mode = "edits" for it: use "work"`)
}
