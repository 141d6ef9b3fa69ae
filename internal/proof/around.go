package proof

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/files"
)

// Around is what gates run with and no checkout holds: programs, settings of the
// user's, and what lies above the checkout, each with what tells that it was
// changed. A proof holds only where these are as they were when the run began.
type Around map[string]string

// tools are programs that gates and setups run without naming them.
var tools = []string{
	"sh", "bash", "env", "git", "make", "go", "gofmt", "cc", "gcc", "cargo", "rustc", "node", "npm", "npx", "yarn", "pnpm", "bun", "deno",
	"python", "python3", "pip", "pip3", "pytest", "uv", "poetry", "tox", "ruby", "bundle", "rake", "rspec", "php", "composer", "phpunit",
	"java", "javac", "mvn", "gradle", "dotnet", "mix", "elixir", "cmake", "ctest",
}

// userFiles are settings of tools in the user's home folder that decide how
// they run. Those of git are not among them: agents set a name to commit with.
var userFiles = []string{
	".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".pydistutils.cfg", ".pip/pip.conf", ".cargo/config", ".cargo/config.toml",
	".m2/settings.xml", ".mavenrc", ".gradle/gradle.properties", ".gradle/init.gradle", ".bundle/config", ".gemrc", ".rspec", ".irbrc",
	".composer/config.json", ".jestrc", ".mocharc.json", ".babelrc", ".eslintrc", ".eslintrc.json", ".node_modules", ".node_libraries",
}

// configFiles are the same below the user's folder of settings.
var configFiles = []string{"go/env", "pip/pip.conf", "pnpm/rc", "yarn/config", "composer/config.json", "uv/uv.toml", "pypoetry/config.toml", "mise/config.toml"}

// userFolders hold what was installed for the user, as patterns.
var userFolders = []string{".local/lib/python3*/site-packages", ".gradle/init.d"}

// upward is what tools look for in the folders above a checkout.
var upward = []string{
	"go.work", "go.mod", "node_modules", "package.json", ".npmrc", ".yarnrc.yml", "tsconfig.json", "conftest.py", "pytest.ini", "pyproject.toml",
	"tox.ini", "setup.cfg", "babel.config.js", "babel.config.json", "jest.config.js", "vitest.config.ts", ".mocharc.json", ".eslintrc", ".eslintrc.json", "eslint.config.js",
	"Cargo.toml", ".cargo/config", ".cargo/config.toml", ".rspec", "phpunit.xml", "Gemfile", ".tool-versions", ".python-version", "mise.toml",
}

// lookAround takes in what gates run with. The lines are their commands.
func lookAround(env, lines []string, s Settings) Around {
	a := Around{}
	vars := variables(env)
	a.addPrograms(vars["PATH"], lines, s.Tree)
	a.addSettings(vars)
	for above := filepath.Dir(s.Dir); s.Dir != ""; above = filepath.Dir(above) {
		for _, name := range upward {
			a.add(filepath.Join(above, filepath.FromSlash(name)))
		}
		if above == filepath.Dir(above) {
			break
		}
	}
	return a
}

// variables is an environment by name; of two values the later one counts.
func variables(env []string) map[string]string {
	vars := map[string]string{}
	for _, v := range env {
		if name, value, ok := strings.Cut(v, "="); ok {
			vars[name] = value
		}
	}
	return vars
}

// configFolder is where programs keep the user's settings.
func configFolder(vars map[string]string) string {
	switch runtime.GOOS {
	case "darwin":
		return filepath.Join(vars["HOME"], "Library", "Application Support")
	case "windows":
		return vars["AppData"]
	}
	return cmp.Or(vars["XDG_CONFIG_HOME"], filepath.Join(vars["HOME"], ".config"))
}

// addPrograms notes the programs that gates may run. What the work tree has of
// them, a checkout has not.
func (a Around) addPrograms(path string, lines []string, tree string) {
	programs := slices.Clone(tools)
	for _, line := range lines {
		if words := strings.Fields(line); len(words) > 0 && !strings.ContainsAny(words[0], "/=$") {
			programs = append(programs, words[0])
		}
	}
	for _, name := range programs {
		if at := find(name, path, tree); at != "" {
			a["program "+name] = at + " " + fileStamp(at)
		}
	}
}

// addSettings notes the user's settings, and what is installed for the user.
func (a Around) addSettings(vars map[string]string) {
	home := vars["HOME"]
	if home == "" {
		return
	}
	config := configFolder(vars)
	files := []string{vars["GOENV"], vars["NPM_CONFIG_USERCONFIG"], vars["npm_config_userconfig"], vars["PIP_CONFIG_FILE"]}
	for _, name := range userFiles {
		files = append(files, filepath.Join(home, filepath.FromSlash(name)))
	}
	for _, name := range configFiles {
		files = append(files, filepath.Join(config, filepath.FromSlash(name)))
	}
	for _, pattern := range userFolders {
		found, _ := filepath.Glob(filepath.Join(home, filepath.FromSlash(pattern))) // the patterns are good ones
		files = append(files, found...)
	}
	for _, path := range files {
		if filepath.IsAbs(path) {
			a.add(path)
		}
	}
}

// add notes a file or folder, if it is there.
func (a Around) add(path string) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
	case info.IsDir():
		a[path] = folderStamp(path)
	case info.Mode().IsRegular():
		a[path] = contentOf(path)
	default:
		a[path] = info.Mode().String()
	}
}

// find is where a program is on a path; a folder that is not absolute depends on
// where one stands, and is not looked at.
func find(name, path, tree string) string {
	for _, dir := range filepath.SplitList(path) {
		if !filepath.IsAbs(dir) || tree != "" && strings.HasPrefix(dir+"/", tree+"/") {
			continue
		}
		if at, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return at
		}
	}
	return ""
}

func fileStamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		return err.Error()
	}
	return files.Stamp(info)
}

// maxSetting is more than any file of settings holds.
const maxSetting = 1 << 20

func contentOf(path string) string {
	f, err := files.OpenFile(path)
	if err != nil {
		return err.Error()
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, io.LimitReader(f, maxSetting)); err != nil {
		return err.Error()
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// folderStamp is which entries a folder has, and whether they were written to.
func folderStamp(path string) string {
	entries, err := os.ReadDir(path)
	if err != nil {
		return err.Error()
	}
	sum := sha256.New()
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil, e.Name() == "__pycache__":
		case e.IsDir(): // tools write caches into what they load
			fmt.Fprintf(sum, "%q\n", e.Name())
		default:
			fmt.Fprintf(sum, "%q %s\n", e.Name(), files.Stamp(info))
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:8])
}

// against names what is not as it was.
func (a Around) against(was Around) []string {
	var list []string
	for what, stamp := range a {
		if was[what] != stamp {
			list = append(list, what)
		}
	}
	for what := range was {
		if _, still := a[what]; !still {
			list = append(list, what)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// goFlags is what "go env -w" has set for the user, which a value in the
// environment would hide.
func goFlags(env []string) string {
	vars := variables(env)
	file := cmp.Or(vars["GOENV"], filepath.Join(configFolder(vars), "go", "env"))
	b, err := files.ReadFile(context.Background(), file, maxSetting)
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(b)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "GOFLAGS="); ok {
			return value
		}
	}
	return ""
}
