package redact

import "testing"

func TestAddress(t *testing.T) {
	for address, want := range map[string]string{
		"https://example.com/team/one":                "https://example.com/team/one",
		"https://example.com/team/@one":               "https://example.com/team/@one",
		"https://me:pass@example.com/one":             "https://xxxxx@example.com/one",
		"https://ghp_0123456789abcdef@github.com/x/y": "https://xxxxx@github.com/x/y",
		"https://token:x-oauth-basic@github.com/x/y":  "https://xxxxx@github.com/x/y",
		"https://me:p%zz@example.com/one":             "https://xxxxx@example.com/one",
		"https://me:p@ss@example.com":                 "https://xxxxx@example.com",
		"ssh://git@example.com/one.git":               "ssh://git@example.com/one.git",
		"git+ssh://git@example.com/one.git":           "git+ssh://git@example.com/one.git",
		"ssh://git:pass@example.com/one.git":          "ssh://xxxxx@example.com/one.git",
		"git@example.com:team/one.git":                "git@example.com:team/one.git",
		"/srv/one.git":                                "/srv/one.git",
		"file:///srv/o@ne.git":                        "file:///srv/o@ne.git",
		"origin":                                      "origin",
		"":                                            "",
	} {
		if got := Address(address); got != want || InAddress(address) != (want != address) {
			t.Errorf("%q is shown as %q, want %q; a secret in it: %v", address, got, want, InAddress(address))
		}
	}
}
