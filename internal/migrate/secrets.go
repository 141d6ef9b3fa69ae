package migrate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/redact"
	"github.com/refrain-loop/refrain/internal/setting"
)

// hideSecrets takes out of the settings, gates and notes what is hidden where a command
// is shown: they become a file that is made to be committed, and what everybody sees.
// What was hidden is listed by its name. Copies of files stay as they are, since to
// change one would lose what it says, and are listed where they may hold a secret.
func (im *Import) hideSecrets() {
	file := firstOf(im.Read...)
	for i, n := range im.Notes {
		what, _ := inShell(setting.Command{Line: n.What})
		key, _ := inShell(setting.Command{Line: n.Key})
		im.Notes[i].What, im.Notes[i].Key = what.Line, key.Line
	}
	for i, s := range im.Settings {
		var names []string
		instead := "have the command read it from your environment, or keep the command in your own settings, out of the project"
		switch v := s.Value.(type) {
		case string:
			hide := inText
			switch s.Key[0] {
			case "agents":
				hide = inCommand
				if setting.MaskLine(v) == v && (setting.Command{Line: v}).Masked().Line != v {
					hide = inShell // what stands where a secret could is a variable
					im.note(file, setting.JoinKey(s.Key), "no shell fills in its variables: have the command read them itself, or call it with sh -c")
				}
			case "commands":
				hide = inShell
			}
			c, hidden := hide(setting.Command{Line: v})
			im.Settings[i].Value, names = c.Line, hidden
		case []string:
			c, hidden := inCommand(setting.Command{Argv: v})
			im.Settings[i].Value, names = c.Argv, hidden
		case []part:
			instead = "have the agent read it from its environment"
			for j, p := range v {
				c, hidden := inText(setting.Command{Line: p.text})
				v[j].text, names = c.Line, append(names, hidden...)
			}
		}
		im.hid(file, setting.JoinKey(s.Key), names, instead)
	}
	for i, g := range im.Gates {
		c, names := inShell(setting.Command{Line: g.Run})
		im.Gates[i].Run = c.Line
		im.hid(file, "gate."+g.Name, names, "have the command read it from your environment")
	}
	for _, f := range im.Files {
		if _, names := inText(setting.Command{Line: f.Text}); len(names) > 0 {
			im.note(f.From, "", fmt.Sprintf("it may hold a secret (%s), and %s has it as it is: look before you commit that", strings.Join(names, ", "), f.Path))
		}
	}
}

// hid lists what was hidden.
func (im *Import) hid(file, key string, names []string, instead string) {
	for _, name := range names {
		im.masked = true
		im.note(file, key, fmt.Sprintf("%s may be a secret, so it was not copied, and %s stands there: %s", name, setting.Mask, instead))
	}
}

// inCommand masks what is masked wherever a command is shown, and gives the names of
// that.
func inCommand(c setting.Command) (clean setting.Command, names []string) {
	return masked(c, c.Masked())
}

// inShell does the same in a line for the shell, where a variable is no secret.
func inShell(c setting.Command) (clean setting.Command, names []string) {
	return masked(c, setting.Command{Line: setting.MaskLine(c.Line)})
}

// masked adds to what is masked in a command what is so inside its arguments, each of
// which may be a line for the shell, and what looks like a secret by itself.
func masked(c, clean setting.Command) (_ setting.Command, names []string) {
	if clean.TOML() != c.TOML() {
		if names = slices.Sorted(maps.Keys(c.Secrets())); len(names) == 0 {
			names = []string{"a value"}
		}
	}
	for i, arg := range clean.Argv {
		line, more := inShell(setting.Command{Line: arg})
		clean.Argv[i] = line.Line
		names = append(names, more...)
	}
	clean, more := inText(clean)
	names = append(names, more...)
	clean, more = hide(clean, keysIn(clean.Line))
	names = append(names, more...)
	slices.Sort(names)
	return clean, slices.Compact(names)
}

// keysIn are the words of a line that look like a key, whatever is said before them.
func keysIn(line string) []redact.Secret {
	var found []redact.Secret
	for _, word := range strings.Fields(line) {
		if strings.Contains(word, "$") || strings.Contains(word, setting.Mask) {
			continue
		}
		pieces := []string{word}
		if !strings.Contains(word, "://") {
			pieces = strings.FieldsFunc(word, func(r rune) bool { return r == '=' || r == ':' })
		}
		for _, piece := range pieces {
			found = append(found, redact.Given(map[string]string{"a word that looks like a key": trimmed(piece)}, looksLikePath)...)
		}
	}
	return found
}

// trimmed is a word without the quotes and signs around it.
func trimmed(word string) string { return strings.Trim(word, "\"'`<>(),;") }

// inText masks what looks like a secret by its name and by itself, and the passwords
// in addresses: a sentence may well speak of a token.
func inText(c setting.Command) (clean setting.Command, names []string) {
	found := redact.Settings(c.Secrets())
	for _, word := range strings.Fields(strings.Join(append(slices.Clone(c.Argv), c.Line), " ")) {
		address := map[string]string{"the password of an address": trimmed(word)}
		if strings.Contains(word, "://") {
			found = append(found, redact.Given(address, func(string) bool { return true })...)
		}
	}
	return hide(c, found)
}

// hide puts a mask in the place of each secret.
func hide(c setting.Command, found []redact.Secret) (clean setting.Command, names []string) {
	clean = setting.Command{Line: c.Line, Argv: slices.Clone(c.Argv)}
	for _, s := range found {
		if s.Value == setting.Mask {
			continue
		}
		names = append(names, s.Name)
		clean.Line = strings.ReplaceAll(clean.Line, s.Value, setting.Mask)
		for i := range clean.Argv {
			clean.Argv[i] = strings.ReplaceAll(clean.Argv[i], s.Value, setting.Mask)
		}
	}
	slices.Sort(names)
	return clean, slices.Compact(names)
}
