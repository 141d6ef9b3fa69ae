package dispatch

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/refrain-loop/refrain/internal/config"
	"github.com/refrain-loop/refrain/internal/request"
)

const commitKey = "git.commit"

// committing is a request whose iterations are committed, unless the project or a flag
// says otherwise: a branch has nothing but commits, and many an agent makes none.
func committing(s *site, req request.Request) (request.Request, error) {
	said, err := saidOfCommits(s.Dir(), req)
	switch {
	case err != nil:
		return req, err
	case said == "false":
		s.worry(
			"the iterations are not committed (git.commit is false), so the branch gets only what the agent commits itself",
			"the rest is in the checkpoints of the run, and \"refrain carry fetch\" brings it; to have all of it on the branch: --set git.commit=true",
		)
	case said == "":
		req.Flags = append(slices.Clip(req.Flags), config.Flag{Name: "--commit", Key: commitKey, Value: "true"})
	}
	return req, nil
}

// carriedCommits tells what becomes of the branch of a run that was begun here without
// commits.
func carriedCommits(s *site, stored json.RawMessage) error {
	var req request.Request
	if err := json.Unmarshal(stored, &req); err != nil {
		return err
	}
	said, err := saidOfCommits(s.Dir(), req)
	if err == nil && said != "true" {
		s.worry(
			"the run was begun without git.commit, so its branch gets only what the agent commits itself",
			"the rest is in the checkpoints of the run, and \"refrain carry fetch\" brings it",
		)
	}
	return err
}

// saidOfCommits is what holds at workers of git.commit; empty: nobody has said.
func saidOfCommits(dir string, req request.Request) (config.Value, error) {
	a, err := request.In(dir, req)
	if err != nil {
		return "", err
	}
	x, err := a.Settings.Explain(commitKey)
	if err != nil {
		return "", err
	}
	profile := a.Settings.OfProject("profile") || request.Sets(req.Flags, "profile")
	for _, o := range append([]config.Origin{x.Origin}, x.Overrode...) {
		if !o.Blank && (travels(o) || profile && strings.HasPrefix(o.Layer, "profile ")) {
			return o.Value, nil
		}
	}
	return "", nil
}

// travels tells whether somebody has said something who is heard at workers too: not
// the user's own file and environment.
func travels(o config.Origin) bool {
	return o.Layer == "flag" || o.Layer == "prompt" || strings.HasPrefix(o.Where, config.FileName+":") || strings.HasSuffix(o.Layer, " (built-in)")
}
