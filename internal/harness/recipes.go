package harness

import (
	"path"
	"slices"
	"strings"
)

// make finds the recipes of the targets that make is to make.
func (s *following) make(args []string, dir string) {
	var files, targets []string
	for i := 0; i < len(args); i++ {
		flag, value, ok := strings.Cut(args[i], "=")
		next := func() string {
			if !ok && i+1 < len(args) {
				i++
				value = args[i]
			}
			return value
		}
		switch {
		case flag == "-f" || flag == "--file" || flag == "--makefile":
			files = append(files, next())
		case flag == "-C" || flag == "--directory":
			dir = path.Join(dir, next())
		case flag == "-j" && i+1 < len(args) && strings.Trim(args[i+1], "0123456789") == "":
			i++
		case strings.HasPrefix(flag, "-") || ok:
		default:
			targets = append(targets, args[i])
		}
	}
	if files == nil {
		for _, file := range []string{"GNUmakefile", "makefile", "Makefile"} {
			if s.read(path.Join(dir, file)) != nil {
				files = []string{file}
				break
			}
		}
	}
	for _, file := range files {
		if text := s.read(path.Join(dir, file)); text != nil {
			m := &makefile{following: s, file: file, dir: dir, rules: stanzas(string(text)), vars: map[string]string{"MAKE": "make -f " + quote(file)}}
			m.learn()
			m.targets(targets)
		}
	}
}

// makefile is one that is followed.
type makefile struct {
	*following
	file, dir string
	rules     []stanza
	vars      map[string]string
	put       int // how many variables were put in
}

func (m *makefile) learn() {
	for _, s := range m.rules {
		if s.op == "+=" {
			m.vars[s.name] += " " + s.value
		} else if s.name != "" && s.name != "MAKE" {
			m.vars[s.name] = s.value
		}
	}
}

// targets follows the named ones, or the first of the file.
func (m *makefile) targets(names []string) {
	if len(names) > 0 {
		for _, name := range names {
			m.target(name)
		}
		return
	}
	for _, s := range m.rules {
		if s.rule() && !strings.HasPrefix(s.targets[0], ".") && !strings.Contains(s.targets[0], "%") {
			m.target(m.expand(s.targets[0], 0))
			return
		}
	}
}

func (m *makefile) target(name string) {
	m.once("make "+m.dir+" "+m.file+" "+name, func() {
		for _, s := range m.rules {
			if !slices.Contains(strings.Fields(m.expand(strings.Join(s.targets, " "), 0)), name) && !s.wouldMake(name) {
				continue
			}
			needs := strings.Fields(m.expand(strings.Join(s.needs, " "), 0))
			for _, need := range needs {
				m.target(need)
			}
			for _, line := range s.recipe {
				line = strings.TrimLeft(line, "@-+ \t")
				line = strings.ReplaceAll(line, "$@", name)
				if len(needs) > 0 {
					line = strings.ReplaceAll(line, "$<", needs[0])
				}
				line = strings.ReplaceAll(line, "$^", strings.Join(needs, " "))
				m.found(m.expand(line, 0), m.dir)
			}
		}
	})
}

// longest is how long a line may become by its variables.
const longest = 1 << 16

// expand puts in the values of variables. What it does not know stays.
func (m *makefile) expand(text string, depth int) string {
	if depth > 10 || len(text) > longest || m.put > longest || !strings.Contains(text, "$") {
		return strings.ReplaceAll(text, "$$", "$")
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] != '$' || i+1 == len(text) {
			b.WriteByte(text[i])
			continue
		}
		if text[i+1] == '$' {
			b.WriteByte('$')
			i++
			continue
		}
		closing := map[byte]string{'(': ")", '{': "}"}[text[i+1]]
		end := -1
		if closing != "" {
			end = strings.Index(text[i:], closing)
		}
		if end < 0 {
			b.WriteByte('$')
			continue
		}
		name := text[i+2 : i+end]
		value, ok := m.vars[name]
		if !ok {
			b.WriteString(text[i : i+end+1])
		} else {
			m.put++
			b.WriteString(m.expand(value, depth+1))
		}
		i += end
		if b.Len() > longest {
			break
		}
	}
	return b.String()
}
