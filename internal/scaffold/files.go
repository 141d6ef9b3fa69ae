package scaffold

import (
	"bytes"
	"embed"
	"io/fs"
	"slices"
	"strings"
	"sync"
	"text/template"

	"github.com/refrain-loop/refrain/internal/text"
)

// File is a file to be written.
type File struct {
	Path string // below the root of the work tree, with slashes
	Text string
	Mode fs.FileMode
	Keep bool // it is the project's: one that is there stays, even when others are replaced
}

const (
	plain      fs.FileMode = 0o644
	executable fs.FileMode = 0o755
)

const (
	settingsFile = "refrain.toml"
	schemaFile   = ".refrain/schema.json"
)

// Options are what a person may want to have otherwise.
type Options struct {
	Profile string // of another system; empty is none
	Ungated bool   // the profile says whether the commands are gates
	Agent   string // empty leaves it to the user's own settings, or to what is installed
	Test    string // how the tests are run; empty is what was detected, "none" is not at all
	Goal    string // what is to be built, in a sentence; empty: nobody has said it yet
	Full    bool   // write samples of everything that can be written, too
	Bare    bool   // there is no git: the records of runs are in the folder itself
	Image   bool   // write the recipe of an image to work in, too

	SchemaURL string // where editors find the JSON Schema of the settings; empty is nowhere
	Schema    string // the schema itself, for Full; empty is none
}

// SchemaURL is where the schema for the settings of a version is: that of its
// release, and of one that is none, the latest.
func SchemaURL(version string) string {
	ref := "main"
	if release().MatchString(version) {
		ref = "v" + strings.TrimPrefix(version, "v")
	}
	return "https://raw.githubusercontent.com/refrain-loop/refrain/" + ref + "/docs/schema.json"
}

var release = text.NewPattern(`^v?[0-9]+\.[0-9]+\.[0-9]+$`)

//go:embed texts
var texts embed.FS

var templates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"quote":    quote,
		"list":     quoteList,
		"readable": readable,
	}).ParseFS(texts, "texts/*.tmpl"))
})

// Files are the files of a project that is ready for its first run.
func Files(p Project, o Options) []File {
	switch o.Test = strings.TrimSpace(o.Test); o.Test {
	case "", p.Main.Test.Line:
	case "none":
		p.Main.Test, p.Main.Files = Command{}, nil
	default:
		p.Main.Test, p.Main.Files = Command{Line: o.Test}, nil
	}
	view := page{p, o}
	files := []File{{Path: settingsFile, Text: render("refrain.toml.tmpl", view), Mode: plain}}
	if o.Full || o.Bare {
		files = append(files, File{Path: ".refrain/.gitignore", Text: read("gitignore"), Mode: plain})
	}
	if o.Full {
		files = append(files,
			File{Path: "PROMPT.md", Text: render("PROMPT.md.tmpl", view), Mode: plain},
			File{Path: "AGENTS.md", Text: render("AGENTS.md.tmpl", view), Mode: plain, Keep: true},
			File{Path: SpecsFolder + "/README.md", Text: read("specs.md"), Mode: plain, Keep: true},
			File{Path: ".refrain/hooks/started.sample", Text: read("hooks/started.sh"), Mode: executable},
			File{Path: ".refrain/hooks/next_iteration.sample", Text: read("hooks/next_iteration.sh"), Mode: executable},
			File{Path: ".refrain/hooks/finished.sample", Text: read("hooks/finished.sh"), Mode: executable},
		)
		if o.Schema != "" {
			files = append(files, File{Path: schemaFile, Text: o.Schema, Mode: plain})
		}
	}
	if o.Image {
		files = append(files, Dockerfile(p, o.Agent))
	}
	return append(files, p.Main.Files...)
}

// page is what the texts can say.
type page struct {
	Project
	Options
}

// SchemaAt is where the settings say that their schema is.
func (p page) SchemaAt() string {
	if p.Full && p.Schema != "" {
		return "./" + schemaFile
	}
	return p.SchemaURL
}

// Commands are the main commands, in the order in which they run as gates, with
// those that nobody knows.
func (p page) Commands() []Gate {
	return slices.DeleteFunc(p.Main.named(), func(g Gate) bool { return g.checks == "types" })
}

// Named are the main commands that are known.
func (p page) Named() []Gate { return p.commands() }

// Tables are the gates with a table of their own.
func (p page) Tables() []Gate { return p.tables() }

// readable is a command as an agent should run it: what counts and names tests
// for a program floods a reader.
func readable(line string) string { return forReaders.Replace(line) }

var forReaders = strings.NewReplacer(
	"go test -json", "go test", " -m pytest -v", " -m pytest", " manage.py test -v 2", " manage.py test",
	" -m unittest -v", " -m unittest", " discover -s tests -v", " discover -s tests", " discover -s test -v", " discover -s test",
	" -- --verbose", "", " --verbose", "", " -- --reporter=verbose", "", " --reporter=verbose", "",
)

// Task is the goal as a prompt's file can hold it: there, two braces begin a
// template.
func (p page) Task() string { return strings.ReplaceAll(p.Goal, "{{", `{{"{{"}}`) }

func render(name string, data any) string {
	var b bytes.Buffer
	if err := templates().ExecuteTemplate(&b, name, data); err != nil {
		panic(err) // made of plain values
	}
	return b.String()
}

func read(name string) string {
	b, err := texts.ReadFile("texts/" + name)
	if err != nil {
		panic(err) // embedded
	}
	return string(b)
}

var quoting = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

// quote is a text as a value in TOML. Other signs that cannot be seen have no
// place in it.
func quote(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\r' && r != '\t' || r == 0x7f {
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	return `"` + quoting.Replace(text) + `"`
}

func quoteList(list []string) string {
	quoted := make([]string, len(list))
	for i, text := range list {
		quoted[i] = quote(text)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}
