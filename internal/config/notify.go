package config

import "time"

// Notify is how people are told of a run. An empty text is off, a zero limit
// none.
type Notify struct {
	On           []string
	Desktop      Auto
	Bell         Auto
	WaitingAfter time.Duration
	Every        time.Duration
	PerHour      int
	Quiet        string // such as "22:00-07:00"
	Log          string
	Command      string // for the shell
	Webhook      Webhook
	Slack        Chat
	Discord      Chat
	Ntfy         Ntfy
	Email        Email
}

// Webhook is an address that is sent messages in a form of the user's.
type Webhook struct {
	URL      string
	Template string // "" is the message as JSON
	Secret   string // "" is no signature
	Headers  map[string]string
}

// Chat is an address of a chat that is sent messages in the chat's own form.
type Chat struct {
	URL string
}

// Ntfy is a topic of a server that runs ntfy.
type Ntfy struct {
	URL   string
	Token string
}

// Email is how messages are sent by e-mail; with no one in To they are not.
type Email struct {
	To       []string
	From     string
	Server   string
	User     string
	Password string
}

// messages is everything that people can be told. Who tells them knows the list
// too; a test of whoever knows both keeps them the same.
var messages = []string{"done", "aborted", "exhausted", "failed", "stopped", "waiting", "person", "budget"}

// notifyRows is every setting of who is told of a run, when and how.
func notifyRows(n *Notify) []row {
	return []row{
		{
			key: "notify.on", kind: list, at: &n.On, builtin: messages, choices: messages,
			doc: "what people are told: how the run ended, that it waits long, needs a person, or has used up most of a budget",
		},
		{
			key: "notify.desktop", kind: auto, at: &n.Desktop, builtin: Automatic,
			doc: "show a message on the desktop; auto: when started on a terminal",
		},
		{
			key: "notify.bell", kind: auto, at: &n.Bell, builtin: Automatic,
			doc: "ring the terminal's bell; auto: when started on a terminal",
		},
		{
			key: "notify.waiting_after", kind: duration, at: &n.WaitingAfter, builtin: 10 * time.Minute,
			doc: "tell of a wait that lasts longer than this",
		},
		{
			key: "notify.every", kind: duration, at: &n.Every, builtin: time.Minute,
			doc: "how long to keep still about the same thing; the end is always told; \"0s\" is no limit",
		},
		{
			key: "notify.per_hour", kind: whole, at: &n.PerHour, builtin: 20,
			doc: "messages at most in an hour; the end is always told; 0 is no limit",
		},
		{
			key: "notify.quiet", kind: textKind, at: &n.Quiet, builtin: "", check: hours,
			doc: "hours of the local day, such as \"22:00-07:00\", in which only the end, without a sound, and what is urgent are told",
		},
		{
			key: "notify.log", kind: textKind, at: &n.Log, builtin: "",
			doc: "a file to which each message is added, as a line of JSON",
		},
		{
			key: "notify.command", kind: line, at: &n.Command, builtin: "", check: emptyOrNotBlank,
			doc: "a command for the shell, with the message as JSON on stdin",
		},
		{
			key: "notify.webhook.url", kind: textKind, at: &n.Webhook.URL, builtin: "", check: webAddress, secret: true,
			doc: "an address to which each message is posted; never shown",
		},
		{
			key: "notify.webhook.template", kind: textKind, at: &n.Webhook.Template, builtin: "",
			doc: "what is posted there, as a template of Go; empty is the message as JSON",
		},
		{
			key: "notify.webhook.secret", kind: textKind, at: &n.Webhook.Secret, builtin: "", secret: true,
			doc: "the key by which it is signed; never shown",
		},
		{
			key: "notify.webhook.headers", kind: variables, at: &n.Webhook.Headers, each: &header,
			doc: "headers of the request; never shown",
		},
		{
			key: "notify.slack.url", kind: textKind, at: &n.Slack.URL, builtin: "", check: webAddress, secret: true,
			doc: "an incoming webhook of Slack; never shown",
		},
		{
			key: "notify.discord.url", kind: textKind, at: &n.Discord.URL, builtin: "", check: webAddress, secret: true,
			doc: "a webhook of Discord; never shown",
		},
		{
			key: "notify.ntfy.url", kind: textKind, at: &n.Ntfy.URL, builtin: "", check: topicAddress, secret: true,
			doc: "the address of a topic of ntfy, such as https://ntfy.sh/TOPIC; never shown",
		},
		{
			key: "notify.ntfy.token", kind: textKind, at: &n.Ntfy.Token, builtin: "", check: headerValue, secret: true,
			doc: "the access token for that topic; never shown",
		},
		{
			key: "notify.email.to", kind: list, at: &n.Email.To, builtin: []string{}, check: mailAddresses,
			doc: "who gets an e-mail",
		},
		{
			key: "notify.email.from", kind: textKind, at: &n.Email.From, builtin: "", check: mailAddress,
			doc: "the sender",
		},
		{
			key: "notify.email.server", kind: textKind, at: &n.Email.Server, builtin: "", check: mailServer,
			doc: "the SMTP server, such as smtp.example.com; its port is 587 unless it says another, such as smtp.example.com:465",
		},
		{
			key: "notify.email.user", kind: textKind, at: &n.Email.User, builtin: "",
			doc: "who signs in there; empty is nobody",
		},
		{
			key: "notify.email.password", kind: textKind, at: &n.Email.Password, builtin: "", secret: true,
			doc: "the password; never shown",
		},
	}
}

// checkEmail looks for what is missing to send any. Without anybody to send to,
// the rest is there for another project.
func (r *Resolved) checkEmail() []Problem {
	e := r.Config.Notify.Email
	switch {
	case len(e.To) == 0:
	case e.Server == "":
		return r.complain("notify.email.to", "notify.email.to is set, but notify.email.server is not", `add server = "smtp.example.com"`)
	case e.From == "":
		return r.complain("notify.email.to", "notify.email.to is set, but notify.email.from is not", `add from = "name@example.com"`)
	case e.User != "" && e.Password == "":
		return r.complain("notify.email.user", "notify.email.user is set, but notify.email.password is not", "set it in REFRAIN_NOTIFY_EMAIL_PASSWORD, or in your own config.toml")
	case e.User == "" && e.Password != "":
		return r.complain("notify.email.password", "notify.email.password is set, but notify.email.user is not", "say who signs in")
	}
	return nil
}
