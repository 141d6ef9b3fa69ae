package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/text"
)

// settingFlags are the flags that are settings.
func (o runOptions) settingFlags() []settingFlag {
	if o.settings == nil {
		return runFlags
	}
	return o.settings
}

// asking is the flags that have a person asked.
func (o runOptions) asking() ([]config.Flag, error) {
	var flags []config.Flag
	if o.ask {
		flags = append(flags, config.Flag{Name: "--ask", Key: "loop.attended", Value: "true"})
	}
	if len(o.breakAt) > 0 {
		for _, n := range o.breakAt {
			if number, err := strconv.Atoi(n); err != nil || number < 1 {
				return nil, usage(fmt.Sprintf("--break-at %q is not an iteration", n), "write a number from 1")
			}
		}
		flags = append(flags, config.Flag{Name: "--break-at", Key: "ask.at", Value: `["` + strings.Join(o.breakAt, `","`) + `"]`})
	}
	for _, when := range o.breakOn {
		key, ok := map[string]string{"failure": "ask.on_failure", "done": "ask.done"}[when]
		if !ok {
			return nil, usage(fmt.Sprintf("--break-on %q", when), "use failure or done")
		}
		flags = append(flags, config.Flag{Name: "--break-on", Key: key, Value: "true"})
	}
	return flags, nil
}

// request is what was asked for, with the prompt read where it can only be
// read once.
func (o runOptions) request(sh *shell, cmd *cobra.Command) (request.Request, error) {
	flags, err := settingsOf(cmd.Flags(), o.settingFlags())
	if err != nil {
		return request.Request{}, err
	}
	if o.again {
		flags = slices.DeleteFunc(flags, func(f config.Flag) bool { return f.Key == "git.branch" })
	}
	if o.unlimited {
		flags = append(flags, config.Flag{Name: "--unlimited", Key: "loop.max_iterations", Value: "0"})
	}
	asking, err := o.asking()
	if err != nil {
		return request.Request{}, err
	}
	flags = append(flags, asking...)
	if o.noInhibit {
		flags = append(flags, config.Flag{Name: "--no-inhibit", Key: "loop.inhibit", Value: "false"})
	}
	if o.yolo {
		flags = append(flags, config.Flag{Name: "--yolo", Key: "permissions.mode", Value: "full"})
	}
	if model := cmd.Flags().Lookup("model"); model.Changed && wholeNumber().MatchString(model.Value.String()) {
		return request.Request{}, usage(fmt.Sprintf("-m is the model, and %q is none", model.Value), "descartes' -m: -n "+model.Value.String())
	}
	said, err := o.phaseFlags(cmd)
	if err != nil {
		return request.Request{}, err
	}
	req := request.Request{
		Procedure: o.procedure, Command: o.command, Words: o.sentence, Flags: append(flags, said...),
		Untrusted: o.untrusted, Consent: consent(cmd.Flags()),
	}
	if o.dryRun && req.Consent == request.Remembered {
		req.Consent = request.OnlyLooking
	}
	switch {
	case o.replace:
		req.Prompt, req.Words = cmp.Or(o.prompt, o.sentence), ""
	case o.procedure != "":
		req.Words = cmp.Or(o.prompt, o.sentence)
	default:
		req.Prompt = o.prompt
	}
	switch {
	case cmd.Flags().Changed("prompt") && strings.TrimSpace(o.prompt) == "":
		return req, usage("no prompt: -p is empty", "pass the text of the prompt, or -F FILE")
	case o.file == "-":
		text, err := io.ReadAll(sh.in)
		if err != nil {
			return req, fmt.Errorf("read the prompt from stdin: %w", err)
		}
		if req.Prompt = string(text); strings.TrimSpace(req.Prompt) == "" {
			return req, usage("no prompt: stdin is empty", "pipe the prompt in, or pass -p TEXT")
		}
	case cmd.Flags().Changed("prompt-file"):
		if req.File, err = filepath.Abs(o.file); err != nil {
			return req, fmt.Errorf("find the prompt file: %w", err)
		}
	}
	if req.Vars, err = variables(cmd); err != nil {
		return req, err
	}
	for _, c := range o.context {
		text, err := contextText(c)
		if err != nil {
			return req, err
		}
		req.Context = append(req.Context, text)
	}
	return req, nil
}

// variables reads NAME=VALUE.
func variables(cmd *cobra.Command) (map[string]string, error) {
	vars := map[string]string{}
	for _, arg := range given(cmd.Flags(), "var") {
		name, value, ok := strings.Cut(arg, "=")
		if !ok || !variableName().MatchString(name) {
			return nil, usage(fmt.Sprintf("--var wants NAME=VALUE, not %q", arg), "a name is letters, digits and _, such as --var topic=tests")
		}
		vars[name] = value
	}
	return vars, nil
}

// wholeNumber is what no model is called, and a limit is.
var wholeNumber = text.NewPattern(`^[0-9]+$`)

var variableName = text.NewPattern(`^[A-Za-z_][A-Za-z0-9_]*$`)

// phases are the sections of a procedure that a flag can replace.
var phases = []string{"observe", "orient", "decide", "act"}

// phaseFlags are the flags that replace sections, as settings of the procedure.
func (o runOptions) phaseFlags(cmd *cobra.Command) ([]config.Flag, error) {
	var list []config.Flag
	for _, phase := range phases {
		parts := given(cmd.Flags(), phase)
		if len(parts) == 0 {
			continue
		}
		if o.procedure == "" {
			return nil, usage("--"+phase+" needs a procedure", "name one: refrain run build --"+phase+" FILE")
		}
		var values []string
		for _, part := range parts {
			if strings.TrimSpace(part) == "" {
				return nil, usage("--"+phase+" is empty", "pass a file, builtin:NAME or text")
			}
			value, err := phasePart(phase, part)
			if err != nil {
				return nil, err
			}
			values = append(values, value)
		}
		list = append(list, config.Flag{
			Name: "--" + phase, Key: "procedures." + request.ProcedureName(o.procedure) + "." + phase, Value: "[" + strings.Join(values, ", ") + "]",
		})
	}
	return list, nil
}

// phasePart is one part as TOML: a fragment, a file that is there, or a text.
func phasePart(phase, part string) (string, error) {
	if strings.HasPrefix(part, "builtin:") {
		return tomlText(part), nil
	}
	if path, err := filepath.Abs(part); err == nil {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return tomlText(path), nil
		}
	}
	if !strings.ContainsAny(part, " \t\n") && (filepath.Ext(part) != "" || strings.Contains(part, "/")) {
		return "", usage(fmt.Sprintf("--%s names %s, and there is no such file", phase, part), "correct its name, or write a sentence")
	}
	return "{ text = " + tomlText(part) + " }", nil
}

// tomlText is a text as TOML writes it, which is also how JSON does.
func tomlText(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		return `""` // texts always marshal
	}
	return string(b)
}

// maxContext is more than any prompt may have.
const maxContext = 8 << 20

// contextText is the text itself, or that of the file behind an @.
func contextText(arg string) (string, error) {
	file, isFile := strings.CutPrefix(arg, "@")
	if !isFile {
		if strings.TrimSpace(arg) == "" {
			return "", usage("--context is empty", "pass text or @FILE")
		}
		return arg, nil
	}
	b, err := files.ReadFile(context.Background(), file, maxContext)
	if err != nil {
		return "", usage(fmt.Sprintf("read --context: %v", pathCause(err)), "name a file that can be read after the @")
	}
	return string(b), nil
}

// pathCause drops the system call's name from an error about a file.
func pathCause(err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		return fmt.Errorf("%s: %w", p.Path, p.Err)
	}
	return err
}
