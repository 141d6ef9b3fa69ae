package checkpoint

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/refrain-loop/refrain/internal/git"
)

// commitsBetween counts the commits that can be reached after and could not be
// reached before: an amended commit is a new one, a branch that was there is
// not. What history an agent has rewritten and thrown away is found in the
// store.
func (s *Store) commitsBetween(ctx context.Context, before, after facts) (int, error) {
	if len(after.Tips) == 0 || slices.Equal(before.Tips, after.Tips) {
		return 0, nil
	}
	out, err := s.revList(ctx, before, after, "--count")
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		return 0, fmt.Errorf("count commits: %w", err)
	}
	return n, nil
}

// keepCommits copies the commits made since the last checkpoint into the store,
// without their files, so that they can be counted when the agent has thrown
// them away. Those from before the run are there already.
func (s *Store) keepCommits(ctx context.Context, before, after facts) error {
	if len(after.Tips) == 0 || slices.Equal(before.Tips, after.Tips) {
		return nil
	}
	made, err := s.revList(ctx, before, after)
	if err != nil || len(made) == 0 {
		return err
	}
	pack, err := s.git(ctx, git.Command{Env: []string{lookingInto(s.origin.objects())}, Stdin: made}, "pack-objects", "-q", "--stdout")
	if err != nil {
		return err
	}
	_, err = s.git(ctx, git.Command{Stdin: pack}, "unpack-objects", "-q")
	return err
}

// revList asks for the commits between two standings. Of a tip that is gone
// from both repositories git says nothing.
func (s *Store) revList(ctx context.Context, before, after facts, options ...string) ([]byte, error) {
	var input strings.Builder
	for _, tip := range after.Tips {
		fmt.Fprintf(&input, "%s\n", tip)
	}
	for _, tip := range before.Tips {
		fmt.Fprintf(&input, "^%s\n", tip)
	}
	args := slices.Concat([]string{"rev-list", "--ignore-missing"}, options, []string{"--stdin"})
	if s.origin.gone() { // the store has what it saw
		return s.git(ctx, git.Command{Stdin: []byte(input.String())}, args...)
	}
	return s.ask(ctx, git.Command{Env: []string{lookingInto(s.objects())}, Stdin: []byte(input.String())}, args...)
}
