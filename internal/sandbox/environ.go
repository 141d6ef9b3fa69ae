package sandbox

import (
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/refrain-loop/refrain/internal/container"
	"github.com/refrain-loop/refrain/internal/fence"
	"github.com/refrain-loop/refrain/internal/proc"
	"github.com/refrain-loop/refrain/internal/proxy"
)

// withheld is what a process in a sandbox does not get: ways to what is shut, and
// whatever looks like a secret, however it is written.
var withheld = []string{
	// Other programs of the user's, and who answers for them.
	"ALACRITTY_SOCKET", "CONTAINER_HOST", "DBUS_*", "DISPLAY", "DOCKER_*", "GIT_ASKPASS", "GNOME_KEYRING_*", "GNUPGHOME", "GPG_*", "HYPRLAND_*", "I3SOCK", "KITTY_LISTEN_ON", "LISTEN_FDS", "LISTEN_PID", "NOTIFY_SOCKET", "NVIM",
	"NVIM_LISTEN_ADDRESS", "PULSE_SERVER", "SESSION_MANAGER", "SSH_*", "STY", "SUDO_ASKPASS", "SWAYSOCK", "TMUX", "TMUX_PANE", "VSCODE_GIT_*", "VSCODE_IPC_*", "WAYLAND_DISPLAY", "WEZTERM_UNIX_SOCKET", "XAUTHORITY", "XDG_RUNTIME_DIR",
	"XDG_SESSION_*", "ZELLIJ*",

	// Clouds, forges and stores of passwords.
	"ARM_CLIENT_*", "AWS_*", "AZURE_*", "BW_SESSION", "CLOUDSDK_*", "GOOGLE_APPLICATION_CREDENTIALS", "KUBECONFIG", "LPASS_*", "NPM_CONFIG__AUTH*", "OP_SESSION*",

	"*ACCESS_KEY*", "*APIKEY*", "*AUTHORIZATION*", "*CREDENTIAL*", "*PASSPHRASE*", "*PASSW*", "*PRIVATE_KEY*", "*SECRET*", "*TOKEN*", "*WEBHOOK*", "*_AUTH", "*_DSN", "*_KEY", "*_KEYS", "*_PASS", "*_PAT", "*_PWD",
}

// harmless names look like secrets and are none. What web pages are made with is for
// everybody to see.
var harmless = []string{
	"*PUBLISHABLE_KEY*", "*TOKENS", "*_PUBLIC_KEY", "COLORFGBG", "EXPO_PUBLIC_*", "GIT_AUTHOR_*", "GIT_COMMITTER_*", "GIT_TERMINAL_PROMPT", "MAX_*TOKENS*", "NEXT_PUBLIC_*", "NUXT_PUBLIC_*", "REFRAIN_*", "SSH_ASKPASS_REQUIRE",
	"TOKENIZERS_*",
}

// Environ is the environment of a process in its role: without secrets, but for
// those that pass, and with what makes do without what is shut. The keys of an
// agent's provider pass for the agent; others were not given any.
func (p Place) Environ(role proc.Role, env, pass []string) []string {
	if role == proc.Own || p.Kind == fence.None {
		return env
	}
	for _, name := range p.allowed(role) {
		pass = append(slices.Clip(pass), openings[name].variables...)
	}
	var list []string
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if isWithheld(name) && !matches(name, pass) {
			continue
		}
		list = append(list, kv)
	}
	list = append(list, p.added(role, list)...)
	if way, ok := p.Ways[role]; ok {
		list = append(list, proxy.Environ(way.Port, list)...)
	}
	return list
}

// added is what makes do without what is shut. What the user has set stays.
func (p Place) added(role proc.Role, env []string) []string {
	if p.boxed() {
		return []string{"TMPDIR=/tmp", "GIT_TERMINAL_PROMPT=0", "HOME=" + p.Home}
	}
	temp := p.TempOf(role)
	if p.Kind == fence.Namespaces && !p.tempOwn() {
		temp = "/tmp" // which is that folder
	}
	list := append([]string{"TMPDIR=" + temp, "GIT_TERMINAL_PROMPT=0"}, gitSettings(env)...)
	for _, c := range moved {
		if has(env, c.variable) || p.Cache == "" || isThere(filepath.Join(p.Home, c.root)) {
			continue
		}
		list = append(list, c.variable+"="+filepath.Join(p.Cache, c.to))
	}
	return list
}

// gitSettings are those of git inside, after whatever the user's variables set: a new
// branch is not to write to the settings of the repository, which it can not, and
// who asks for a password asks nobody.
func gitSettings(env []string) []string {
	n := 0
	for _, kv := range env {
		if count, ok := strings.CutPrefix(kv, "GIT_CONFIG_COUNT="); ok {
			n, _ = strconv.Atoi(count) // git refuses what is no number, too
		}
	}
	var list []string
	for _, s := range [][2]string{{"branch.autoSetupMerge", "false"}, {"credential.helper", ""}} {
		list = append(list, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", n, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", n, s[1]))
		n++
	}
	return append(list, fmt.Sprintf("GIT_CONFIG_COUNT=%d", n))
}

// moved are the caches of tools that make a folder in the home folder, which they
// can not in a sandbox: where there is none yet, theirs is with the other caches.
var moved = []struct{ root, variable, to string }{
	{".bun", "BUN_INSTALL_CACHE_DIR", "bun"},
	{".bundle", "BUNDLE_USER_HOME", "bundle"},
	{".cargo", "CARGO_HOME", "cargo"},
	{".dotnet", "DOTNET_CLI_HOME", "dotnet"},
	{".gradle", "GRADLE_USER_HOME", "gradle"},
	{".hex", "HEX_HOME", "hex"},
	{".local/share/pnpm", "npm_config_store_dir", "pnpm"},
	{".local/share/uv", "UV_PYTHON_INSTALL_DIR", "uv-python"},
	{".m2", "MAVEN_USER_HOME", "m2"}, // of the wrapper
	{".mix", "MIX_HOME", "mix"},
	{".npm", "npm_config_cache", "npm"},
	{".nuget", "NUGET_PACKAGES", "nuget"},
	{".pub-cache", "PUB_CACHE", "pub"},
	{".stack", "STACK_ROOT", "stack"},
	{".yarn", "YARN_GLOBAL_FOLDER", "yarn"},
	{"go", "GOPATH", "go"},
}

func has(env []string, name string) bool {
	return slices.ContainsFunc(env, func(kv string) bool {
		n, v, _ := strings.Cut(kv, "=")
		return n == name && v != ""
	})
}

// plainName is a name as the patterns have it. npm takes some that are addresses, in
// which a star would end at each slash.
func plainName(name string) string { return strings.ReplaceAll(strings.ToUpper(name), "/", "_") }

// isWithheld tells whether a variable does not pass by itself. It is asked at every
// start, about the same few names.
func isWithheld(name string) bool {
	if known, ok := judged.Load(name); ok {
		return known.(bool)
	}
	plain := plainName(name)
	is := matches(plain, withheld) && !matches(plain, harmless)
	judged.Store(name, is)
	return is
}

var judged sync.Map // by name

func matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

// boxed tells whether the sandbox is made of containers.
func (p Place) boxed() bool { return container.Known(string(p.Kind)) }
