package proxy

import (
	"slices"
	"strings"
	"testing"
)

func TestEnviron(t *testing.T) {
	got := Environ(3128, []string{
		"HTTP_PROXY=http://proxy.corp:8080", "no_proxy=.corp", "ALL_PROXY=socks5://127.0.0.1:1080",
		"NPM_CONFIG_PROXY=http://proxy.corp:8080", "npm_config_noproxy=.corp", "npm_config_registry=https://npm.corp",
		"PIP_PROXY=http://proxy.corp:8080", "JAVA_TOOL_OPTIONS=-Xmx1g -Dhttp.proxyHost=proxy.corp", "PATH=/bin", "odd",
	})
	const url = "http://127.0.0.1:3128"
	want := map[string]string{
		"HTTP_PROXY": url, "HTTPS_PROXY": url, "ALL_PROXY": url, "http_proxy": url, "https_proxy": url, "all_proxy": url,
		"NO_PROXY": direct, "no_proxy": direct, "NODE_USE_ENV_PROXY": "1",
		"NPM_CONFIG_PROXY": url, "npm_config_noproxy": direct, "PIP_PROXY": url,
		"JAVA_TOOL_OPTIONS": "-Xmx1g -Dhttp.proxyHost=proxy.corp " + javaOptions(3128),
	}
	var names []string
	for _, kv := range got {
		name, value, _ := strings.Cut(kv, "=")
		names = append(names, name)
		if want[name] != value {
			t.Errorf("%s = %q, want %q", name, value, want[name])
		}
	}
	if slices.Sort(names); len(names) != len(want) || len(slices.Compact(names)) != len(want) {
		t.Errorf("Environ has %q", names)
	}
	if plain := Environ(1, nil); !slices.Contains(plain, "JAVA_TOOL_OPTIONS="+javaOptions(1)) || !strings.Contains(javaOptions(1), "-Dhttps.proxyPort=1 ") {
		t.Errorf("without the user's own: %q", plain)
	}
}
