package refrain

import (
	"context"
	"strconv"
	"time"

	"github.com/refrain-loop/refrain/internal/app"
	"github.com/refrain-loop/refrain/internal/setting"
)

// Unlimited is no limit: for MaxIterations, where 0 leaves it to the settings, and
// for any key whose values are whole numbers.
const Unlimited = -1

// Key is the key of a setting whose values are of a type: KeyLoopMaxTime is
// "loop.max_time", and a time.Duration.
type Key[T bool | int | float64 | string | time.Duration | []string] string

// Setting is a setting with its value, for Options.Set.
type Setting struct {
	key   string
	value string // as TOML, or as plain text where that is meant
}

// Is gives the setting a value. An empty text or list takes back what refrain.toml,
// the environment or a profile says, as Unset does.
func (k Key[T]) Is(value T) Setting {
	s := Setting{key: string(k)}
	switch v := any(value).(type) {
	case string:
		if s.value = v; v != "" && v != "true" && v != "false" { // which may be meant as that
			s.value = setting.Render(v)
		}
	case int:
		s.value = strconv.Itoa(max(v, 0))
		if v < Unlimited {
			s.value = strconv.Itoa(v) // nobody means that: it is told
		}
	case []string:
		if len(v) > 0 {
			s.value = setting.Render(v)
		}
	case time.Duration:
		s.value = v.String()
	default:
		s.value = setting.Render(v)
	}
	return s
}

// Unset takes back what refrain.toml, the environment or a profile says of it.
func (k Key[T]) Unset() Setting { return Setting{key: string(k)} }

// Key is the setting's, such as "loop.max_time".
func (s Setting) Key() string { return s.key }

// String is the setting as "refrain run --set" takes it.
func (s Setting) String() string { return s.key + "=" + s.value }

// SettingsOf is the settings that hold for a run with these options, by their keys:
// from refrain.toml, the environment, profiles and the options themselves. They can
// be written as JSON, and be the Settings of other options with the same kind of
// agent. Secrets are left out, and so are gates, agents, prices and procedures,
// prompt and log.level where nobody has set them, and what means nothing to who
// works, such as "agent" to a Command.
//
// The error is a *UsageError when the options or the settings make no sense.
func SettingsOf(ctx context.Context, o Options) (map[string]string, error) {
	o.Control = looking(o.Control)
	req, err := o.request()
	if err != nil {
		return nil, public(err)
	}
	values, err := app.Settings(ctx, orHere(o.Dir), req)
	return values, bySet(public(err), o.Set)
}
