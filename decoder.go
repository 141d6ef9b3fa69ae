package refrain

import (
	"fmt"
	"reflect"

	"github.com/refrain-loop/refrain/internal/agent"
	"github.com/refrain-loop/refrain/internal/loop"
)

// calledAgent is an agent of the program's as a run calls it.
type calledAgent struct {
	own     Agent
	control *Control
}

func (a calledAgent) Command(c Call) (cmd Command, err error) {
	broken := a.control.guard("an agent", false, func() {
		if cmd, err = a.own.Command(c); err != nil {
			_ = err.Error() // which is the program's as well, and may be that of a nil pointer
		}
	})
	switch {
	case broken != nil:
		return Command{}, broken
	case err == nil && (len(cmd.Argv) == 0 || cmd.Argv[0] == ""):
		return Command{}, noProgram{}
	}
	return cmd, err
}

func (a calledAgent) Decoder() Decoder {
	d := &calledDecoder{control: a.control}
	d.ask(func() { d.decoder = a.own.Decoder() })
	return d
}

// noProgram says that an agent did not tell what to start.
type noProgram struct{}

func (noProgram) Error() string { return "its Command names no program to start" }
func (noProgram) Hint() string  { return "have Command give the program, and its arguments, as Argv" }

// calledDecoder is a decoder of the program's as a run calls it: in the goroutine
// that reads what the agent prints. One that panics, or tells what is not its to
// tell, is asked nothing more.
type calledDecoder struct {
	decoder Decoder
	control *Control
	dead    bool
}

func (d *calledDecoder) Decode(line []byte) (said []Payload) {
	d.ask(func() { said = d.decoder.Decode(line) })
	return d.believe(said)
}

func (d *calledDecoder) Close(exit Exit) (said []Payload) {
	d.ask(func() { said = d.decoder.Close(exit) })
	if said = d.believe(said); d.dead {
		said = append(said, &AgentResult{Error: &AgentError{Kind: ErrAgent, Message: "its decoder does not work"}})
	}
	return said
}

// Finished is as the decoder has it.
func (d *calledDecoder) Finished() (yes bool) {
	d.ask(func() { yes = agent.Finished(d.decoder) })
	return yes
}

func (d *calledDecoder) ask(what func()) {
	if !d.dead {
		d.dead = d.control.guard("a decoder", false, what) != nil
	}
}

// believe is what the decoder told. Anything but the events of an agent would be
// taken for the runner's own word: it ends the run with an error.
func (d *calledDecoder) believe(said []Payload) []Payload {
	for i, p := range said {
		if why := notAnAgents(p); why != "" {
			d.dead = true
			d.control.breakDown(fmt.Errorf("a decoder gave %s, which is no event of an agent", why))
			return said[:i]
		}
	}
	return said
}

// notAnAgents is what a decoder must not tell; empty: it may.
func notAnAgents(p Payload) string {
	switch p.(type) {
	case *loop.AgentText, *loop.AgentTool, *loop.AgentToolResult, *loop.AgentUsage, *loop.AgentSession, *loop.AgentRetry, *loop.AgentLimit, *loop.AgentResult:
		if reflect.ValueOf(p).IsNil() {
			return "nil"
		}
		return ""
	case nil:
		return "nil"
	}
	return fmt.Sprintf("%T", p)
}
