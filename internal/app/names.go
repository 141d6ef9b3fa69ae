package app

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/history"
	"github.com/refrain-loop/refrain/internal/journal"
	"github.com/refrain-loop/refrain/internal/lineup"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/request"
	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/view"
)

// What the public package has to name although it knows only app.
type (
	Flag   = config.Flag
	Status = view.Status
	Stats  = view.Stats

	SettingsError = config.Errors
	HeldError     = journal.HeldError
	NotFoundError = journal.NotFoundError
	CorruptError  = journal.CorruptError
	NewerError    = journal.NewerError
	GoneError     = journal.GoneError
)

// EncodeEvent writes an event as the journal does.
func EncodeEvent(e loop.Event) ([]byte, error) { return journal.Encode(e) }

// DecodeEvent reads a line of a journal.
func DecodeEvent(line []byte) (loop.Event, error) { return journal.Decode(line) }

// Settings is the settings that hold for a request, by their keys and in TOML, less
// what is secret and what stands in tables of the user's naming.
func Settings(_ context.Context, dir string, req request.Request) (map[string]string, error) {
	a, err := request.In(dir, req)
	if err != nil {
		return nil, err
	}
	return settingTexts(req, a.Settings.Masked()), nil
}

// RecordedSettings is those that a run was started with, or last resumed with, in the
// same form.
func RecordedSettings(entry journal.Entry) (map[string]string, error) {
	held, err := history.Settings(entry)
	if err != nil {
		return nil, err
	}
	var req request.Request
	if len(entry.Flags) > 0 {
		if err := json.Unmarshal(entry.Flags, &req); err != nil {
			return nil, fmt.Errorf("read the request of %s: %w", entry.Name, err)
		}
	}
	for _, name := range req.ExtensionNames {
		if own, ok := strings.CutPrefix(name, "agent "); ok {
			req.Extensions.Agent = &request.Agent{Name: own} // what else it was is not kept
		}
	}
	return settingTexts(req, held), nil
}

func settingTexts(req request.Request, held map[string]config.Stored) map[string]string {
	values := map[string]string{}
	for _, r := range config.Rows() {
		s, ok := held[r.Key]
		if ok && r.Each == nil && !r.Secret && !strings.Contains(string(s.Value), setting.Mask) && canBeGiven(req, r, s) {
			values[r.Key] = string(s.Value)
		}
	}
	return values
}

// canBeGiven tells whether a setting that holds for a request can be given to another
// like it, and means the same then.
func canBeGiven(req request.Request, r setting.Row, s config.Stored) bool {
	_, takesBack, _, _ := r.Take("")
	switch {
	case s.BuiltIn() && (r.Key == "log.level" || r.Key == "prompt"):
		return false // who sets it wants a log on stderr, or that file, and nobody did
	case r.Key == "prompt" && (req.Prompt != "" || req.File != ""):
		return false // it has another
	case r.Key == "session.mode" && strings.HasPrefix(s.Layer, "profile "):
		return false // the profile, which is given, asks only those that can
	case string(s.Value) == `""` && takesBack && setting.Render(r.Default) != `""`:
		return false // it would take back what others say, and the default would hold
	}
	return lineup.Means(req, r.Key)
}

// HelperCalled tells whether this program can run its helpers. Without them no
// run can keep its processes.
func HelperCalled() bool {
	_, err := proc.HelperCommand("rehearsal")
	return err == nil
}
