package agent_test

import (
	"testing"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/proxy"
)

// Every host of an agent is one that the proxy takes.
func TestHostsAreHosts(t *testing.T) {
	for _, name := range agent.BuiltIn() {
		var env []string
		for _, key := range agent.TraitsOf(name).Secrets {
			env = append(env, key+"=k")
		}
		for _, base := range agent.TraitsOf(name).Bases {
			env = append(env, base+"=http://localhost/v1")
		}
		for _, host := range agent.Hosts(name, env) {
			if err := proxy.Valid(host); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
