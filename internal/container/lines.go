package container

import (
	"encoding/csv"
	"path"
	"slices"
	"strings"
)

// Engine is the command line of a container engine on this machine.
type Engine struct {
	Program string // Docker or Podman

	Rootless bool // its root is the user who asks
	Remapped bool // numbers of users are others inside, unless asked otherwise
	Labelled bool // SELinux decides what a container may read
}

// The engines.
const (
	Docker = "docker"
	Podman = "podman"
)

// Engines are all that are known.
var Engines = []string{Docker, Podman}

// Known tells whether a kind of sandbox is an engine.
func Known(kind string) bool { return slices.Contains(Engines, kind) }

// Box is what a container is made of.
type Box struct {
	Image   string
	Role    string // part of its name
	Mounts  []Mount
	Dir     string // where it is at home, which is mounted
	Home    string // the home folder inside
	UID     int    // whose the files are
	GID     int
	Options []string // more of the engine's own
}

// Mount is a file or a folder that is to be seen inside.
type Mount struct {
	From, To string
	ReadOnly bool
}

// Labels by which containers of ours are found.
const (
	runLabel    = "refrain.run"
	runnerLabel = "refrain.runner"
)

// idle is the first process of a container. It ends when the pipe from the runner
// does, and not when all are asked to leave.
const idle = `trap "" HUP INT QUIT TERM; echo ` + ready + `; exec cat >/dev/null`

// ready is what it says when it is there.
const ready = "refrain: ready"

// run makes a container and stays with it.
func (e Engine) run(name string, b Box, labels []string) []string {
	argv := []string{e.Program, "run", "--interactive", "--rm", "--init", "--sig-proxy=false", "--pull=never", "--name", name}
	for _, label := range labels {
		argv = append(argv, "--label", label)
	}
	argv = append(argv, e.user(b)...)
	if e.Labelled {
		argv = append(argv, "--security-opt", "label=disable") // else our files would have to be labelled anew
	}
	for _, m := range inOrder(b.Mounts) {
		argv = append(argv, "--mount", m.String())
	}
	argv = append(argv, "--env", "HOME="+b.Home, "--workdir", b.Dir)
	argv = append(argv, b.Options...)
	return append(argv, "--entrypoint", "sh", b.Image, "-c", idle)
}

// user has files that are made inside be those of who asks, and nobody become
// another.
func (e Engine) user(b Box) []string {
	argv := []string{"--security-opt", "no-new-privileges"}
	switch {
	case e.Rootless && e.Program == Podman:
		argv = append(argv, "--userns=keep-id")
	case e.Rootless:
		return append(argv, "--user", "0:0") // who is the user outside
	case e.Remapped:
		argv = append(argv, "--userns=host")
	}
	if b.UID != 0 { // who is not root needs none; root does, for files of others
		argv = append(argv, "--cap-drop=ALL")
	}
	return append(argv, "--user", number(b.UID)+":"+number(b.GID))
}

// exec starts a program in a container. The variables are names, whose values the
// client has, or both.
func (e Engine) exec(name, dir string, variables, argv []string) []string {
	line := []string{e.Program, "exec", "--interactive", "--workdir", dir}
	for _, v := range variables {
		line = append(line, "--env", v)
	}
	return append(append(line, name), argv...)
}

// signal asks all in a container to leave, but for its first process.
func (e Engine) signal(name, signal string) []string {
	return []string{e.Program, "exec", name, "sh", "-c", "kill -" + signal + " -1"}
}

// usage tells how much processor time those in a container have used.
func (e Engine) usage(name string) []string {
	return []string{e.Program, "exec", name, "sh", "-c", "cat /proc/[0-9]*/stat"}
}

// processes lists who is in a container.
func (e Engine) processes(name string) []string { return []string{e.Program, "top", name} }

// remove ends containers with all that is in them.
func (e Engine) remove(names ...string) []string {
	return append([]string{e.Program, "rm", "--force", "--volumes"}, names...)
}

// ours lists the containers of all runners. Older podmans can not print one label.
func (e Engine) ours() []string {
	format := `{{.Names}} {{.Label "` + runLabel + `"}} {{.Label "` + runnerLabel + `"}}`
	if e.Program == Podman {
		format = "json"
	}
	return []string{e.Program, "ps", "--all", "--no-trunc", "--filter", "label=" + runnerLabel, "--format", format}
}

// about asks for what decides how containers have to be made.
func (e Engine) about() []string {
	format := `{{.ServerVersion}} {{.SecurityOptions}}`
	if e.Program == Podman {
		format = `{{.Version.Version}} rootless={{.Host.Security.Rootless}} selinux={{.Host.Security.SELinuxEnabled}}`
	}
	return []string{e.Program, "info", "--format", format}
}

// hear takes in the answer.
func (e Engine) hear(answer string) Engine {
	e.Rootless = strings.Contains(answer, "name=rootless") || strings.Contains(answer, "rootless=true")
	e.Remapped = strings.Contains(answer, "name=userns")
	e.Labelled = strings.Contains(answer, "name=selinux") || strings.Contains(answer, "selinux=true")
	return e
}

// image looks for an image on this machine.
func (e Engine) image(name string) []string {
	return []string{e.Program, "image", "inspect", "--format", "{{.Id}}", name}
}

// lacks tells which programs an image has not.
func (e Engine) lacks(image string, programs []string) []string {
	const look = `for p; do command -v "$p" >/dev/null 2>&1 || echo "` + lacking + `$p"; done`
	return append([]string{e.Program, "run", "--rm", "--pull=never", "--network=none", "--entrypoint", "sh", image, "-c", look, "sh"}, programs...)
}

// lacking is how a program is told that is not there.
const lacking = "refrain: no "

// String is the mount as an option has it. Commas in a path are quoted.
func (m Mount) String() string {
	fields := []string{"type=bind", "source=" + m.From, "target=" + m.To}
	if m.ReadOnly {
		fields = append(fields, "readonly")
	}
	var b strings.Builder
	w := csv.NewWriter(&b)
	_ = w.Write(fields) // into memory
	w.Flush()
	return strings.TrimSuffix(b.String(), "\n")
}

// inOrder puts what lies below something after it, and keeps the last of two that
// have the same place.
func inOrder(mounts []Mount) []Mount {
	var list []Mount
	for i, m := range mounts {
		if !slices.ContainsFunc(mounts[i+1:], func(n Mount) bool { return n.To == m.To }) {
			list = append(list, m)
		}
	}
	slices.SortStableFunc(list, func(a, b Mount) int { return strings.Compare(path.Clean(a.To)+"/", path.Clean(b.To)+"/") })
	return list
}
