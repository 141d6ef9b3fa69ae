package config

import (
	"time"

	"github.com/refrain-loop/refrain/internal/setting"
	"github.com/refrain-loop/refrain/internal/wellformed"
)

// Notify is how people are told of a run. An empty text is off, a zero limit
// none.
type Notify struct {
	On           []string
	Desktop      setting.Auto
	Bell         setting.Auto
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
func notifyRows(n *Notify) []setting.Row {
	return []setting.Row{
		{
			Key: "notify.on", Kind: setting.List, At: &n.On, Default: messages, Choices: messages,
			Doc: "what people are told: how the run ended, that it waits long, needs a person, or has used up most of a budget",
		},
		{
			Key: "notify.desktop", Kind: setting.AutoKind, At: &n.Desktop, Default: setting.Automatic,
			Doc: "show a message on the desktop; auto: when started on a terminal",
		},
		{
			Key: "notify.bell", Kind: setting.AutoKind, At: &n.Bell, Default: setting.Automatic,
			Doc: "ring the terminal's bell; auto: when started on a terminal",
		},
		{
			Key: "notify.waiting_after", Kind: setting.Duration, At: &n.WaitingAfter, Default: 10 * time.Minute,
			Doc: "tell of a wait that lasts longer than this",
		},
		{
			Key: "notify.every", Kind: setting.Duration, At: &n.Every, Default: time.Minute,
			Doc: "how long to be silent about the same thing; the end is always told; \"0s\" is no limit",
		},
		{
			Key: "notify.per_hour", Kind: setting.Int, At: &n.PerHour, Default: 20,
			Doc: "messages at most in an hour; the end is always told; 0 is no limit",
		},
		{
			Key: "notify.quiet", Kind: setting.Text, At: &n.Quiet, Default: "", Check: wellformed.Hours,
			Doc: "hours of the local day, such as \"22:00-07:00\", in which only the end, without a sound, and what is urgent are told",
		},
		{
			Key: "notify.log", Kind: setting.Text, At: &n.Log, Default: "", File: true,
			Doc: "a file to which each message is added, as a line of JSON",
		},
		{
			Key: "notify.command", Kind: setting.Line, At: &n.Command, Default: "", Check: wellformed.EmptyOrNotBlank,
			Doc: "a command for the shell, with the message as JSON on stdin",
		},
		{
			Key: "notify.webhook.url", Kind: setting.Text, At: &n.Webhook.URL, Default: "", Check: wellformed.WebAddress, Secret: true,
			Doc: "an address to which each message is posted; never shown",
		},
		{
			Key: "notify.webhook.template", Kind: setting.Text, At: &n.Webhook.Template, Default: "",
			Doc: "what is posted there, as a template of Go; empty is the message as JSON",
		},
		{
			Key: "notify.webhook.secret", Kind: setting.Text, At: &n.Webhook.Secret, Default: "", Secret: true,
			Doc: "the key by which it is signed; never shown",
		},
		{
			Key: "notify.webhook.headers", Kind: setting.Variables, At: &n.Webhook.Headers, Each: &header,
			Doc: "headers of the request; never shown",
		},
		{
			Key: "notify.slack.url", Kind: setting.Text, At: &n.Slack.URL, Default: "", Check: wellformed.WebAddress, Secret: true,
			Doc: "an incoming webhook of Slack; never shown",
		},
		{
			Key: "notify.discord.url", Kind: setting.Text, At: &n.Discord.URL, Default: "", Check: wellformed.WebAddress, Secret: true,
			Doc: "a webhook of Discord; never shown",
		},
		{
			Key: "notify.ntfy.url", Kind: setting.Text, At: &n.Ntfy.URL, Default: "", Check: wellformed.TopicAddress, Secret: true,
			Doc: "the address of a topic of ntfy, such as https://ntfy.sh/TOPIC; never shown",
		},
		{
			Key: "notify.ntfy.token", Kind: setting.Text, At: &n.Ntfy.Token, Default: "", Check: wellformed.HeaderValue, Secret: true,
			Doc: "the access token for that topic; never shown",
		},
		{
			Key: "notify.email.to", Kind: setting.List, At: &n.Email.To, Default: []string{}, Check: wellformed.MailAddresses,
			Doc: "who gets an e-mail",
		},
		{
			Key: "notify.email.from", Kind: setting.Text, At: &n.Email.From, Default: "", Check: wellformed.MailAddress,
			Doc: "the sender",
		},
		{
			Key: "notify.email.server", Kind: setting.Text, At: &n.Email.Server, Default: "", Check: wellformed.MailServer,
			Doc: "the SMTP server, such as smtp.example.com; its port is 587 unless it says another, such as smtp.example.com:465",
		},
		{
			Key: "notify.email.user", Kind: setting.Text, At: &n.Email.User, Default: "",
			Doc: "who signs in there; empty is nobody",
		},
		{
			Key: "notify.email.password", Kind: setting.Text, At: &n.Email.Password, Default: "", Secret: true,
			Doc: "the password; never shown",
		},
	}
}
