package refrain

import (
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// Messages are written for people at a terminal, where a setting is a flag. What
// they tell a program is said in the words of the library: the same thing, by the
// name that it has here.

// flagWords is what flags are called here. A pattern may stand for a flag with its
// value; the first that fits counts.
var flagWords = []flagWord{
	says(`pass --here to work here all the same`, "run it here all the same"),
	says(`like --set (?<k>[\w.]+)=(?<v>\S+)`, `like Settings: {$k: $v}`),
	says(`--set (?<k>[\w.]+)= takes back`, `an empty $k in Settings takes back`),
	says(`--set`, "Settings"),
	says(`--accept-config`, "AcceptConfig"),
	says(`--untrusted`, "Untrusted"),
	says(`--trust agrees for one command`, "Trust agrees for one run"),
	says(`--trust runs it for one command`, "Trust runs it for one run"),
	says(`--trust`, "Trust"),
	says(`--until(?: DONE)?`, "Until"),
	says(`--plan(?: FILE)?`, "done.plan in Settings"),
	says(`--gate(?: COMMAND| '[^']*')?`, "Gates"),
	says(`(?:-n|--max-iterations)(?: \d+| N)?`, "MaxIterations"),
	says(`--unlimited`, "Unlimited"),
	says(`--max-time(?: 8h)?`, "loop.max_time in Settings"),
	says(`--max-cost(?: 20)?`, "budget.cost_usd in Settings"),
	says(`--max-tokens`, "budget.tokens in Settings"),
	says(`-p TEXT`, "Prompt"),
	says(`-F FILE`, "PromptFile"),
	says(`--var`, "Vars"),
	says(`--agent`, "Agent"),
	says(`(?:-m|--model)`, "Model"),
	says(`--prompt-as`, "loop.prompt_as"),
	says(`--permissions (?<v>\w+)`, `permissions.mode = $v`),
	says(`--permissions`, "permissions.mode"),
	says(`a command after --`, "Command"),
	says(`(?:pass|in there with) -C`, "with Dir"),
}

// flagWord is one flag, and what it is called here.
type flagWord struct {
	flag text.Pattern
	word string
}

// says makes one of a pattern, which begins and ends where words do.
func says(flag, word string) flagWord {
	return flagWord{text.NewPattern(`(?<before>^|[\s(:;,])` + flag + `(?<after>$|[\s):;,.=])`), "${before}" + word + "${after}"}
}

// toPass is how a message asks for a flag, which here is a field.
var toPass = text.NewPattern(`\bpass ([A-Z])`)

// inGo is a message in the words of the library. What stands in quotes is a command
// to type, or what somebody has written, and stays.
func inGo(message string) string {
	parts := strings.Split(message, `"`)
	for i := 0; i < len(parts); i += 2 {
		for _, f := range flagWords {
			parts[i] = f.flag().ReplaceAllString(parts[i], f.word)
		}
		parts[i] = toPass().ReplaceAllString(parts[i], "set $1")
	}
	return strings.Join(parts, `"`)
}
