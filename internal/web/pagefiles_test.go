package web

import (
	"encoding/json"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// scripts are the modules of the page that are our own.
func scripts(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := fs.WalkDir(embedded, "page", func(name string, _ fs.DirEntry, err error) error {
		if err != nil || path.Ext(name) != ".js" || strings.HasPrefix(name, "page/uplot/") {
			return err
		}
		b, err := fs.ReadFile(embedded, name)
		found[path.Base(name)] = string(b)
		return err
	})
	if err != nil || len(found) < 10 {
		t.Fatalf("%d modules, %v", len(found), err)
	}
	return found
}

func TestHTMLGetsIntoThePageThroughOneDoor(t *testing.T) {
	door := regexp.MustCompile(`\.(innerHTML|outerHTML)\b|insertAdjacentHTML|document\.write|\beval\(|new Function|parseFromString|createContextualFragment|setHTMLUnsafe`)
	for name, text := range scripts(t) {
		found := door.FindAllString(text, -1)
		if name == "dom.js" && len(found) == 1 && strings.Contains(text, `box.innerHTML = html ?? "";`) {
			continue // safe(), into a template that is cleaned before anybody sees it
		}
		if len(found) > 0 {
			t.Errorf("%s uses %q: HTML of the server goes through safe() in dom.js, everything else is text", name, found)
		}
	}
}

func TestThePageAsksOnlyItsOwnServer(t *testing.T) {
	elsewhere := regexp.MustCompile(`https?://[^\s"'` + "`" + `\\)]+`)
	for name, text := range scripts(t) {
		for _, url := range elsewhere.FindAllString(text, -1) {
			if url != "http://www.w3.org/2000/svg" {
				t.Errorf("%s names %s", name, url)
			}
		}
	}
	css, err := fs.ReadFile(embedded, "page/page.css")
	if err != nil || regexp.MustCompile(`url\((?:["']?https?:|["']?//)|@import`).Match(css) {
		t.Errorf("page.css asks for something elsewhere, or cannot be read: %v", err)
	}
}

func TestEveryPieceOfThePageIsThere(t *testing.T) {
	all := scripts(t)
	has := func(from, name string) {
		if _, err := fs.Stat(embedded, path.Join("page", name)); err != nil {
			t.Errorf("%s wants %s: %v", from, name, err)
		}
	}
	for name, text := range all {
		for _, m := range regexp.MustCompile(`(?:from |import\()"\./([^"]+)"`).FindAllStringSubmatch(text, -1) {
			has(name, m[1])
		}
		for _, m := range regexp.MustCompile(`"/static/([^"]+)"`).FindAllStringSubmatch(text, -1) {
			has(name, m[1])
		}
	}
	templates, err := fs.Glob(embedded, "page/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range templates {
		b, err := fs.ReadFile(embedded, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range regexp.MustCompile(`"/static/([^"{]+)"`).FindAllStringSubmatch(string(b), -1) {
			has(name, m[1])
		}
		// The policy forbids them: they would do nothing, and nobody would see why.
		if found := regexp.MustCompile(`\sstyle=|<style|\son[a-z]+=|<script>`).FindAllString(string(b), -1); len(found) > 0 {
			t.Errorf("%s has inline scripts or styles: %q", name, found)
		}
	}
	b, err := fs.ReadFile(embedded, "page/manifest.webmanifest")
	if err != nil {
		t.Fatal(err)
	}
	var manifest struct {
		Icons []struct {
			Src string `json:"src"`
		} `json:"icons"`
	}
	if err := json.Unmarshal(b, &manifest); err != nil || len(manifest.Icons) < 2 {
		t.Fatalf("manifest with %d icons: %v", len(manifest.Icons), err)
	}
	for _, icon := range manifest.Icons {
		has("manifest.webmanifest", strings.TrimPrefix(icon.Src, "/static/"))
	}
	has("the licence of uPlot", "uplot/LICENSE")
}

// A browser is told at once which modules it will need. Through a tunnel, each one that
// it has to find in another costs the time there and back.
func TestThePageNamesItsModules(t *testing.T) {
	p, err := loadPages()
	if err != nil {
		t.Fatal(err)
	}
	all := scripts(t)
	for page, list := range p.modules {
		for _, name := range list {
			for _, m := range regexp.MustCompile(`from "\./([^"]+)"`).FindAllStringSubmatch(all[name], -1) {
				if !slices.Contains(list, m[1]) {
					t.Errorf("%s of the page %s imports %s, which the page does not name", name, page, m[1])
				}
			}
		}
	}
	if len(p.modules["run"]) < 10 || slices.Contains(p.modules["run"], "overview.js") || slices.Contains(p.modules["overview"], "run.js") {
		t.Errorf("the pages name %v", p.modules)
	}
	s := newScene(t)
	got := s.ask("GET", "/runs/"+s.run().Meta().ID, s.known).Body.String()
	for _, name := range p.modules["run"] {
		if !strings.Contains(got, `<link rel="modulepreload" href="/static/`+name+`">`) {
			t.Errorf("the page of a run does not name %s", name)
		}
	}
}

// Only what went wrong has the sign for that.
func TestAParkedRunHasNotFailed(t *testing.T) {
	text := scripts(t)["words.js"]
	if !regexp.MustCompile(`parked: "[^"✕]+"`).MatchString(text) {
		t.Error("words.js has no sign for a run that is parked")
	}
	if night := scripts(t)["night.js"]; !strings.Contains(night, "parked:") {
		t.Error("night.js does not say when a run was parked")
	}
}
