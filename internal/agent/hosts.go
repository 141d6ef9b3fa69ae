package agent

import (
	"net"
	"net/url"
	"slices"
	"strings"
)

// sellers says which hosts a key is for, where the variable alone tells. Of a
// cloud (Bedrock, Vertex, Foundry, Azure) and of Cloudflare the host has a region
// or an account in its name, so nobody can tell but the user. XIAOMI_API_KEY and
// OPENCODE_AUTH_CONTENT are not known.
var sellers = map[string][]string{
	"AI_GATEWAY_API_KEY":           {"ai-gateway.vercel.sh"},
	"ANTHROPIC_API_KEY":            {"api.anthropic.com"},
	"ANTHROPIC_AUTH_TOKEN":         {"api.anthropic.com"},
	"ANTHROPIC_OAUTH_TOKEN":        {"api.anthropic.com"},
	"BAILIAN_CODING_PLAN_API_KEY":  {"coding.dashscope.aliyuncs.com", "coding-intl.dashscope.aliyuncs.com"},
	"CEREBRAS_API_KEY":             {"api.cerebras.ai"},
	"COHERE_API_KEY":               {"api.cohere.com"},
	"DASHSCOPE_API_KEY":            {"dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com"},
	"DEEPINFRA_API_KEY":            {"api.deepinfra.com"},
	"DEEPSEEK_API_KEY":             {"api.deepseek.com"},
	"FIREWORKS_API_KEY":            {"api.fireworks.ai"},
	"GEMINI_API_KEY":               {"generativelanguage.googleapis.com"},
	"GOOGLE_API_KEY":               {"generativelanguage.googleapis.com"},
	"GOOGLE_GENERATIVE_AI_API_KEY": {"generativelanguage.googleapis.com"},
	"GROQ_API_KEY":                 {"api.groq.com"},
	"KIMI_API_KEY":                 {"api.kimi.com"},
	"MINIMAX_API_KEY":              {"api.minimax.io", "api.minimaxi.com"},
	"MISTRAL_API_KEY":              {"api.mistral.ai"},
	"MOONSHOT_API_KEY":             {"api.moonshot.ai", "api.moonshot.cn"},
	"OPENAI_API_KEY":               {"api.openai.com"},
	"OPENCODE_API_KEY":             {"opencode.ai"},
	"OPENROUTER_API_KEY":           {"openrouter.ai"},
	"PERPLEXITY_API_KEY":           {"api.perplexity.ai"},
	"TOGETHER_API_KEY":             {"api.together.xyz"},
	"XAI_API_KEY":                  {"api.x.ai"},
	"ZAI_API_KEY":                  {"api.z.ai"},
	"ZHIPU_API_KEY":                {"open.bigmodel.cn"},
}

// anyBase is the variables with which agents that buy from whoever sells models
// are sent elsewhere.
var anyBase = []string{
	"ANTHROPIC_BASE_URL", "AZURE_API_BASE", "AZURE_OPENAI_ENDPOINT", "GOOGLE_GEMINI_BASE_URL",
	"OLLAMA_API_BASE", "OLLAMA_HOST", "OPENAI_API_BASE", "OPENAI_BASE_URL",
}

// Hosts is what an agent must reach to work, sorted: its own hosts, those of the
// providers whose keys are in an environment, and those that it is sent to by
// one. Each is HOST (for 443 and 80) or HOST:PORT. Of a program that we do not
// know nothing is known.
//
// The environment is to be the user's own: whoever may set it, decides where
// everything can be sent.
func Hosts(name string, env []string) []string {
	traits := TraitsOf(name)
	hosts := slices.Clone(traits.Hosts)
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		if value == "" {
			continue
		}
		if slices.Contains(traits.Secrets, name) {
			hosts = append(hosts, sellers[name]...)
		}
		if slices.Contains(traits.Bases, name) {
			hosts = append(hosts, baseHost(value)...)
		}
	}
	slices.Sort(hosts)
	return slices.Compact(hosts)
}

// baseHost is the host of a base address, with its port if that is not the
// usual one; none if it is no address.
func baseHost(base string) []string {
	if !strings.Contains(base, "://") {
		base = "http://" + base // as OLLAMA_HOST is written
	}
	u, err := url.Parse(base)
	if err != nil || u.Hostname() == "" {
		return nil
	}
	host, port := strings.ToLower(u.Hostname()), u.Port()
	usual := map[string]string{"https": "443", "http": "80"}[u.Scheme]
	switch {
	case usual == "":
		return nil
	case port == "":
		port = usual
	}
	// This machine itself is reached port by port.
	if ip := net.ParseIP(host); port == usual && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return []string{host}
	}
	return []string{net.JoinHostPort(host, port)}
}
