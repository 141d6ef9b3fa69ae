package foreign

import (
	"fmt"
	"strings"
	"testing"
)

func TestForeignWordsNameOurs(t *testing.T) {
	for name, want := range map[string]string{
		"u":           "rooda's -u: --unlimited",
		"ai-cmd":      "rooda's --ai-cmd: write the command after --",
		"auto-commit": "descartes' --auto-commit: --commit",
		"nobodys":     "",
	} {
		if got := Flag(name); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("Flag(%q) = %q, want %q", name, got, want)
		}
	}
	if got := Flag("c"); !strings.Contains(got, "rooda's -c: --context") || !strings.Contains(got, "descartes' -c: write the command") {
		t.Errorf("Flag(c) = %q, want what it means to each", got)
	}
	for words, want := range map[string]string{
		"list":                "rooda's list: ",
		"info build":          "rooda's info build: refrain procedures build",
		"loop status":         "descartes' loop status: refrain status",
		"loop over the tests": "", // a sentence
		"list the files":      "",
		"begin":               "",
	} {
		if got := Command(strings.Fields(words)); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("Command(%q) = %q, want %q", words, got, want)
		}
	}
}

func TestForeignKeysNameOursWhereverTheyStand(t *testing.T) {
	for key, want := range map[string]string{
		"state_file":      "descartes' state_file: there is none: ",
		"loop.state_file": "descartes' state_file: there is none: ",
		"docker":          "fresher's [docker]: sandbox.mode = ",
		"mode":            "fresher's mode: ",
		"permisions.mode": "", // a slip
		"state_file.x":    "",
		"loop.backof":     "",
	} {
		if got := Key(strings.Split(key, ".")); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("Key(%q) = %q, want %q", key, got, want)
		}
	}
}

func TestForeignVariablesAreNamedWithoutTheirValues(t *testing.T) {
	environ := []string{"ROODA_LOOP_AI_CMD=secret", "FRESHER_ODD=secret", "PATH=x", "FRESHER_MODEL=secret", "AFRESHER_MODEL=x"}
	got := fmt.Sprint(Variables(environ))
	want := "[{fresher FRESHER_MODEL set REFRAIN_MODEL} {fresher FRESHER_ODD unset it: nothing stands for it here} {rooda ROODA_LOOP_AI_CMD pass the command after --}]"
	if got != want {
		t.Errorf("Variables = %s, want %s", got, want)
	}
	if got := Variables(append(environ, "REFRAIN_RUN_ID=loop_1")); got != nil {
		t.Errorf("Variables within a run = %v, want none: its runner has set them", got)
	}
}

// A word that is ours would never be asked for.
func TestNoWordTwice(t *testing.T) {
	for _, list := range [][]Word{flags, commands, variables, keys, lone, folders} {
		seen := map[string]bool{}
		for _, w := range list {
			key := w.System + " " + w.Theirs
			if seen[key] || w.Ours == "" {
				t.Errorf("%q stands there twice, or says nothing", key)
			}
			seen[key] = true
		}
	}
}
