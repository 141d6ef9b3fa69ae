package proxy

import (
	"fmt"
	"strings"
)

// direct is what is asked for without the proxy: what runs inside, too.
const direct = "localhost,127.0.0.1,::1"

// own are the variables with which a user may have told one program of another
// proxy. They win over the common ones, so they are set to ours where they are.
var own = map[string]bool{
	"npm_config_proxy": true, "npm_config_http_proxy": true, "npm_config_https_proxy": true,
	"yarn_http_proxy": true, "yarn_https_proxy": true,
	"pip_proxy": true, "cargo_http_proxy": true, "ftp_proxy": true, "ws_proxy": true, "wss_proxy": true,
}

// Environ is the variables, KEY=VALUE, by which programs find a proxy on a port
// of loopback. They replace those of the same name in the environment that is
// given, which is the user's: another proxy can not be reached, and no host
// without one.
func Environ(port int, env []string) []string {
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	var list []string
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"} {
		list = append(list, name+"="+url, strings.ToLower(name)+"="+url)
	}
	list = append(list, "NO_PROXY="+direct, "no_proxy="+direct, "NODE_USE_ENV_PROXY=1")
	java := javaOptions(port)
	for _, kv := range env {
		name, value, _ := strings.Cut(kv, "=")
		switch {
		case name == "JAVA_TOOL_OPTIONS":
			java = strings.TrimSpace(value + " " + java) // the last one counts
		case strings.EqualFold(name, "npm_config_noproxy"):
			list = append(list, name+"="+direct)
		case own[strings.ToLower(name)]:
			list = append(list, name+"="+url)
		}
	}
	return append(list, "JAVA_TOOL_OPTIONS="+java)
}

// javaOptions are for every virtual machine. What is on loopback it asks for by
// itself without being told; Maven looks at them only if told to.
func javaOptions(port int) string {
	return fmt.Sprintf("-Dhttp.proxyHost=127.0.0.1 -Dhttp.proxyPort=%d -Dhttps.proxyHost=127.0.0.1 -Dhttps.proxyPort=%d -Daether.connector.http.useSystemProperties=true", port, port)
}
