package realtest

import "testing"

// recipe is how a CLI is set up so that it talks to the model at {url} and to
// nobody else. What it needs for headless use is for refrain to say, not here.
type recipe struct {
	name  string
	model string
	cost  costs
	env   []string          // {url} is filled in
	files map[string]string // below the home; {url} is filled in
	// impatient CLIs give up on a broken server within seconds.
	impatient bool
	// ignoresNoProxy is for one that would send loopback through the proxy too.
	ignoresNoProxy bool
	// asks is whom it asks for all the same, and takes a no from: METHOD HOST.
	asks string
}

// costs is where the cost of an attempt is from.
type costs string

const (
	told      costs = "told"      // by the CLI
	estimated costs = "estimated" // from its tokens
	unknown   costs = "unknown"
)

// recipes is every CLI that is tested, in the order of their cost to start.
var recipes = []recipe{
	{
		name: "claude", model: "claude-sonnet-4-5", cost: told, impatient: true,
		env: []string{
			"ANTHROPIC_BASE_URL={url}", "ANTHROPIC_API_KEY=sk-test",
			"CLAUDE_CODE_MAX_RETRIES=1", // its own ten take three minutes
		},
	},
	{
		name: "codex", model: "gpt-5-codex", cost: estimated, impatient: true,
		env: []string{"FAKE_KEY=sk-test"},
		files: map[string]string{".codex/config.toml": `
model_provider = "fake"

[features]
plugins = false # else it looks for them on github.com and chatgpt.com

[model_providers.fake]
name = "fake"
base_url = "{url}/v1"
env_key = "FAKE_KEY"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`},
	},
	{
		name: "opencode", model: "fake/fake-model", cost: told,
		env: []string{
			"OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1",
			"npm_config_offline=true", // else it installs a package below its settings
		},
		files: map[string]string{".config/opencode/opencode.json": `{
  "autoupdate": false, "share": "disabled", "small_model": "fake/fake-model",
  "provider": {"fake": {
    "npm": "@ai-sdk/openai-compatible", "name": "fake", "options": {"baseURL": "{url}/v1", "apiKey": "sk-test"},
    "models": {"fake-model": {
      "name": "fake-model", "limit": {"context": 200000, "output": 32000},
      "cost": {"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75}
    }}
  }}
}`},
	},
	{
		name: "gemini", model: "gemini-2.5-pro", cost: estimated,
		env: []string{"GEMINI_API_KEY=sk-test", "GOOGLE_GEMINI_BASE_URL={url}"},
		files: map[string]string{".gemini/settings.json": `{
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "telemetry": {"enabled": false}, "privacy": {"usageStatisticsEnabled": false},
  "general": {"disableAutoUpdate": true, "enableAutoUpdate": false}
}`},
	},
	{
		name: "qwen", model: "fake-model", cost: unknown, ignoresNoProxy: true,
		env: []string{"OPENAI_API_KEY=sk-test", "OPENAI_BASE_URL={url}/v1", "OPENAI_MODEL=fake-model"},
		files: map[string]string{".qwen/settings.json": `{
  "security": {"auth": {"selectedType": "openai"}},
  "telemetry": {"enabled": false}, "privacy": {"usageStatisticsEnabled": false},
  "general": {"disableAutoUpdate": true, "enableAutoUpdate": false},
  "memory": {"enableManagedAutoMemory": false, "enableManagedAutoDream": false}
}`},
	},
}

// others are tested for what a repository does to them, and for one piece of work:
// they do not tell all that the other tests look at.
var others = []recipe{
	{
		name: "pi", model: "fake/fake-model", cost: told,
		env: []string{"PI_OFFLINE=1", "FAKE_KEY=sk-test"},
		files: map[string]string{".pi/agent/models.json": `{
  "providers": {"fake": {
    "baseUrl": "{url}/v1", "api": "openai-completions", "apiKey": "FAKE_KEY",
    "models": [{
      "id": "fake-model", "contextWindow": 200000, "maxTokens": 32000,
      "cost": {"input": 3, "output": 15, "cacheRead": 0.3, "cacheWrite": 3.75}
    }]
  }}
}`},
	},
	{
		name: "copilot", model: "fake-model", cost: unknown,
		env: []string{"COPILOT_PROVIDER_BASE_URL={url}/v1", "COPILOT_PROVIDER_API_KEY=sk-test", "COPILOT_MODEL=fake-model", "COPILOT_OFFLINE=true"},
	},
	{
		name: "cline", model: "fake-model", cost: unknown, asks: "CONNECT data.cline.bot:443", // which features are on
		files: map[string]string{
			".cline/data/settings/providers.json": `{
  "version": 1, "lastUsedProvider": "openai-compatible", "modes": {},
  "providers": {"openai-compatible": {
    "settings": {"provider": "openai-compatible", "apiKey": "sk-test", "model": "fake-model", "baseUrl": "{url}/v1"},
    "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"
  }}
}`,
			".cline/data/settings/global-settings.json": `{"telemetryOptOut": true, "autoUpdateEnabled": false}`,
		},
	},
	{
		name: "droid", model: "custom:fake-0", cost: unknown,
		env: []string{"FACTORY_AIRGAP_ENABLED=true"}, // else it sends telemetry
		files: map[string]string{".factory/settings.json": `{"customModels": [{
  "id": "custom:fake-0", "index": 0, "model": "fake-model", "displayName": "fake", "baseUrl": "{url}/v1", "apiKey": "sk-test",
  "provider": "generic-chat-completion-api", "maxOutputTokens": 16000
}]}`},
	},
	{
		name: "grok", model: "fake", cost: unknown,
		env: []string{"FAKE_KEY=sk-test"},
		files: map[string]string{".grok/config.toml": `
[models]
default = "fake"

[model.fake]
name = "fake"
model = "fake-model"
base_url = "{url}/v1"
env_key = "FAKE_KEY"
context_window = 200000
`},
	},
	{
		name: "kimi", model: "fake", cost: unknown,
		files: map[string]string{".kimi-code/config.toml": `
default_model = "fake"

[providers.fake]
type = "openai"
base_url = "{url}/v1"
api_key = "sk-test"

[models.fake]
provider = "fake"
model = "fake-model"
max_context_size = 200000
`},
	},
}

// each runs a test with the CLIs that are fit for it.
func each(t *testing.T, fit func(recipe) bool, test func(*testing.T, recipe)) {
	eachOf(t, recipes, fit, test)
}

func eachOf(t *testing.T, list []recipe, fit func(recipe) bool, test func(*testing.T, recipe)) {
	for _, r := range list {
		if fit(r) {
			t.Run(r.name, func(t *testing.T) { test(t, r) })
		}
	}
}

func all(recipe) bool { return true }

// only is fit for the CLIs named.
func only(names ...string) func(recipe) bool {
	return func(r recipe) bool {
		for _, name := range names {
			if r.name == name {
				return true
			}
		}
		return false
	}
}
