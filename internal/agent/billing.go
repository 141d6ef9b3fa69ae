package agent

// keys names the variables by which a CLI that also knows subscriptions is
// made to bill an API key.
var keys = map[string][]string{
	"claude":  {"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"},
	"codex":   {"CODEX_API_KEY"},
	"gemini":  {"GEMINI_API_KEY", "GOOGLE_API_KEY"},
	"copilot": {"COPILOT_PROVIDER_API_KEY"},
}

// BilledBy is the variable that makes the agent bill an API key and not a
// subscription; empty when the environment has none.
func BilledBy(name string, getenv func(string) string) string {
	for _, key := range keys[name] {
		if getenv(key) != "" {
			return key
		}
	}
	return ""
}
