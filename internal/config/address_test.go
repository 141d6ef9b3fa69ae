package config

import "testing"

func TestWhomToTell(t *testing.T) {
	const (
		web      = "write it like https://HOST/PATH"
		mail     = "write it like name@example.com"
		server   = "write it like smtp.example.com or smtp.example.com:465"
		listen   = "write it like 127.0.0.1:9464"
		quiet    = "write it like 22:00-07:00"
		password = "write it in trace.headers, which is never shown"
	)
	tests := []struct {
		name, toml string
		what, hint string // after the key; "" is right
	}{
		{"nothing", `notify = { webhook.url = "", quiet = "", log = "", command = "" }`, "", ""},
		{"an address", `notify.webhook.url = "https://example.com/a?b=c"`, "", ""},
		{"an address without encryption", `notify.ntfy.url = "http://localhost:8080/topic"`, "", ""},
		{"an address of something else", `notify.slack.url = "ftp://example.com"`, "notify.slack.url must be an address of the web", web},
		{"an address without a host", `notify.discord.url = "https:///x"`, "notify.discord.url must be an address of the web", web},
		{"a host alone", `notify.ntfy.url = "ntfy.sh/topic"`, "notify.ntfy.url must be an address of the web", web},
		{"a port alone", `notify.ntfy.url = "http://:80/topic"`, "notify.ntfy.url must be an address of the web", web},
		{"no topic", `notify.ntfy.url = "https://ntfy.sh/"`, "notify.ntfy.url names no topic", "write it like https://ntfy.sh/TOPIC"},
		{"a space in an address", `notify.webhook.url = "https://example.com/a b"`, "notify.webhook.url must be an address of the web", web},

		{"a collector", `trace.endpoint = "http://localhost:4318"`, "", ""},
		{"no collector", `trace.endpoint = "localhost:4318"`, "trace.endpoint must be an address of the web", web},
		{"a password in what is shown", `trace.endpoint = "https://me:secret@example.com"`, "trace.endpoint must not hold a password", password},
		{"a header of two words", `trace.headers."A B" = "x"`, `"A B" is not a name for a header`, "use letters, digits and -"},
		{"a header that is two", `notify.webhook.headers.A = "x\r\nB: y"`, "notify.webhook.headers.A must be on one line, without control characters", "write it as one text"},
		{"headers in a procedure", "[procedures.p.notify.webhook.headers]\nA = \"\\u0007\"", "procedures.p.notify.webhook.headers.A must be on one line, without control characters", "write it as one text"},
		{"headers that are text", `trace.headers = "A=x"`, "trace.headers must be a table", "write [trace.headers] with its keys below it"},

		{"metrics on this machine", `metrics.listen = "127.0.0.1:9464"`, "", ""},
		{"metrics on this machine by name", `metrics.listen = "localhost:0"`, "", ""},
		{"metrics on this machine in the other format", `metrics.listen = "[::1]:9464"`, "", ""},
		{"metrics for everybody", `metrics.listen = ":9464"`, `metrics.listen must be an address that only this machine can reach, not ":9464"`, listen},
		{"metrics for the network", `metrics.listen = "0.0.0.0:9464"`, `metrics.listen must be an address that only this machine can reach, not "0.0.0.0:9464"`, listen},
		{"metrics by a name that may be anywhere", `metrics.listen = "example.com:80"`, `metrics.listen must be an address that only this machine can reach, not "example.com:80"`, listen},
		{"metrics without a port", `metrics.listen = "127.0.0.1"`, `metrics.listen must be a host and a port, not "127.0.0.1"`, listen},
		{"metrics on no port", `metrics.listen = "127.0.0.1:99999"`, `metrics.listen must be a host and a port, not "127.0.0.1:99999"`, listen},

		{"an e-mail", `notify.email = { to = ["a@example.com", "B <b@example.com>"], from = "r@example.com", server = "localhost" }`, "", ""},
		{"an e-mail to nobody", `notify.email.to = ["a"]`, `notify.email.to has "a", which is not an e-mail address`, mail},
		{"an e-mail from nobody", `notify.email.from = "a b"`, `notify.email.from must be an e-mail address, not "a b"`, mail},
		{"an e-mail with two headers", `notify.email.from = "a@b.c\nBcc: d@e.f"`, `notify.email.from must be an e-mail address, not "a@b.c\nBcc: d@e.f"`, mail},
		{"a web page for a mail server", `notify.email.server = "smtp://example.com"`, `notify.email.server must be a host, or a host and a port, not "smtp://example.com"`, server},
		{"an e-mail through nothing", `notify.email.to = ["a@example.com"]`, "notify.email.to is set, but notify.email.server is not", `add server = "smtp.example.com"`},
		{"an e-mail of nobody's", `notify.email = { to = ["a@example.com"], server = "h" }`, "notify.email.to is set, but notify.email.from is not", `add from = "name@example.com"`},
		{"a server that is for other projects", `notify.email = { server = "smtp.example.com:587", user = "a" }`, "", ""},
		{"a user without a password", `notify.email = { to = ["a@example.com"], from = "a@example.com", server = "h", user = "a" }`, "notify.email.user is set, but notify.email.password is not", "set it in REFRAIN_NOTIFY_EMAIL_PASSWORD, or in your own config.toml"},
		{"a password of nobody", `notify.email = { to = ["a@example.com"], from = "a@example.com", server = "h", password = "a" }`, "notify.email.password is set, but notify.email.user is not", "say who signs in"},

		{"hosts of a list", `sandbox = { network = "listed", hosts = ["example.com"] }`, "", ""},
		{"hosts for another day", `sandbox = { network = "open", hosts = ["example.com"] }`, "", ""},
		{"hosts that nobody is held to", `sandbox.hosts = ["example.com"]`, "sandbox.hosts is set, but sandbox.network is not, so every host can be reached", `add network = "listed" beside it, or network = "open" to have it so`},

		{"everything allowed", `sandbox.allow = ["/"]`, `sandbox.allow has "/", which is all there is`, "name what is to be changed; --sandbox none does without a sandbox"},
		{"everything hidden", `sandbox.hide = ["/x/.."]`, `sandbox.hide has "/x/..", which is all there is`, "name what should not be read"},

		{"quiet nights", `notify.quiet = "22:00-07:00"`, "", ""},
		{"quiet noons", `notify.quiet = "12:00 - 13:30"`, "", ""},
		{"half a night", `notify.quiet = "22:00"`, `notify.quiet must be two times of the day, not "22:00"`, quiet},
		{"no time of the day", `notify.quiet = "22:00-24:00"`, `notify.quiet must be two times of the day, not "22:00-24:00"`, quiet},
		{"no time at all", `notify.quiet = "22:00-22:00"`, `notify.quiet must be two times of the day, not "22:00-22:00"`, quiet},
		{"hours in words", `notify.quiet = "night"`, `notify.quiet must be two times of the day, not "night"`, quiet},

		{"something else to tell", `notify.on = ["finished"]`, `notify.on must be a list of "done", "aborted", "exhausted", "failed", "stopped", "waiting", "person" or "budget", not "finished"`, ""},
		{"a blank command", `notify.command = " "`, "notify.command must not be blank", `write "" for none`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var what, hint string
			for _, p := range problems(t, treeWith(t, tt.toml)) {
				what, hint = what+p.What, hint+p.Hint
			}
			if what != tt.what || hint != tt.hint {
				t.Errorf("%s\ngave %s\nhint %s\nwant %s\nhint %s", tt.toml, what, hint, tt.what, tt.hint)
			}
		})
	}
}
