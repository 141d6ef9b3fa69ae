package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPageIsUpToDate(t *testing.T) {
	page, err := os.ReadFile(pagePath)
	if err != nil {
		t.Fatal(err)
	}
	want, err := renew(string(page))
	if err != nil {
		t.Fatal(err)
	}
	if string(page) != want {
		t.Error("docs/configuration.md is not what the settings say: run \"make docs\"")
	}
}

func TestOnlyWhatIsBelowTheMarkIsMadeAnew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte("by hand\n"+mark+"out of date\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := generate(path); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(page); !strings.HasPrefix(got, "by hand\n"+mark) || strings.Contains(got, "out of date") || !strings.Contains(got, "`loop.max_iterations`") {
		t.Errorf("generated page:\n%s", got)
	}
}

func TestAPageWithoutTheMarkIsNotTouched(t *testing.T) {
	path := filepath.Join(t.TempDir(), "page.md")
	if err := os.WriteFile(path, []byte("by hand\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := generate(path); err == nil {
		t.Error("no error without the mark")
	}
	if page, err := os.ReadFile(path); err != nil || string(page) != "by hand\n" {
		t.Errorf("the page became %q, %v", page, err)
	}
}
