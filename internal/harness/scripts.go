package harness

import (
	"path"
	"slices"
	"strings"
)

// Scripts gives the shell lines that a command leads to through a manifest: the
// scripts of package.json that "npm test", "npm run x", "yarn x", "pnpm x",
// "bun run x" and "node --run x" call, with those that run before and after them,
// tasks of deno.json, scripts of composer.json, and the recipes of make; and what
// these lead to in turn. A line that runs in a folder begins with a cd to it.
// read gives the text of a file of the tree, and nil where there is none.
func Scripts(command string, read func(file string) []byte) []string {
	s := &following{read: read, seen: map[string]bool{}}
	s.line(command, "")
	return s.lines
}

// Reach gives all files that a command leads to: those that it names, those that
// the scripts of manifests name, and those that the shell scripts among them
// name. has and read are those of Named and Scripts.
func Reach(command string, has func(file string) bool, read func(file string) []byte) []string {
	n := &naming{has: has}
	s := &following{read: read, seen: map[string]bool{}}
	look := func(text, script string) {
		from := len(s.lines)
		n.line(text, "", script)
		s.line(text, "")
		for _, line := range slices.Clone(s.lines[from:]) {
			n.line(line, "", "")
		}
	}
	look(command, "")
	n.inside = true
	done := map[string]bool{}
	for i := 0; i < len(n.shells) && len(done) < maxScripts; i++ {
		file := n.shells[i]
		if text := read(file); !done[file] && shellText(file, text) {
			done[file] = true
			dir := path.Dir(file)
			if dir == "." {
				dir = ""
			}
			look(string(text), dir)
		}
	}
	return n.files
}

// maxScripts is how many scripts are followed, so that two that call each other
// with ever new words come to an end.
const maxScripts = 200

// shellText tells whether a file is a script of the shell.
func shellText(file string, text []byte) bool {
	first, _, _ := strings.Cut(string(text[:min(len(text), 200)]), "\n")
	if strings.HasPrefix(first, "#!") {
		return strings.HasSuffix(strings.TrimSpace(first), "sh") || strings.Contains(first, "sh -")
	}
	ext := path.Ext(file)
	return len(text) > 0 && len(text) < 1<<20 && !strings.ContainsRune(first, 0) && (ext == "" || ext == ".sh" || ext == ".bash")
}

// following collects the lines that commands lead to.
type following struct {
	read  func(string) []byte
	seen  map[string]bool
	lines []string
}

// line looks at a shell line that is run in a folder.
func (s *following) line(text, dir string) {
	inFolders(orders(text), dir, func(o order, dir string) {
		args := o.words
		for len(args) > 0 && strings.Contains(args[0], "=") && before(args[0]) {
			args = args[1:]
		}
		if args = unwrapped(args); len(args) > 0 {
			s.order(path.Base(args[0]), args[1:], dir)
		}
	})
}

func (s *following) order(tool string, args []string, dir string) {
	switch tool {
	case "npm", "yarn", "pnpm", "bun":
		s.packageRun(tool, args, dir)
	case "node":
		for i, arg := range args {
			if name, ok := strings.CutPrefix(arg, "--run="); ok {
				s.script(name, dir)
			} else if arg == "--run" && i+1 < len(args) {
				s.script(args[i+1], dir)
			}
		}
	case "npm-run-all", "npm-run-all2", "run-s", "run-p", "concurrently", "start-server-and-test":
		for _, arg := range args {
			if strings.ContainsAny(arg, " \t") {
				s.line(arg, dir)
				continue
			}
			s.scripts(strings.TrimPrefix(arg, "npm:"), dir)
		}
	case "sh", "bash", "dash", "zsh":
		for i, arg := range args {
			if strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--") && strings.Contains(arg, "c") && i+1 < len(args) && len(s.seen) < maxScripts {
				s.once("sh "+dir+" "+args[i+1], func() { s.line(args[i+1], dir) })
				return
			}
		}
	case "deno":
		if len(args) > 1 && args[0] == "task" {
			s.task(args[1], dir)
		}
	case "composer":
		args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return strings.HasPrefix(a, "-") || a == "run" || a == "run-script" })
		if len(args) > 0 {
			s.composer(args[0], dir)
		}
	case "make", "gmake":
		s.make(args, dir)
	}
}

// once does something once for each key, and not more often than makes sense.
func (s *following) once(key string, do func()) {
	if s.seen[key] || len(s.seen) >= maxScripts {
		return
	}
	s.seen[key] = true
	do()
}

// found is a line that a command leads to.
func (s *following) found(line, dir string) {
	if strings.TrimSpace(line) == "" {
		return
	}
	shown := line
	if dir != "" {
		shown = "cd " + quote(dir) + " && " + line
	}
	s.lines = append(s.lines, shown)
	s.line(line, dir)
}

func quote(word string) string {
	if strings.Map(wordsOnly, word) == word {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

var (
	managerFlags = words(`--prefix -C --cwd --dir --filter -F -w --workspace --loglevel`)
	folderFlags  = words(`--prefix -C --cwd --dir`)
	runVerbs     = words(`run run-script rum urn`)
	testVerbs    = words(`test t tst`)
	yarnVerbs    = words(`install add remove upgrade up dlx exec init info link unlink pack publish cache config workspace workspaces why set plugin audit outdated import create`)
)

// packageRun finds the script that a package manager is to run.
func (s *following) packageRun(tool string, args []string, dir string) {
	var plain []string
	for i := 0; i < len(args); i++ {
		flag, value, ok := strings.Cut(args[i], "=")
		switch {
		case args[i] == "--":
			i = len(args)
		case managerFlags.has(flag):
			if !ok && i+1 < len(args) {
				i++
				value = args[i]
			}
			if folderFlags.has(flag) {
				dir = path.Join(dir, value)
			}
		case strings.HasPrefix(flag, "-"):
		default:
			plain = append(plain, args[i])
		}
	}
	switch {
	case len(plain) == 0:
	case runVerbs.has(plain[0]):
		if len(plain) > 1 {
			s.script(plain[1], dir)
		}
	case testVerbs.has(plain[0]):
		if tool != "bun" { // which has tests of its own
			s.script("test", dir)
		}
	case plain[0] == "start" || plain[0] == "stop" || plain[0] == "restart":
		s.script(plain[0], dir)
	case tool == "yarn" && plain[0] == "workspace" || tool == "npm":
	case (tool == "yarn" || tool == "pnpm" || tool == "bun") && !yarnVerbs.has(plain[0]):
		s.script(plain[0], dir)
	}
}

// scripts are those that a name with a star means: "test:*".
func (s *following) scripts(pattern, dir string) {
	front, _, ok := strings.Cut(pattern, "*")
	if !ok {
		s.script(pattern, dir)
		return
	}
	all, _ := s.table(path.Join(dir, "package.json"), "scripts")
	if all == nil {
		return
	}
	for _, name := range all.keys {
		if strings.HasPrefix(name, front) {
			s.script(name, dir)
		}
	}
}

func (s *following) script(name, dir string) {
	all, _ := s.table(path.Join(dir, "package.json"), "scripts")
	for _, key := range []string{"pre" + name, name, "post" + name} {
		if line := stringOf(all.get(key)); line != "" {
			s.once("script "+dir+" "+key, func() { s.found(line, dir) })
		}
	}
}

func (s *following) task(name, dir string) {
	for _, file := range []string{"deno.json", "deno.jsonc"} {
		all, ok := s.table(path.Join(dir, file), "tasks")
		if !ok {
			continue
		}
		line := stringOf(all.get(name))
		if t, ok := all.get(name).(*table); ok {
			line = stringOf(t.get("command"))
		}
		s.once("task "+dir+" "+name, func() { s.found(line, dir) })
	}
}

func (s *following) composer(name, dir string) {
	all, _ := s.table(path.Join(dir, "composer.json"), "scripts")
	lines := []any{all.get(name)}
	if items, ok := list(all.get(name)); ok && items != nil {
		lines = items
	}
	s.once("composer "+dir+" "+name, func() {
		for _, line := range lines {
			other, ok := strings.CutPrefix(stringOf(line), "@")
			switch {
			case !ok:
				s.found(other, dir)
			case strings.HasPrefix(other, "php "):
				s.found(other, dir)
			default:
				s.composer(strings.TrimPrefix(other, "composer "), dir)
			}
		}
	})
}

// table reads a table of a file of JSON. It gives false where there is no such file.
func (s *following) table(file, key string) (*table, bool) {
	text := s.read(file)
	if text == nil {
		return nil, false
	}
	all, err := readJSON(text)
	if err != nil {
		return nil, true
	}
	t, _ := all.get(key).(*table)
	return t, true
}
