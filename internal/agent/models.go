package agent

import (
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/text"
)

// sameModel tells whether two names may mean the same model. Providers put their own
// name before it, and the day it was made behind: "anthropic/claude-sonnet-4-5" answers
// as "claude-sonnet-4-5-20250929".
func sameModel(a, b string) bool { return plainModel(a) == plainModel(b) }

// families are the models that are asked for without a number, too: the agent takes the
// newest.
var families = []string{"opus", "sonnet", "haiku", "pro", "flash"}

// Meant tells whether the model that an agent names may be the one that it was asked
// for. A word of the user's own, without a number, may stand for any.
func Meant(asked, named string) bool {
	if asked == named || sameModel(asked, named) {
		return true
	}
	word := plainModel(asked)
	if strings.ContainsAny(word, "0123456789") {
		return false
	}
	return !slices.Contains(families, word) || strings.Contains(plainModel(named), word)
}

var (
	modelTag  = text.NewPattern(`(?:\[[^\]]*\]|[:@].*)$`) // "[1m]", ":free", "@20250929"
	modelHost = text.NewPattern(`^(?:[a-z]+\.)+`)         // "us.anthropic."
	modelTail = text.NewPattern(`(?:-(?:\d{2,8}|v\d|latest|preview|exp|experimental))+$`)
)

// plainModel is a name without all that.
func plainModel(name string) string {
	name = strings.ToLower(name[strings.LastIndexByte(name, '/')+1:])
	name = modelTag().ReplaceAllString(name, "")
	name = modelHost().ReplaceAllString(name, "")
	name = strings.ReplaceAll(name, ".", "-")
	return modelTail().ReplaceAllString(name, "")
}
