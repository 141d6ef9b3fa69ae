package prompt

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"text/template"
)

const (
	// maxIncluded is how much one prompt may take from files and commands, and
	// how long a page may get. No model reads as much.
	maxIncluded = 8 << 20

	// maxRounds is how often the loops of one prompt may go round. A file that
	// an agent has written must not hold up the run.
	maxRounds = 100_000

	// notOurs is what to do about braces that were never meant for us.
	notOurs = `write {{"{{"}} for braces that are to stay as they are; includeText takes a whole file so`
)

// turn is the making of one prompt.
type turn struct {
	builder   *Builder
	variables variables
	context   string
	feedback  string
	placed    struct{ context, feedback bool } // by a template, in a place of its own
	room      int                              // bytes that may still be put in
	rounds    int                              // that loops may still go
}

// render is the text of a page with everything put in.
func (t *turn) render(ctx context.Context, p *page) (string, error) {
	front, body, err := ReadFront(p.name, p.text)
	if err != nil {
		return "", err
	}
	if err := p.accept(front); err != nil {
		return "", err
	}
	if strings.Contains(body, "{{") {
		body, err = t.execute(ctx, p, body)
	}
	if p.height > 0 {
		body = strings.TrimLeft(body, "\r\n") // what parted it from the front matter
	}
	return body, err
}

// templateName stands in the errors of package template, where we look for it.
const templateName = "prompt"

func (t *turn) execute(ctx context.Context, p *page, body string) (string, error) {
	functions := t.functions(ctx, p)
	tmpl, err := template.New(templateName).Option("missingkey=error").Funcs(functions).Parse(body)
	if err != nil {
		return "", p.explain(err, functions)
	}
	variables := t.variables.with(p.vars)
	if p.trusted { // else they are refused one and all
		if err := t.builder.meet(tmpl, body); err != nil {
			return "", err.in(p)
		}
	}
	if err := check(tmpl, body, variables); err != nil {
		return "", err.in(p)
	}
	out := &bounded{}
	if err := tmpl.Execute(out, variables); err != nil {
		if ctx.Err() != nil {
			return "", fmt.Errorf("build the prompt: %w", context.Cause(ctx))
		}
		return "", p.explain(err, functions)
	}
	return out.String(), nil
}

// functions is what a template can call.
func (t *turn) functions(ctx context.Context, p *page) template.FuncMap {
	all := maps.Clone(helpers)
	all["include"] = func(pattern string) (string, error) { return t.include(ctx, p, pattern, inclusion{}) }
	all["includeIf"] = func(pattern string) (string, error) { return t.include(ctx, p, pattern, inclusion{optional: true}) }
	all["includeText"] = func(pattern string) (string, error) { return t.include(ctx, p, pattern, inclusion{asItIs: true}) }
	all["run"] = func(line string) (string, error) { return t.run(ctx, p, line) }
	all["runIf"] = func(line string) (string, error) { return t.runIf(ctx, p, line) }
	all[roundName] = func() (string, error) { return "", t.round(ctx) }
	return all
}

// round is called each time a loop goes round.
func (t *turn) round(ctx context.Context) error {
	if t.rounds--; t.rounds < 0 {
		return &Error{What: fmt.Sprintf("the loops of this prompt go round more than %d times", maxRounds), Hint: "let them end sooner"}
	}
	return ctx.Err()
}

// spend takes note of bytes that are put in.
func (t *turn) spend(n int) error {
	if t.room -= n; t.room < 0 {
		return &Error{What: fmt.Sprintf("the prompt takes in more than %d MB", maxIncluded>>20), Hint: "include less"}
	}
	return nil
}

// bounded is a page as it grows.
type bounded struct{ strings.Builder }

func (b *bounded) Write(data []byte) (int, error) {
	if b.Len()+len(data) > maxIncluded {
		return 0, &Error{What: fmt.Sprintf("gets longer than %d MB", maxIncluded>>20), Hint: "let it say less"}
	}
	return b.Builder.Write(data)
}
