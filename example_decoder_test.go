//go:build unix

package refrain_test

import (
	"context"
	"fmt"
	"log"

	"github.com/refrain-loop/refrain"
)

// parrot is an agent of one's own with a decoder of its own. It tells what it uses.
type parrot struct{}

var _ refrain.Capable = parrot{}

func (parrot) Name() string { return "parrot" }

func (parrot) Command(refrain.Call) (refrain.Command, error) {
	return refrain.Command{Argv: []string{"sh", "-c", "echo Hello; echo ERROR: out of seeds"}}, nil
}

func (parrot) Abilities() refrain.Abilities { return refrain.Abilities{Tokens: true} }

func (parrot) Decoder() refrain.Decoder { return &ear{} }

// ear reads what one attempt of a parrot prints.
type ear struct {
	words int
	wrong *refrain.AgentError
}

func (e *ear) Decode(line []byte) []refrain.Payload {
	if string(line) == "ERROR: out of seeds" {
		e.wrong = &refrain.AgentError{Kind: refrain.ErrBilling, Message: "out of seeds"}
		return nil
	}
	e.words++
	return []refrain.Payload{
		&refrain.AgentText{Text: string(line)},
		&refrain.AgentUsage{Usage: refrain.Usage{Output: e.words}},
	}
}

func (e *ear) Close(refrain.Exit) []refrain.Payload {
	return []refrain.Payload{&refrain.AgentResult{OK: e.wrong == nil, Error: e.wrong}}
}

func ExampleDecoder() {
	defer inNewFolder()()

	result, err := refrain.Run(context.Background(), refrain.Options{CustomAgent: parrot{}, Prompt: "Say hello"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.State, result.Reason, result.Output)
	// Output: failed no_credit Hello
}
