package web

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

//go:embed page
var embedded embed.FS

// pages is the page as it was built in.
type pages struct {
	files     fs.FS
	templates *template.Template
	tags      map[string]string   // of what is served as it is
	modules   map[string][]string // that a page is made of, so that a browser need not find one in the other
}

func loadPages() (*pages, error) {
	root, err := fs.Sub(embedded, "page")
	if err != nil {
		return nil, err
	}
	p := &pages{files: root, tags: map[string]string{}}
	if p.templates, err = template.ParseFS(root, "*.html"); err != nil {
		return nil, fmt.Errorf("read the page: %w", err)
	}
	err = fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasSuffix(name, ".html") {
			return err
		}
		b, err := fs.ReadFile(root, name)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(b)
		p.tags[name] = `"` + hex.EncodeToString(sum[:8]) + `"`
		return nil
	})
	p.modules = map[string][]string{"overview": modulesOf(root, "app.js", "overview.js"), "run": modulesOf(root, "app.js", "run.js")}
	return p, err
}

// modulesOf are modules, and those that they import.
func modulesOf(files fs.FS, list ...string) []string {
	imports := regexp.MustCompile(`(?m)^import .*from "\./([^"]+)";`)
	for i := 0; i < len(list); i++ {
		b, _ := fs.ReadFile(files, list[i]) // one that is not there is missed when it is asked for
		for _, m := range imports.FindAllSubmatch(b, -1) {
			if name := string(m[1]); !slices.Contains(list, name) {
				list = append(list, name)
			}
		}
	}
	return list
}

// static serves a file of the page, and nothing else: names that are not in the list
// do not exist.
func (p *pages) static(w http.ResponseWriter, r *http.Request) {
	p.serve(w, r, strings.TrimPrefix(r.URL.Path, "/static/"))
}

func (p *pages) file(name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) { p.serve(w, r, name) }
}

// types are those that not every system knows.
var types = map[string]string{
	".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml", ".webmanifest": "application/manifest+json", ".png": "image/png", ".txt": "text/plain; charset=utf-8",
}

func (p *pages) serve(w http.ResponseWriter, r *http.Request, name string) {
	tag, ok := p.tags[name]
	b, err := fs.ReadFile(p.files, path.Clean(name))
	if !ok || err != nil {
		refuse(w, http.StatusNotFound, "there is no such file", "")
		return
	}
	kind := types[path.Ext(name)]
	if kind == "" {
		if kind = mime.TypeByExtension(path.Ext(name)); kind == "" {
			kind = "application/octet-stream"
		}
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", tag)
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(b))
}

// paint writes a page.
func (p *pages) paint(w http.ResponseWriter, status int, name string, data painted) {
	data.Modules = p.modules[data.Page]
	var b bytes.Buffer
	if err := p.templates.ExecuteTemplate(&b, name, data); err != nil {
		refuse(w, http.StatusInternalServerError, "the page cannot be made: "+err.Error(), "")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(b.Bytes()) // a browser that is gone misses it
}

// painted is what templates get.
type painted struct {
	Version string
	Page    string
	First   any
	Missing string
	Wrong   string
	Modules []string // paint knows them
}

func (s *Server) overviewPage(w http.ResponseWriter, _ *http.Request) {
	o, err := s.survey(usualFinished)
	if err != nil {
		s.fail(w, err)
		return
	}
	s.pages.paint(w, http.StatusOK, "overview.html", painted{Version: s.Version, Page: "overview", First: o})
}

// notHere is the page of what is not there.
func (s *Server) notHere(w http.ResponseWriter, why string) {
	s.pages.paint(w, http.StatusNotFound, "overview.html", painted{Version: s.Version, Page: "missing", First: Overview{Version: s.Version, Boot: s.boot, Runs: []Row{}}, Missing: why})
}

func (s *Server) loginPage(w http.ResponseWriter, r *http.Request) {
	wrong := ""
	if r.URL.Query().Has("wrong") {
		wrong = errWrongToken.Error()
	}
	s.pages.paint(w, http.StatusOK, "login.html", painted{Version: s.Version, Page: "login", Wrong: wrong})
}

var errWrongToken = errors.New("that is not the token of this server, or there were too many wrong ones: wait a minute")

// login takes the token from a form.
func (s *Server) login(w http.ResponseWriter, r *http.Request) {
	limits := http.NewResponseController(w)
	_ = limits.SetReadDeadline(time.Now().Add(bodyTime)) // a recorder has none
	r.Body = http.MaxBytesReader(w, r.Body, 4<<10)
	if r.ParseForm() != nil || !s.Access.opens(strings.TrimSpace(r.PostFormValue("token"))) {
		s.pages.paint(w, http.StatusUnauthorized, "login.html", painted{Version: s.Version, Page: "login", Wrong: errWrongToken.Error()})
		return
	}
	s.Access.give(w, r)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
