package lookout

import "testing"

func TestAnAddressIsShownWithoutKeys(t *testing.T) {
	for address, want := range map[string]string{
		"https://ghp_key@git.example.com/x.git":  "https://git.example.com/x.git",
		"https://ann:pass@git.example.com/x.git": "https://git.example.com/x.git",
		"ssh://git@git.example.com/x.git":        "ssh://git@git.example.com/x.git",
		"ssh://git:pass@git.example.com/x.git":   "ssh://git@git.example.com/x.git",
		"git@git.example.com:x.git":              "git@git.example.com:x.git",
		"https://git.example.com/x.git":          "https://git.example.com/x.git",
		"/srv/git/x.git":                         "/srv/git/x.git",
	} {
		if got := shown(address); got != want {
			t.Errorf("shown(%q) = %q, want %q", address, got, want)
		}
	}
}
