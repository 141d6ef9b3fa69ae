package migrate

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
)

const (
	fresherFile     = ".fresher/config.toml"
	fresherPlanning = ".fresher/PROMPT.planning.md"
	fresherBuilding = ".fresher/PROMPT.building.md"
	fresherGuide    = ".fresher/AGENTS.md"
	fresherHooks    = ".fresher/hooks"
)

// fresherPoints are those at which it runs hooks.
var fresherPoints = []string{"started", "next_iteration", "finished"}

// fresherMarks are its files, each of which shows that it was used.
var fresherMarks = []string{fresherFile, fresherPlanning, fresherBuilding, fresherHooks + "/started", fresherHooks + "/next_iteration", fresherHooks + "/finished"}

// fresherConfig is the file of fresher, key by key.
type fresherConfig struct {
	Fresher struct {
		Mode                 *string `key:"mode"`
		MaxIterations        *uint32 `key:"max_iterations"`
		SmartTermination     *bool   `key:"smart_termination"`
		DangerousPermissions *bool   `key:"dangerous_permissions"`
		MaxTurns             *uint32 `key:"max_turns"`
		Model                *string `key:"model"`
		ArchiveCompleted     *bool   `key:"archive_completed"`
		SingleFileThreshold  *uint32 `key:"single_file_threshold"`
	} `key:"fresher"`
	Commands struct {
		Test  string `key:"test"`
		Build string `key:"build"`
		Lint  string `key:"lint"`
	} `key:"commands"`
	Paths struct {
		LogDir  string `key:"log_dir"`
		SpecDir string `key:"spec_dir"`
		SrcDir  string `key:"src_dir"`
		ImplDir string `key:"impl_dir"`
	} `key:"paths"`
	Hooks struct {
		Enabled *bool   `key:"enabled"`
		Timeout *uint32 `key:"timeout"`
	} `key:"hooks"`
	Docker struct {
		UseDocker   bool     `key:"use_docker"`
		Memory      string   `key:"memory"`
		CPUs        string   `key:"cpus"`
		Presets     []string `key:"presets"`
		SetupScript *string  `key:"setup_script"`
		LocalBinary *string  `key:"local_binary"`
	} `key:"docker"`
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
	for from, to := range map[string]string{fresherPlanning: "plan", fresherBuilding: "build"} {
		text, err := in.read(from)
		if err != nil {
			return err
		}
		if text != nil {
			im.copyPrompt(from, ".refrain/prompts/"+to+".md", text)
		}
	}
	slices.SortFunc(im.Files, func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	switch text, err := in.read(fresherGuide); {
	case err != nil:
		return err
	case text != nil && in.has("AGENTS.md"):
		im.note(fresherGuide, "", "AGENTS.md at the root is the one that agents read here: put together what both say")
	case text != nil:
		im.Files = append(im.Files, File{Path: "AGENTS.md", From: fresherGuide, Text: string(text), Mode: 0o644})
	}
	if err := copyHooks(im, in, fresherHooks); err != nil {
		return err
	}
	if len(im.Read) == 0 { // then it went by what it has built in
		for _, f := range im.Files {
			im.Read = append(im.Read, f.From)
		}
	}
	return nil
}

// fresherSettings turns the file into settings. What it names may be there or not.
func fresherSettings(im *Import, text []byte, has func(string) bool) error {
	var c fresherConfig
	unknown, err := readTOML(fresherFile, text, &c)
	if err != nil {
		return err
	}
	if text != nil {
		im.Read = append(im.Read, fresherFile)
	}
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
	switch dir, ok := inside("root", c.Paths.ImplDir); {
	case c.Paths.ImplDir == "":
	case ok && smart && has(dir):
		im.set("procedures.build.done.plan", dir)
	case !ok || dir != "impl":
		note("paths.impl_dir", "done.plan names a plan, also a folder, once it is there")
	}
	if c.Hooks.Enabled != nil {
		im.set("hooks.enabled", *c.Hooks.Enabled)
	}
	if c.Hooks.Timeout != nil {
		im.set("hooks.timeout", fmt.Sprintf("%ds", *c.Hooks.Timeout))
	}
	switch d := c.Docker; {
	case d.UseDocker:
		im.set("sandbox.mode", "docker")
		im.set("sandbox.options", []string{"--memory", cmp.Or(d.Memory, "4g"), "--cpus", cmp.Or(d.CPUs, "2")})
		note("docker", `name an image in sandbox.image: "refrain init --dockerfile" writes a Dockerfile for one`)
	case d.Memory != "" || d.CPUs != "" || d.Presets != nil || d.SetupScript != nil || d.LocalBinary != nil:
		note("docker", "no container is used; sandbox.mode = \"docker\" does")
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
	files, folders, err := in.list(dir)
	if err != nil {
		return err
	}
	for _, from := range files {
		name := path.Base(from)
		if !slices.Contains(fresherPoints, name) {
			im.note(from, "", "it is no hook: copy it by hand if a hook needs it")
			continue
		}
		text, err := in.read(from)
		if err != nil {
			return err
		}
		im.Files = append(im.Files, File{Path: ".refrain/hooks/" + name, From: from, Text: string(text), Mode: in.mode(from)})
	}
	for _, folder := range folders {
		im.note(folder+"/", "", "it is no hook: copy it by hand if a hook needs it")
	}
	return nil
}
