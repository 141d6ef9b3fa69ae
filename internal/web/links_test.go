package web

import (
	"bytes"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// bait copies the folder of a run to a place that is nobody's business, with a secret in
// every file.
func bait(t *testing.T, run string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "private")
	if err := os.CopyFS(dir, os.DirFS(run)); err != nil {
		t.Fatal(err)
	}
	attempt := filepath.Join(dir, "iterations", "0001")
	for name, text := range map[string]string{
		"feedback.json": `["the secret"]`, "changes.json": `{"base": "the secret", "paths": [{"path": "the secret"}]}`, "stderr": "the secret", "gates/the secret.log": "the secret",
	} {
		if err := os.WriteFile(filepath.Join(attempt, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(path, bytes.ReplaceAll(b, []byte("alert(1)"), []byte("the secret")), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// looks are all that a page can ask of a run.
func looks(id string) []string {
	list := []string{"/", "/runs/" + id, "/api/overview"}
	for _, path := range []string{
		"", "/iterations", "/timeline", "/story", "/story?after=0", "/diff", "/diff?iteration=1", "/gates", "/claims", "/checkpoints", "/warnings", "/tasks", "/events", "/events?after=0",
		"/iterations/1", "/iterations/1/transcript", "/iterations/1/prompt", "/iterations/1/output?stream=stdout", "/iterations/1/output?stream=stderr", "/iterations/1/gates",
	} {
		list = append(list, "/api/runs/"+id+path)
	}
	return list
}

// Wherever a link stands in for something of a run, what it leads to is not shown.
func TestLinksOutOfARunLeadNowhere(t *testing.T) {
	for _, name := range []string{
		"iterations/0001/prompt.md", "iterations/0001/stdout", "iterations/0001/stderr", "iterations/0001/events.jsonl", "iterations/0001/feedback.json", "iterations/0001/changes.json",
		"iterations/0001/gates/test.clean.log", "iterations/0001/gates/test.clean.tests.jsonl", "iterations/0001/gates", "iterations/0001", "iterations", "journal.jsonl", "run.json", ".",
	} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			r := s.run()
			r.attempt(1)
			secret := bait(t, r.Dir())
			path := filepath.Join(r.Dir(), name)
			if err := os.RemoveAll(path); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Join(secret, name), path); err != nil {
				t.Skip("no links here")
			}
			for _, path := range looks(r.Meta().ID) {
				if got := s.ask("GET", path, s.known); strings.Contains(got.Body.String(), "the secret") {
					t.Errorf("GET %s: %d %s", path, got.Code, got.Body)
				}
			}
		})
	}
}

// What is not linked is told as if nothing was.
func TestTheRestOfARunWithALink(t *testing.T) {
	s := newScene(t)
	r := s.run()
	r.attempt(1)
	r.attempt(2)
	path := filepath.Join(s.store.AttemptDir(r.Meta().Name, 1, 1), "events.jsonl")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/etc/passwd", path); err != nil {
		t.Skip("no links here")
	}
	at := "/api/runs/" + r.Meta().ID
	var story transcript
	s.get(at+"/story", &story)
	said := 0
	for _, e := range story.Entries {
		if e.Kind == "text" {
			said++
		}
	}
	if said != 1 || story.Entries[0].Seq != 1 {
		t.Errorf("%d texts of agents are told, want that of the second: %+v", said, story)
	}
	if got := s.ask("GET", at+"/iterations/1/transcript", s.known); got.Code != http.StatusForbidden || !strings.Contains(got.Body.String(), "not the run's") {
		t.Errorf("what the link leads to: %d %s", got.Code, got.Body)
	}
}

// A link that is put in the place of a folder, and taken away again, while somebody
// reads is not followed either.
func TestALinkThatComesAndGoes(t *testing.T) {
	for _, name := range []string{"iterations/0001/prompt.md", "iterations/0001", "iterations", "."} {
		t.Run(name, func(t *testing.T) { comesAndGoes(t, name) })
	}
}

func comesAndGoes(t *testing.T, name string) {
	s := newScene(t)
	r := s.run()
	r.attempt(1)
	secret := bait(t, r.Dir())
	path := filepath.Join(r.Dir(), name)
	aside, link := path+".aside", path+".link"
	if err := os.Symlink(filepath.Join(secret, name), link); err != nil {
		t.Skip("no links here")
	}
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
			}
			_ = os.Rename(path, aside)
			_ = os.Rename(link, path)
			_ = os.Rename(path, link)
			_ = os.Rename(aside, path)
		}
	})
	for range 40 {
		for _, path := range []string{"", "/prompt", "/transcript", "/output?stream=stdout", "/gates"} {
			got := s.ask("GET", "/api/runs/"+r.Meta().ID+"/iterations/1"+path, s.known)
			if strings.Contains(got.Body.String(), "the secret") {
				t.Errorf("GET %s: %d %s", path, got.Code, got.Body)
			}
		}
	}
	close(stop)
	wg.Wait()
	s.fleet.forgetLook()
	if got := s.ask("GET", "/api/runs/"+r.Meta().ID+"/iterations/1/prompt", s.known); got.Code != http.StatusOK {
		t.Errorf("when it has gone: %d %s", got.Code, got.Body)
	}
}
