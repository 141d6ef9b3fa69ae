package migrate

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

const fresherFile = ".fresher/config.toml"

// fresherConfig is the file of fresher, key by key.
type fresherConfig struct {
	Fresher struct {
		Mode                 *string `toml:"mode"`
		MaxIterations        *uint32 `toml:"max_iterations"`
		SmartTermination     *bool   `toml:"smart_termination"`
		DangerousPermissions *bool   `toml:"dangerous_permissions"`
		MaxTurns             *uint32 `toml:"max_turns"`
		Model                *string `toml:"model"`
		ArchiveCompleted     *bool   `toml:"archive_completed"`
		SingleFileThreshold  *uint32 `toml:"single_file_threshold"`
	} `toml:"fresher"`
	Commands struct {
		Test  string `toml:"test"`
		Build string `toml:"build"`
		Lint  string `toml:"lint"`
	} `toml:"commands"`
	Paths struct {
		LogDir  string `toml:"log_dir"`
		SpecDir string `toml:"spec_dir"`
		SrcDir  string `toml:"src_dir"`
		ImplDir string `toml:"impl_dir"`
	} `toml:"paths"`
	Hooks struct {
		Enabled *bool   `toml:"enabled"`
		Timeout *uint32 `toml:"timeout"`
	} `toml:"hooks"`
	Docker struct {
		UseDocker   bool     `toml:"use_docker"`
		Memory      string   `toml:"memory"`
		CPUs        string   `toml:"cpus"`
		Presets     []string `toml:"presets"`
		SetupScript *string  `toml:"setup_script"`
		LocalBinary *string  `toml:"local_binary"`
	} `toml:"docker"`
}

// readFresher reads its settings, its two prompts, its guide and its hooks.
func readFresher(in tree, im *Import) error {
	text, err := in.read(fresherFile)
	if err != nil {
		return err
	}
	if err := fresherSettings(im, text, in.has); err != nil {
		return err
	}
	for from, to := range map[string]string{"planning": "plan", "building": "build"} {
		from = ".fresher/PROMPT." + from + ".md"
		text, err := in.read(from)
		if err != nil {
			return err
		}
		if text != nil {
			im.copyPrompt(from, ".refrain/prompts/"+to+".md", text)
		}
	}
	slices.SortFunc(im.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	const guide = ".fresher/AGENTS.md"
	switch text, err := in.read(guide); {
	case err != nil:
		return err
	case text != nil && in.has("AGENTS.md"):
		im.note(guide, "", "AGENTS.md at the root is the one that agents read here: put together what both say")
	case text != nil:
		im.Files = append(im.Files, File{Path: "AGENTS.md", From: guide, Text: string(text), Mode: 0o644})
	}
	return copyHooks(im, in, ".fresher/hooks")
}

// fresherSettings turns the file into settings. What it names may be there or not.
func fresherSettings(im *Import, text []byte, has func(string) bool) error {
	var c fresherConfig
	unknown, err := readTOML(fresherFile, text, &c)
	if err != nil {
		return err
	}
	im.Read = append(im.Read, fresherFile)
	note := func(key, what string) { im.note(fresherFile, key, what) }
	im.set("profile", "fresher")
	f := c.Fresher
	if f.Model != nil {
		im.set("model", *f.Model)
	}
	if f.Mode != nil {
		note("fresher.mode", `it is the command: "refrain plan" or "refrain build"`)
	}
	if f.MaxTurns != nil {
		im.set("agents.claude.max_turns", *f.MaxTurns)
	}
	if f.DangerousPermissions != nil {
		im.set("permissions.mode", map[bool]string{true: "full", false: "work"}[*f.DangerousPermissions])
	}
	if f.MaxIterations != nil {
		im.set("loop.max_iterations", *f.MaxIterations)
	}
	smart := f.SmartTermination == nil || *f.SmartTermination
	if !smart {
		im.set("stop.no_progress", 0)
		im.set("procedures.build.done.plan", "")
		im.set("procedures.build.done.failure_promise", "")
		im.set("procedures.plan.done.promise", "")
	}
	if f.ArchiveCompleted != nil {
		note("fresher.archive_completed", "nothing is moved: hidden folders of a plan are left out")
	}
	if f.SingleFileThreshold != nil {
		note("fresher.single_file_threshold", "both kinds of plan are read, whatever their length")
	}
	for _, command := range []struct{ key, line string }{{"build", c.Commands.Build}, {"lint", c.Commands.Lint}, {"test", c.Commands.Test}} {
		if strings.TrimSpace(command.line) != "" {
			im.set("commands."+command.key, command.line)
		}
	}
	for key, value := range map[string][2]string{
		"paths.log_dir": {c.Paths.LogDir, ".fresher/logs"}, "paths.spec_dir": {c.Paths.SpecDir, "specs"}, "paths.src_dir": {c.Paths.SrcDir, "src"},
	} {
		if value[0] != "" && path.Clean(value[0]) != value[1] {
			note(key, map[string]string{
				"paths.log_dir":  `each run has a folder of its own: "refrain logs" shows what is in it`,
				"paths.spec_dir": "the built-in prompts say specs/: move the specs there, or say it in prompts of your own",
				"paths.src_dir":  "agents look for the code themselves",
			}[key])
		}
	}
	if dir, ok := inside("root", c.Paths.ImplDir); ok && smart && c.Paths.ImplDir != "" && has(dir) {
		im.set("procedures.build.done.plan", dir)
	}
	if c.Hooks.Enabled != nil {
		im.set("hooks.enabled", *c.Hooks.Enabled)
	}
	if c.Hooks.Timeout != nil {
		im.set("hooks.timeout", fmt.Sprintf("%ds", *c.Hooks.Timeout))
	}
	if c.Docker.UseDocker {
		note("docker", "not yet: start refrain in your container")
	}
	for _, key := range unknown {
		note(key, "fresher has no such key that is known here")
	}
	slices.SortStableFunc(im.Notes, func(a, b Note) int { return strings.Compare(a.Key, b.Key) })
	im.Next = "refrain plan"
	return nil
}

// copyHooks copies the hooks whose points there are here, too. One that could not be
// run there is not made one that can.
func copyHooks(im *Import, in tree, dir string) error {
	for _, from := range in.files(dir) {
		name := path.Base(from)
		if !slices.Contains([]string{"started", "next_iteration", "finished"}, name) {
			im.note(from, "", "it is no hook: copy it by hand if a hook needs it")
			continue
		}
		text, err := in.read(from)
		if err != nil {
			return err
		}
		im.Files = append(im.Files, File{Path: ".refrain/hooks/" + name, From: from, Text: string(text), Mode: in.mode(from)})
	}
	for _, folder := range in.folders(dir) {
		im.note(folder+"/", "", "it is no hook: copy it by hand if a hook needs it")
	}
	return nil
}
