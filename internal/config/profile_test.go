package config

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProfilesLoadClean(t *testing.T) {
	if got, want := Profiles(), []string{"descartes", "fresher", "rooda", "tachikoma"}; !cmp.Equal(got, want) {
		t.Fatalf("Profiles() = %q, want %q", got, want)
	}
	for _, name := range Profiles() {
		r := load(t, Sources{Flags: []Flag{{"--profile", "profile", name}}, Agents: []string{"command", "rehearsal"}})
		set := 0
		for _, s := range r.Settings() {
			if s.Layer == "profile "+name {
				set++
			}
		}
		if r.Config.Profile != name || set == 0 {
			t.Errorf("profile %s: resolved as %q with %d settings", name, r.Config.Profile, set)
		}
	}
}

func TestProfilesReproduceTheirSystems(t *testing.T) {
	tests := []struct {
		name, profile string
		got           func(Config) any
		want          any
	}{
		{"tachikoma pauses", "tachikoma", func(c Config) any { return c.Loop.IterationDelay }, 5 * time.Second},
		{"tachikoma has no limit", "tachikoma", func(c Config) any { return c.Loop.MaxIterations }, 0},
		{"rooda gives up after three failures", "rooda", func(c Config) any { return c.Stop.Failures }, 3},
		{"rooda ends the agent on Ctrl+C", "rooda", func(c Config) any { return c.Loop.OnInterrupt }, "kill"},
		{"rooda goes on without progress", "rooda", func(c Config) any { return c.Stop.NoProgress }, 0},
		{"rooda takes a failing gate for a failure", "rooda", func(c Config) any { return c.Stop.GatesAreFailures }, true},
		{"tachikoma gives up after three test failures", "tachikoma", func(c Config) any { return c.Stop.TestFailures }, 3},
		{"fresher ends at the first failure", "fresher", func(c Config) any { return c.Stop.Failures }, 1},
		{"fresher ends without a commit", "fresher", func(c Config) any { return []any{c.Stop.NoProgress, c.Loop.Progress[0]} }, []any{1, "commits"}},
		{"descartes takes a loose promise", "descartes", func(c Config) any { return c.Done.Match }, "substring"},
		{"descartes never counts failures", "descartes", func(c Config) any { return c.Stop.Failures }, 0},
		{"descartes has no time-out", "descartes", func(c Config) any { return c.Loop.IterationTimeout }, time.Duration(0)},
		{"descartes tells the iteration", "descartes", func(c Config) any { return c.Loop.IterationContext }, Yes},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := Sources{Environ: []string{"REFRAIN_PROFILE=" + tt.profile}, Kind: AdHocCommand}
			if got := tt.got(load(t, s).Config); !cmp.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestTheHighestProfileIsTaken(t *testing.T) {
	s := project(t, "profile = \"rooda\"\nloop.on_interrupt = \"finish\"\n")
	s.Flags = []Flag{{"--profile", "profile", "fresher"}}
	c := load(t, s).Config
	if c.Stop.Failures != 1 || c.Loop.OnInterrupt != "finish" {
		t.Errorf("failures %d, on_interrupt %s; want fresher's 1 and the project's finish", c.Stop.Failures, c.Loop.OnInterrupt)
	}
	s.Flags = []Flag{{"--profile", "profile", ""}}
	if got := load(t, s).Config.Stop.NoProgress; got != 5 {
		t.Errorf("with the profile taken away no_progress = %d, want 5", got)
	}
}
