package lineup

import (
	"os"
	"strings"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/loop"
	"github.com/refrain-loop/refrain/internal/request"
)

// Unbound tells whether the agent may do anything on a machine that is not made for
// that: whatever it does outside of a sandbox is done to the user.
func (l *Lineup) Unbound() bool {
	req := l.assignment.Request
	return l.config().Permissions.Mode == "full" && len(req.Command) == 0 && req.Extensions.Agent == nil && !contained()
}

// Warnings is what a person should know of the agent before the run starts.
func (l *Lineup) Warnings(confined bool) []loop.Warning {
	var list []loop.Warning
	req := l.assignment.Request
	if l.Unbound() && !confined {
		list = append(list, loop.Warning{
			Text: l.Name() + " may do anything on this machine, unasked (permissions.mode is full)",
			Hint: "use full in a container or a virtual machine only",
		})
	}
	if req.Untrusted && l.ownCommand() {
		list = append(list, loop.Warning{
			Text: l.Name() + " is a command of your own: what it takes from this work tree is for it to say: nothing is kept from it",
			Hint: "have it leave the settings of the work tree alone, or use " + strings.Join(agent.Ignores(), ", "),
		})
	}
	if key := BilledBy(l.Name()); key != "" {
		list = append(list, loop.Warning{
			Text: key + " is set: " + l.Name() + " bills that key, not a subscription",
			Hint: "unset it if you have a subscription and mean to use that",
		})
	}
	if leadsOut(l.assignment.Tree) && len(req.Command) == 0 {
		list = append(list, loop.Warning{
			Text: systemName + " is a link that leads out of the work tree: it is not passed on to " + l.Name(),
			Hint: "copy the file there",
		})
	}
	return list
}

// ownCommand tells whether somebody else wrote how the agent is called.
func (l *Lineup) ownCommand() bool {
	req := l.assignment.Request
	return len(req.Command) > 0 || req.Extensions.Agent != nil || !l.config().Agents[l.Name()].Command.IsZero()
}

// RefusedRoot is what to do about an agent that would refuse to work as root;
// empty when it would not. In a sandbox it is told that it may.
func RefusedRoot(name string, c config.Config, confined bool) string {
	variable := agent.TraitsOf(name).Root
	if variable == "" || c.Permissions.Mode != "full" || confined || os.Geteuid() != 0 || os.Getenv(variable) == "1" {
		return ""
	}
	return "run as an ordinary user, use --permissions work, or set " + variable + "=1 if this is a container"
}

// CheckRoot tells whether whoever works would refuse to, in the sandbox that there is.
func (l *Lineup) CheckRoot(confined bool) error {
	req := l.assignment.Request
	if len(req.Command) > 0 || req.Extensions.Agent != nil {
		return nil
	}
	for _, name := range l.Names() {
		if fix := RefusedRoot(name, l.config(), confined); fix != "" && l.config().Agents[name].Command.IsZero() {
			return &request.UsageError{What: name + " refuses to skip permissions when run by root", Hint: fix}
		}
	}
	return nil
}

// BilledBy is the variable that makes the agent bill an API key where it could
// bill a subscription; empty when the environment has none.
func BilledBy(name string) string {
	for _, key := range agent.TraitsOf(name).Keys {
		if os.Getenv(key) != "" {
			return key
		}
	}
	return ""
}

// contained tells whether this program runs in a container, as far as can be
// told: by the marks that the common ones leave.
func contained() bool {
	for _, mark := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(mark); err == nil {
			return true
		}
	}
	for _, name := range []string{"container", "DEVCONTAINER", "KUBERNETES_SERVICE_HOST"} {
		if os.Getenv(name) != "" {
			return true
		}
	}
	b, err := os.ReadFile("/proc/1/cgroup")
	return err == nil && (strings.Contains(string(b), "docker") || strings.Contains(string(b), "kubepods") || strings.Contains(string(b), "lxc"))
}
