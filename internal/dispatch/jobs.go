package dispatch

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/cli"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/files"
	"github.com/refrain-loop/refrain/internal/fleet"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/tomlfile"
)

// job is one run of a file of them, and the line that it stands on.
type job struct {
	line   int
	values map[string]any
	err    error
}

// maxJobs is more than any file of jobs has.
const maxJobs = 64 << 20

// ofJobs is a run for each job of a file. Whatever is wrong with any of them is told,
// by its line, and then there is none.
func (s *site) ofJobs(ctx context.Context, path string, w wanted) ([]fleet.Spec, error) {
	if w.req.Words != "" || w.req.Prompt != "" || w.req.File != "" || w.req.Procedure != "" || len(w.req.Command) > 0 {
		return nil, cli.UsageError("the jobs say what is to be done, and so does the command line", "say what holds for all of them with flags, and with --context")
	}
	data, err := s.readJobs(ctx, path)
	if err != nil {
		return nil, err
	}
	list, err := jobsIn(path, data)
	if err != nil {
		return nil, err
	}
	if len(list) == 0 {
		return nil, cli.UsageError(path+" has no jobs", "write one like: {\"sentence\": \"Fix the failing tests\"}")
	}
	var specs []fleet.Spec
	var wrong []error
	for _, j := range list {
		spec, err := s.ofJob(ctx, j, w)
		if err != nil {
			what, hint := cli.Explain(told(err))
			wrong = append(wrong, cli.UsageError(fmt.Sprintf("%s:%d: %s", path, j.line, what), hint))
			continue
		}
		specs = append(specs, spec)
	}
	if len(wrong) == 0 {
		return specs, nil
	}
	for _, err := range wrong {
		s.Complain(err)
	}
	return nil, cli.UsageError(fmt.Sprintf("%d of %d jobs cannot be handed in, so none was", len(wrong), len(list)), "correct the lines above, and say it again")
}

func (s *site) readJobs(ctx context.Context, path string) ([]byte, error) {
	if path == "-" {
		return io.ReadAll(io.LimitReader(s.In(), maxJobs))
	}
	data, err := files.ReadFile(ctx, path, maxJobs)
	if err != nil {
		return nil, cli.UsageError(fmt.Sprintf("read --jobs: %v", err), "name a file that can be read, or - for stdin")
	}
	return data, nil
}

// jobsIn reads a file of jobs. One that is no JSON is kept with what is wrong with it.
func jobsIn(path string, data []byte) ([]job, error) {
	if filepath.Ext(path) == ".toml" {
		return tomlJobs(path, data)
	}
	var list []job
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, maxJobs)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		j := job{line: n}
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&j.values); err != nil || j.values == nil {
			j.err = cli.UsageError("this is no JSON object", "write one job a line: {\"sentence\": \"…\"}")
		} else if _, err := d.Token(); !errors.Is(err, io.EOF) {
			j.err = cli.UsageError("there is more than one JSON object on the line", "write one job a line")
		}
		list = append(list, j)
	}
	return list, lines.Err()
}

func tomlJobs(path string, data []byte) ([]job, error) {
	doc, bad := tomlfile.Parse(data)
	if bad != nil {
		return nil, cli.UsageError(fmt.Sprintf("%s:%d: %s", path, bad.Line, bad.What), bad.Hint)
	}
	for _, key := range slices.Sorted(maps.Keys(doc.Values)) {
		if key != "job" {
			return nil, cli.UsageError(fmt.Sprintf("%s:%d: %s is not known here", path, doc.At([]string{key}).Line, key), "write [[job]], and the keys of each job below it")
		}
	}
	tables, ok := doc.Values["job"].([]any)
	if !ok && doc.Values["job"] != nil {
		return nil, cli.UsageError(fmt.Sprintf("%s:%d: job must be a list of tables", path, doc.At([]string{"job"}).Line), "write [[job]], with two brackets")
	}
	var list []job
	for i, table := range tables {
		j := job{line: doc.At([]string{"job", fmt.Sprint(i)}).Line}
		if j.values, ok = table.(map[string]any); !ok {
			j.err = cli.UsageError("a job must be a table", "write [[job]]")
		}
		list = append(list, j)
	}
	return list, nil
}

// jobKeys is what a job can say, and what that makes of a run.
var jobKeys = map[string]func(w *wanted, value any) error{
	"sentence":       inText(func(w *wanted, s string) { w.req.Words = s }),
	"prompt":         inText(func(w *wanted, s string) { w.req.Prompt = s }),
	"prompt_file":    inText(func(w *wanted, s string) { w.req.File = s }),
	"procedure":      inText(func(w *wanted, s string) { w.req.Procedure = s }),
	"name":           inText(func(w *wanted, s string) { w.name = s }),
	"branch":         inText(func(w *wanted, s string) { w.branch = s }),
	"queue":          ofFleet("fleet.queue"),
	"remote":         ofFleet("fleet.remote"),
	"base":           ofFleet("fleet.base"),
	"priority":       ofFleet("fleet.priority"),
	"agent":          ofRun("agent"),
	"model":          ofRun("model"),
	"until":          ofRun("done.promise"),
	"max_iterations": ofRun("loop.max_iterations"),
	"max_time":       ofRun("loop.max_time"),
	"max_cost":       ofRun("budget.cost_usd"),
	"max_tokens":     ofRun("budget.tokens"),
	"permissions":    ofRun("permissions.mode"),
	"command":        inTexts(func(w *wanted, list []string) { w.req.Command = list }),
	"context":        inTexts(func(w *wanted, list []string) { w.req.Context = append(slices.Clip(w.req.Context), list...) }),
	"gates": inTexts(func(w *wanted, list []string) {
		for _, line := range list {
			w.req.Flags = append(w.req.Flags, config.Flag{Name: "--gate", Key: "gate", Value: line})
		}
	}),
	"vars": inTable(func(w *wanted, name, value string) {
		w.req.Vars = maps.Clone(w.req.Vars)
		w.req.Vars[name] = value
	}),
	"set": inTable(func(w *wanted, key, value string) {
		f := config.Flag{Name: "--set", Key: key, Value: value}
		if isFleets(key) {
			w.flags = append(w.flags, f)
			return
		}
		w.req.Flags = append(w.req.Flags, f)
	}),
}

// ofJob is the run of a job.
func (s *site) ofJob(ctx context.Context, j job, w wanted) (fleet.Spec, error) {
	if j.err != nil {
		return fleet.Spec{}, j.err
	}
	w.req.Flags, w.req.Vars = slices.Clip(w.req.Flags), maps.Clone(w.req.Vars)
	if w.req.Vars == nil {
		w.req.Vars = map[string]string{}
	}
	for _, key := range slices.Sorted(maps.Keys(j.values)) {
		take, ok := jobKeys[key]
		if !ok {
			known := slices.Sorted(maps.Keys(jobKeys))
			hint := setting.DidYouMean(key, known)
			if hint == "" {
				hint = "a job has " + strings.Join(known, ", ")
			}
			return fleet.Spec{}, cli.UsageError(fmt.Sprintf("a job has no %q", key), hint)
		}
		if err := take(&w, j.values[key]); err != nil {
			what, hint := cli.Explain(err)
			return fleet.Spec{}, cli.UsageError(key+" "+what, hint)
		}
	}
	if w.req.Words != "" && w.req.Prompt != "" {
		return fleet.Spec{}, cli.UsageError("there are two prompts: sentence and prompt", "say all of it in one of them")
	}
	if w.req.Words == "" && w.req.Prompt == "" && w.req.File == "" && w.req.Procedure == "" && len(w.req.Command) == 0 {
		return fleet.Spec{}, cli.UsageError("the job says nothing of what is to be done", "give it a sentence, a prompt, a prompt_file, a procedure or a command")
	}
	w.req = w.req.Canonical()
	return s.spec(ctx, w)
}

var errNoText = cli.UsageError("must be a text that is not empty", "write it in quotes")

func inText(take func(*wanted, string)) func(*wanted, any) error {
	return func(w *wanted, v any) error {
		s, ok := v.(string)
		if !ok || strings.TrimSpace(s) == "" {
			return errNoText
		}
		take(w, s)
		return nil
	}
}

func inTexts(take func(*wanted, []string)) func(*wanted, any) error {
	return func(w *wanted, v any) error {
		items, ok := v.([]any)
		var list []string
		for _, item := range items {
			s, isText := item.(string)
			if !isText || strings.TrimSpace(s) == "" {
				ok = false
			}
			list = append(list, s)
		}
		if !ok || len(list) == 0 {
			return cli.UsageError("must be a list of texts", `write it like ["make test"]`)
		}
		take(w, list)
		return nil
	}
}

// inTable takes a table of texts, numbers, truths and lists, as the command line would.
func inTable(take func(w *wanted, key, value string)) func(*wanted, any) error {
	return func(w *wanted, v any) error {
		table, ok := v.(map[string]any)
		if !ok {
			return cli.UsageError("must be a table", `write it like { "loop.max_time" = "2h" }, in JSON with a colon`)
		}
		for _, key := range slices.Sorted(maps.Keys(table)) {
			value, err := typed(table[key])
			if err != nil {
				return err
			}
			take(w, key, value)
		}
		return nil
	}
}

// typed is a value as somebody would type it behind a flag.
func typed(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, nil
	case bool, json.Number, int64, float64:
		return fmt.Sprint(v), nil
	case []any:
		b, err := json.Marshal(v)
		return string(b), err // which TOML reads too
	}
	return "", cli.UsageError("must be a text, a number, true or false, or a list", "put a table into single keys, each with dots")
}

func ofRun(key string) func(*wanted, any) error {
	return func(w *wanted, v any) error {
		value, err := typed(v)
		if err != nil {
			return err
		}
		w.req.Flags = append(w.req.Flags, config.Flag{Name: "--set", Key: key, Value: value})
		return nil
	}
}

func ofFleet(key string) func(*wanted, any) error {
	return func(w *wanted, v any) error {
		value, err := typed(v)
		if err != nil {
			return err
		}
		w.flags = append(w.flags, config.Flag{Name: "--set", Key: key, Value: value})
		return nil
	}
}

// isFleets tells whether a key is about the fleet, and not about the run.
func isFleets(key string) bool { return strings.HasPrefix(key, "fleet.") }
