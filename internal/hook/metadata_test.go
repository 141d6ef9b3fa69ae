package hook

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

func TestMetadataOfAFile(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       map[string]string
		warned     string
	}{
		{name: "nothing", text: "\n \n"},
		{name: "a value with signs", text: "a=b=c d", want: map[string]string{"a": "b=c d"}},
		{name: "no value", text: "a=\n", want: map[string]string{"a": ""}},
		{name: "lines as on Windows", text: "a=1\r\nb=2\r\n", want: map[string]string{"a": "1", "b": "2"}},
		{name: "said again", text: "a=1\na=2\n", want: map[string]string{"a": "2"}},
		{name: "a space before the sign", text: " a = 1", want: map[string]string{"a": " 1"}},
		{name: "no text at all", text: "a=\xff\n", want: map[string]string{"a": "\ufffd"}},
		{name: "no sign", text: "a=1\nb\x1b[1m\n", want: map[string]string{"a": "1"}, warned: "metadata of the failed hook is left out: line 2 (b)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "metadata")
			if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
				t.Fatal(err)
			}
			got, w := metadata(Failed, path)
			if !maps.Equal(got, tt.want) || (w != nil) != (tt.warned != "") || w != nil && w.Text != tt.warned {
				t.Errorf("metadata(%q) = %q, %+v; want %q, %q", tt.text, got, w, tt.want, tt.warned)
			}
			if _, err := os.Lstat(path); !os.IsNotExist(err) {
				t.Errorf("the file is still there: %v", err)
			}
		})
	}
	if got, w := metadata(Failed, filepath.Join(t.TempDir(), "none")); got != nil || w != nil {
		t.Errorf("metadata of no file = %q, %+v", got, w)
	}
}

// Who is in a sandbox can make a link to what it may not read: the runner, which may,
// does not read it for them.
func TestMetadataBehindALinkIsLeftOut(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "credentials")
	if err := os.WriteFile(secret, []byte("key=secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "metadata")
	if err := os.Symlink(secret, path); err != nil {
		t.Skip("there are no links here: ", err)
	}
	got, w := metadata(PostIteration, path)
	if len(got) > 0 || w == nil || w.Text != "metadata of the post_iteration hook is left out: it is a link" {
		t.Errorf("metadata = %q, %+v, want nothing and a warning", got, w)
	}
	if _, err := os.Stat(secret); err != nil {
		t.Errorf("what the link led to: %v", err)
	}
	if _, err := os.Lstat(path); !os.IsNotExist(err) {
		t.Errorf("the link is still there: %v", err)
	}
}
