package agent

import (
	"strconv"
	"strings"
)

// Claude Code.
//
// On INT it ends its tools and writes its result; on TERM it is gone at once
// and they live on. Its sandbox is a setting of the user's that we leave as it
// is. As root it refuses to skip permissions, unless IS_SANDBOX=1 says that it
// is in a container: that is for whoever built the container to say, not us.
// It reads CLAUDE.md by itself, and AGENTS.md only when told.
func newClaude(o Options) (Agent, error) {
	return newCLI(o, cli{
		program: "claude",
		format:  "claude",
		traits: Traits{
			Measured: []string{"2.1.197", "2.1.325", "2.1.328"},
			Tokens:   true, Cost: true, Turns: true, Sessions: true,
			Keys:    []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"},
			Secrets: []string{"ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_AWS_API_KEY", "ANTHROPIC_CUSTOM_HEADERS", "ANTHROPIC_FOUNDRY_API_KEY", "AWS_BEARER_TOKEN_BEDROCK", "CLAUDE_CODE_OAUTH_TOKEN"},
			Root:    "IS_SANDBOX", Home: "https://claude.com/claude-code",
			// Not measured. Of a cloud (Bedrock, Vertex, Foundry) the host has
			// a region or an account in its name.
			Hosts: []string{"api.anthropic.com", "claude.ai", "console.anthropic.com", "platform.claude.com"},
			Bases: []string{"ANTHROPIC_BASE_URL", "ANTHROPIC_BEDROCK_BASE_URL", "ANTHROPIC_FOUNDRY_BASE_URL", "ANTHROPIC_VERTEX_BASE_URL"},
			State: State{
				Folder: ".claude", In: "CLAUDE_CONFIG_DIR", More: []string{".claude.json"},
				// Its installer puts the program itself into local.
				Keep: []string{"settings.json", "settings.local.json", "CLAUDE.md", "agents", "commands", "hooks", "local", "output-styles", "plugins", "skills", "workflows"},
				// Servers that every session starts, and what a person has agreed to
				// of a project. All else there is history and counters.
				Partly: Partly{File: ".claude.json", Keys: []string{
					"mcpServers", "projects.*.mcpServers", "projects.*.allowedTools", "projects.*.hasTrustDialogAccepted", "projects.*.hasClaudeMdExternalIncludesApproved",
					"projects.*.enabledMcpjsonServers", "projects.*.disabledMcpjsonServers", "projects.*.enableAllProjectMcpServers", "bypassPermissionsModeAccepted",
				}},
				Secret: []string{".credentials.json"},
			},
			SignIn: SignIn{
				Ask: []string{"auth", "status", "--json"}, // without the flag an old version takes it for a prompt
				No:  `"loggedIn":\s*false`, Do: "claude auth login", Folder: ".claude", FolderIn: "CLAUDE_CONFIG_DIR", Kept: ".credentials.json",
				Others: []string{"CLAUDE_CODE_USE_BEDROCK", "CLAUDE_CODE_USE_VERTEX", "CLAUDE_CODE_USE_FOUNDRY", "ANTHROPIC_BASE_URL"}, Config: "settings.json", Elsewhere: `"(apiKeyHelper|CLAUDE_CODE_USE_\w+|ANTHROPIC_\w+)"\s*:`,
			},
		},
		first: "INT",
		env: map[string]string{
			"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", // telemetry, surveys
			"DISABLE_AUTOUPDATER":                      "1", // not in the middle of a run
		},
		// Ten times, its own number, take three minutes: the run waits better.
		wish:     []string{"CLAUDE_CODE_MAX_RETRIES=6"},
		confined: map[string]string{"IS_SANDBOX": "1"},
		unset: []string{
			"AI_AGENT",
			"CLAUDECODE",
			"CLAUDE_CODE_CHILD_SESSION",
			"CLAUDE_CODE_ENTRYPOINT",
			"CLAUDE_CODE_EXECPATH",
			"CLAUDE_CODE_SESSION_ID",
			"CLAUDE_CODE_SSE_PORT",
			"CLAUDE_EFFORT",
		},
		args:    claudeArgs,
		notices: []string{"[claude-code:unrecognized_model]"},
		ignores: true,
		takes: Takes{
			// From the folder it works in and the root of the repository; servers
			// from every folder on the way up.
			Settings: []string{".claude/settings.json", ".claude/settings.local.json", ".mcp.json"},
			Scripts:  []string{".claude/hooks/", ".claude/workflows/"},
			Skills:   []string{".claude/agents/", ".claude/commands/", ".claude/skills/"},
			Above:    []string{".mcp.json"},
		},
	})
}

// claudeModes are the switches for what it may do unasked. What it would have
// to ask for is denied, and it goes on without.
var claudeModes = map[string][]string{
	"edits": {"--permission-mode", "acceptEdits"},
	"work":  {"--permission-mode", "acceptEdits", "--allowedTools", "Bash"},
	"full":  {"--dangerously-skip-permissions"},
}

func claudeArgs(o Options, c Call) ([]string, error) {
	args := []string{"-p", "--output-format", "stream-json", "--verbose"} // the format needs --verbose
	args = append(args, claudeModes[o.Permissions]...)
	if c.Model != "" {
		args = append(args, "--model", c.Model)
	}
	if c.Session != "" {
		args = append(args, "--resume", c.Session)
	} else if o.Forgets && atLeast(o.Version, 2, 1, 197) { // some before it take the flag and print nothing
		args = append(args, "--no-session-persistence")
	}
	if o.MaxTurns > 0 {
		args = append(args, "--max-turns", strconv.Itoa(o.MaxTurns))
	}
	if c.LeftUSD > 0 {
		args = append(args, "--max-budget-usd", strconv.FormatFloat(max(c.LeftUSD, 0.0001), 'f', 4, 64))
	}
	if len(o.Untrusted) > 0 { // the user's own servers are left out, too
		args = append(args, "--setting-sources", "user", "--strict-mcp-config")
	}
	if c.Confined {
		args = append(args, "--settings", `{"sandbox":{"enabled":false}}`)
	}
	if o.SystemFile != "" {
		args = append(args, "--append-system-prompt-file", o.SystemFile)
	}
	return args, nil
}

// atLeast tells whether a version is known to be this one, or a later one.
func atLeast(version string, wanted ...int) bool {
	parts := strings.Split(version, ".")
	if len(parts) != len(wanted) {
		return false
	}
	for i, part := range parts {
		if n, err := strconv.Atoi(part); err != nil || n != wanted[i] {
			return err == nil && n > wanted[i]
		}
	}
	return true
}

func newClaudeDecoder(o Options) Decoder { return newJSONDecoder(o, &claudeDialect{}) }
