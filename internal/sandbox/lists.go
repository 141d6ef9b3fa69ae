package sandbox

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
)

// secrets is what nobody in a sandbox needs, below the home folder.
var secrets = []string{
	// Keys, and who may sign in where.
	".age", ".authinfo", ".authinfo.gpg", ".git-credentials", ".gnupg", ".my.cnf", ".mylogin.cnf", ".netrc", ".pgpass", ".s3cfg", ".smbcredentials", ".ssh", ".vault-token",
	".config/age", ".config/git/credentials", ".config/rclone", ".config/refrain", ".config/sops",

	// Clouds and forges.
	".aws", ".azure", ".boto", ".databrickscfg", ".fly", ".kube", ".minikube", ".oci", ".pulumi/credentials.json", ".snowflake", ".snowsql", ".wrangler",
	".config/.wrangler", ".config/configstore/firebase-tools.json", ".config/doctl", ".config/fly", ".config/gcloud", ".config/gh", ".config/glab", ".config/glab-cli", ".config/hcloud", ".config/heroku",
	".config/helm/registry", ".config/hub", ".config/linode-cli", ".config/netlify", ".config/ngrok", ".config/pulumi", ".config/scw", ".config/stripe", ".config/tea", ".local/share/com.vercel.cli",
	".docker/config.json", ".config/containers/auth.json",

	// Registries of packages.
	".config/composer/auth.json", ".config/conan", ".config/dart/pub-credentials.json", ".config/pypoetry/auth.toml", ".continuum",
	".gem/credentials", ".local/share/gem/credentials", ".m2/settings-security.xml", ".pypirc", ".terraform.d/credentials.tfrc.json",
	".cache/huggingface/stored_tokens", ".cache/huggingface/token", ".huggingface/token", ".kaggle",

	// Passwords and wallets.
	".bitcoin", ".config/1Password", ".config/Bitwarden", ".config/Bitwarden CLI", ".config/Enpass", ".config/KeePass", ".config/keepassxc", ".config/op", ".config/solana", ".electrum", ".ethereum", ".gnome2/keyrings",
	".lastpass", ".local/share/keyrings", ".local/share/kwalletd", ".local/share/lpass", ".local/share/password-store", ".op", ".password-store",

	// What was typed may hold anything.
	".bash_history", ".config/nushell/history.sqlite3", ".config/nushell/history.txt", ".irb_history", ".lesshst", ".local/share/atuin", ".local/share/fish/fish_history", ".local/state/bash", ".local/state/lesshst",
	".local/state/zsh", ".mongodb", ".mysql_history", ".node_repl_history", ".psql_history", ".python_history", ".rediscli_history", ".sh_history", ".sqlite_history", ".viminfo", ".zsh_history",

	// Browsers, mail and talk keep who is signed in where.
	".config/BraveSoftware", ".config/Element", ".config/Signal", ".config/Slack", ".config/chromium", ".config/discord", ".config/google-chrome", ".config/google-chrome-beta", ".config/microsoft-edge",
	".config/opera", ".config/teams-for-linux", ".config/vivaldi", ".librewolf", ".local/share/TelegramDesktop", ".mozilla", ".config/mozilla", ".thunderbird", ".zen",
	".var/app/com.brave.Browser", ".var/app/com.google.Chrome", ".var/app/com.slack.Slack", ".var/app/org.chromium.Chromium", ".var/app/org.mozilla.Thunderbird", ".var/app/org.mozilla.firefox", ".var/app/org.signal.Signal",
	"snap/brave", "snap/chromium", "snap/firefox", "snap/thunderbird",
}

// telling are the variables that say where a secret lies; some name several.
var telling = []string{
	"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE", "AZURE_CONFIG_DIR", "CLOUDSDK_CONFIG", "DOCKER_CONFIG", "GH_CONFIG_DIR", "GNUPGHOME", "GOOGLE_APPLICATION_CREDENTIALS", "HISTFILE", "KUBECONFIG", "NETRC",
	"PASSWORD_STORE_DIR", "PGPASSFILE", "SOPS_AGE_KEY_FILE", "XAUTHORITY",
}

// settings hold a secret or none, below the home folder: those that hold one of the
// words do. The others say where packages come from, which builds need.
var settings = []struct {
	path  string
	words []string
}{
	{".bundle/config", []string{"__com:", "__dev:", "__io:", "__net:", "__org:"}}, // a key that is a host
	{".bunfig.toml", []string{"password", "token"}},
	{".condarc", []string{"/t/", "@"}},
	{".config/NuGet/NuGet.Config", []string{"password"}},
	{".config/pip/pip.conf", []string{"@"}},
	{".config/uv/uv.toml", []string{"@", "password"}},
	{".curlrc", []string{"-u", "oauth2", "user"}},
	{".gradle/gradle.properties", []string{"password", "secret", "token"}},
	{".m2/settings.xml", []string{"<passphrase>", "<password>"}},
	{".npmrc", []string{"_auth", "_password"}},
	{".nuget/NuGet/NuGet.Config", []string{"password"}},
	{".pip/pip.conf", []string{"@"}},
	{".terraformrc", []string{"token"}},
	{".wgetrc", []string{"password"}},
	{".yarnrc.yml", []string{"npmauthident", "npmauthtoken"}},
}

// shown is what lies below a secret and tells nothing.
var shown = []string{".ssh/known_hosts", ".ssh/known_hosts2", ".ssh/config"}

// resolvers are the sockets by which names are looked up.
var resolvers = []string{"/run/systemd/resolve", "/run/nscd", "/var/run/nscd"}

// hidden is what nobody may read.
func (p Place) hidden() []string {
	var list []string
	for _, path := range secrets {
		list = append(list, filepath.Join(p.Home, path))
	}
	for _, t := range tools {
		for _, path := range t.secrets {
			list = append(list, filepath.Join(p.at(t), path))
		}
	}
	for _, s := range settings {
		if path := filepath.Join(p.Home, s.path); holds(path, s.words) {
			list = append(list, path)
		}
	}
	if config := p.Getenv("XDG_CONFIG_HOME"); filepath.IsAbs(config) {
		for _, path := range secrets {
			if below, ok := strings.CutPrefix(path, ".config/"); ok {
				list = append(list, filepath.Join(config, below))
			}
		}
	}
	for _, name := range telling {
		list = append(list, p.namedBy(name)...)
	}
	list = append(list, filepath.Join(p.State, "seal.key"), filepath.Join(p.State, "sockets"))
	list = append(list, p.others()...)
	for _, path := range p.Hide {
		list = append(list, p.expand(path))
	}
	return list
}

// others are the records of other projects, in which are what agents printed there and
// what their work trees held.
func (p Place) others() (list []string) {
	all := filepath.Join(p.State, "projects")
	if _, within := files.Under(all, p.Records); !within {
		return []string{all}
	}
	entries, err := os.ReadDir(all)
	if err != nil {
		return nil
	}
	for _, e := range entries {
		if one := filepath.Join(all, e.Name()); one != p.Records {
			list = append(list, one)
		}
	}
	return list
}

// namedBy is what a variable names.
func (p Place) namedBy(variable string) (list []string) {
	for _, path := range filepath.SplitList(p.Getenv(variable)) {
		if filepath.IsAbs(path) && p.apart(path) {
			list = append(list, filepath.Clean(path))
		}
	}
	return list
}

// apart tells whether a path that a variable names is neither in the work tree, which
// is the agent's to read, nor a folder that the home folder or the tree is in.
func (p Place) apart(path string) bool {
	if _, in := files.Under(p.Tree, path); in {
		return false
	}
	return !slices.ContainsFunc([]string{p.Home, p.Tree}, func(below string) bool {
		_, in := files.Under(path, below)
		return in
	})
}

// maxSettings is more than anybody writes there.
const maxSettings = 1 << 20

// holds tells whether one of the words is in a file.
func holds(path string, words []string) bool {
	b, err := files.ReadFile(context.Background(), path, maxSettings)
	text := strings.ToLower(string(b))
	return err == nil && slices.ContainsFunc(words, func(word string) bool { return strings.Contains(text, word) })
}
