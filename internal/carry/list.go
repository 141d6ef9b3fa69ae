package carry

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// cards reads the cards of the runs in refs. One that cannot be read says why.
func (r *remote) cards(ctx context.Context, refs map[string]string) ([]Near, error) {
	if err := r.fetch(ctx, Prefix+"*", nil, "--depth=1"); err != nil {
		return nil, err
	}
	var list []Near
	names := slices.Sorted(maps.Keys(refs))
	var cards []string
	for _, ref := range names {
		cards = append(cards, ref+":"+cardName)
	}
	sizes, err := r.sizes(ctx, cards, nil)
	if err != nil {
		return nil, err
	}
	for i, ref := range names {
		id := strings.TrimPrefix(ref, Prefix)
		one := Near{Ref: ref, Card: Card{Run: id}}
		err := cardFits(sizes[i])
		out := ""
		if err == nil {
			out, err = r.run(ctx, nil, nil, "cat-file", "blob", cards[i])
		}
		if err == nil {
			var c Card
			if c, err = readCard([]byte(out), id); err == nil {
				one.Card = c
			}
			if err == nil && !c.Begun() {
				one.Wrong = "no worker has begun it yet"
			}
		}
		if err != nil {
			one.Wrong = err.Error()
		}
		list = append(list, one)
	}
	return list, nil
}

// meant finds the run that a person means among those on the remote: by its id, the
// beginning of that, or its name there.
func (r *remote) meant(ctx context.Context, word string) (id string, err error) {
	if isID().MatchString(word) {
		return word, nil
	}
	list, err := r.list(ctx)
	if err != nil {
		return "", err
	}
	var fits, names []string
	for _, one := range list {
		names = append(names, one.Name)
		if word != "" && (one.Name == word || strings.HasPrefix(one.Run, word) || strings.HasPrefix(one.Run, "loop_"+word)) {
			fits = append(fits, one.Run)
		}
	}
	switch {
	case len(fits) == 1:
		return fits[0], nil
	case len(fits) > 1:
		return "", &UnknownError{fmt.Sprintf("several runs on %s are called %q", r.name, word), "name one by its id: " + strings.Join(fits, ", ")}
	case len(names) == 0:
		return "", &UnknownError{"there is no run on " + r.name, "\"refrain carry push\" takes one there"}
	}
	return "", &UnknownError{fmt.Sprintf("there is no run %q on %s", word, r.name), "\"refrain carry ls\" lists those that are there"}
}
