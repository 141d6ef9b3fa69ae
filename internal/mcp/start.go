package mcp

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// startIn is what an agent may say of a run that it starts. It names no command
// and no settings: what runs, and with which rights, is the person's to say.
type startIn struct {
	Procedure     string  `json:"procedure,omitempty" jsonschema:"the procedure to run, such as plan or build; left out: only the prompt"`
	Prompt        string  `json:"prompt,omitempty" jsonschema:"what the agent is told in every iteration; left out: the prompt of the procedure, or PROMPT.md"`
	Until         string  `json:"until,omitempty" jsonschema:"the promise: done when the agent prints it in a promise tag and the gates agree"`
	Agent         string  `json:"agent,omitempty" jsonschema:"left out: as configured"`
	Model         string  `json:"model,omitempty" jsonschema:"left out: as configured"`
	MaxIterations int     `json:"max_iterations,omitempty" jsonschema:"left out: as configured"`
	MaxTime       string  `json:"max_time,omitempty" jsonschema:"such as 90m or 8h"`
	MaxCostUSD    float64 `json:"max_cost_usd,omitempty"`
	MaxTokens     int     `json:"max_tokens,omitempty"`
}

// args are the arguments of "refrain run". A value stands behind a "=", where
// it cannot be taken for a flag.
func (in startIn) args() ([]string, error) {
	var args []string
	if in.Procedure != "" {
		if strings.HasPrefix(in.Procedure, "-") { // it would be a flag
			return nil, &advice{fmt.Sprintf("%q is not the name of a procedure", in.Procedure), "use one that \"refrain procedures\" lists"}
		}
		args = append(args, in.Procedure)
	}
	for _, f := range []struct{ name, value string }{
		{"prompt", in.Prompt},
		{"until", in.Until},
		{"agent", in.Agent},
		{"model", in.Model},
		{"max-iterations", number(in.MaxIterations)},
		{"max-time", in.MaxTime},
		{"max-cost", number(in.MaxCostUSD)},
		{"max-tokens", number(in.MaxTokens)},
	} {
		if f.value != "" {
			args = append(args, "--"+f.name+"="+f.value)
		}
	}
	return args, nil
}

// number is a limit as a flag takes it; 0 was left out.
func number[N int | float64](n N) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatFloat(float64(n), 'f', -1, 64)
}

func (f face) start(ctx context.Context, in startIn) (runRow, error) {
	if f.Inside != "" {
		return runRow{}, &advice{"you are a part of a run: what an agent starts ends with its iteration", "leave it to a person, or to an agent outside the run"}
	}
	args, err := in.args()
	if err != nil {
		return runRow{}, err
	}
	name, err := f.Start(ctx, args)
	if err != nil {
		return runRow{}, err
	}
	store, entry, err := f.find(name)
	if err != nil {
		return runRow{}, err
	}
	return rowOf(f.Look(store, entry).Status(time.Now())), nil
}
