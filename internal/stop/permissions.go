package stop

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/loop"
)

// Permissions stops a run whose agent was denied every command in the very
// first iteration: each later one would be as useless. The fix says what to do
// about it for this agent.
func Permissions(s *Settings) Rule {
	return Rule{Name: "permissions", Decide: permissions(s.PermissionsFix), Ends: []End{{
		Reason: loop.ByPermissions, State: loop.Aborted, Key: "permissions.mode",
		When:  "in the first iteration every command that the agent tried was denied, or the agent failed for lack of permissions",
		Short: "the first iteration was denied every command it tried", Default: "work",
	}}}
}

func permissions(fix string) loop.Rule {
	return func(f loop.Facts) loop.Verdict {
		o := f.Outcome
		if o == nil || f.State.Totals.Iterations != 1 {
			return none
		}
		why := "every command that the agent tried was denied (" + strings.Join(o.Denied, ", ") + ")"
		switch {
		case o.Error != nil && o.Error.Kind == loop.ErrPermission:
			why = "the agent was denied what it needs: " + o.Error.Message
		case !o.NoShell:
			return none
		}
		if fix != "" {
			why += "; " + fix
		}
		return end(loop.Aborted, loop.ByPermissions, why)
	}
}
