package app

import (
	"fmt"
	"log/slog"
	"testing"

	"github.com/refrain-loop/refrain/internal/loop"
)

func TestTheLogNamesTheSandbox(t *testing.T) {
	fenced := &loop.Sandbox{Mode: "none", Wanted: "auto", Why: "so"}
	for _, tt := range []struct {
		payload loop.Payload
		level   slog.Level
		want    string
	}{
		{&loop.RunStarted{Name: "build-7", Agent: "claude", Sandbox: fenced}, slog.LevelInfo, "[name=build-7 agent=claude sandbox=none (so)]"},
		{&loop.RunStarted{Name: "build-7", Agent: "claude"}, slog.LevelInfo, "[name=build-7 agent=claude]"},
		{&loop.RunResumed{From: loop.Crashed, Sandbox: fenced}, slog.LevelInfo, "[from=crashed sandbox=none (so)]"},
		{&loop.SandboxRefused{What: loop.RefusedHost, Name: "pypi.org", By: "agent"}, slog.LevelWarn, "[what=host name=pypi.org by=agent]"},
	} {
		level, attrs := describe(tt.payload)
		if got := fmt.Sprint(attrs); level != tt.level || got != tt.want {
			t.Errorf("%s: %s %s, want %s %s", tt.payload.Type(), level, got, tt.level, tt.want)
		}
	}
}
