package cli

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

func TestWhichTerminalsShowMoreThanASCII(t *testing.T) {
	for _, tt := range []struct {
		env  map[string]string
		want bool
	}{
		{nil, true},
		{map[string]string{"LANG": "en_US.UTF-8"}, true},
		{map[string]string{"LANG": "de_DE.utf8"}, true},
		{map[string]string{"LANG": "C"}, false},
		{map[string]string{"LANG": "en_US.UTF-8", "LC_ALL": "POSIX"}, false},
		{map[string]string{"LANG": "C", "LC_CTYPE": "C.UTF-8"}, true},
		{map[string]string{"LANG": "de_DE.ISO-8859-1"}, false},
	} {
		if got := unicodeLocale(func(key string) string { return tt.env[key] }); got != tt.want {
			t.Errorf("unicodeLocale(%v) = %v, want %v", tt.env, got, tt.want)
		}
	}
}

func TestWatchNeedsATerminal(t *testing.T) {
	sh := &shell{console: console{out: &bytes.Buffer{}}}
	var f failure
	if err := sh.canFillScreen("watch", "refrain logs -f"); !errors.As(err, &f) || f.status != statusUsage || !strings.Contains(f.hint, "refrain logs -f") {
		t.Errorf("without a terminal: %v", err)
	}
}

func TestOnlyTheHeadOfADiffIsKept(t *testing.T) {
	w := head{room: 5}
	for _, text := range []string{"abc", "def", "ghi"} {
		if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("Write(%q) = %d, %v", text, n, err)
		}
	}
	if got := w.String(); got != "abcde" {
		t.Errorf("kept %q", got)
	}
}
