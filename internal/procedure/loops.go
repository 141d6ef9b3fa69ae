package procedure

import (
	"fmt"
	"slices"
	"strings"
)

// The families, in the order of listing.
const (
	everyday  = "Plan and build"
	direct    = "Direct"
	audits    = "Audits"
	specPlans = "Plans for specs"
	codePlans = "Plans for code"
)

// All is every procedure in the order of listing. The caller may change it.
func All() []Procedure {
	all := slices.Concat(everydayLoops(), directLoops(), auditLoops(), specDrafts(), codeDrafts())
	for i := range all {
		all[i].Title = "# OODA Loop Iteration"
	}
	return all
}

// everydayLoops are the two that most people need: one finds out what is to be
// done, the other does it.
func everydayLoops() []Procedure {
	return []Procedure{
		{
			Name: "plan", Family: everyday, Aliases: []string{"planning", "draft-plan-spec-to-impl"},
			Summary: "compare the specs with the code, and write IMPLEMENTATION_PLAN.md",
			Parts: parts(
				"common/iteration", "common/unattended", "common/one-document",
				"observe/agents-file", "observe/specs", "observe/code", "observe/current-plan",
				"orient/search-first", "orient/gap-spec-to-code",
				"decide/code-tasks", "decide/task-size", "decide/order",
				"act/write-plan", "act/ask", "act/reread-plan", "act/end-plan",
			),
			Settings: planSettings,
		},
		{
			Name: "build", Family: everyday, Aliases: []string{"building"},
			Summary: "do the open tasks of IMPLEMENTATION_PLAN.md, one in each iteration",
			Parts: parts(
				"common/iteration", "common/unattended",
				"observe/last-iteration", "observe/agents-file", "observe/plan",
				"orient/health", "orient/understand-task", "orient/search-first",
				"decide/one-task", "decide/approach", "decide/blocked-task",
				"act/implement", "act/tests", "act/check", "act/tick", "act/learn", "act/commit", "act/end-build",
			),
			Settings: buildSettings,
		},
	}
}

// directLoops are those that act on the project without touching its code.
func directLoops() []Procedure {
	return []Procedure{
		{
			Name: "bootstrap", Family: direct,
			Summary: "write the first AGENTS.md and the index of the specs",
			Parts: parts(
				"common/iteration", "common/unattended",
				"observe/last-iteration", "observe/repository", "observe/checks",
				"orient/project-shape",
				"decide/agents-content",
				"act/write-agents", "act/write-specs-readme", "act/commit-documents", "act/end-agents",
			),
			Settings: documentSettings(3, "BOOTSTRAP COMPLETE"),
		},
		{
			Name: "agents-sync", Family: direct,
			Summary: "bring AGENTS.md in line with the repository",
			Parts: parts(
				"common/iteration", "common/unattended",
				"observe/last-iteration", "observe/repository", "observe/checks",
				"orient/agents-truth",
				"decide/agents-content",
				"act/write-agents", "act/commit-documents", "act/end-agents",
			),
			Settings: documentSettings(3, "AGENTS IN SYNC"),
		},
		{
			Name: "publish-plan", Family: direct,
			Summary: "turn the draft in PLAN.md into items where work is tracked",
			Parts: parts(
				"common/iteration", "common/unattended",
				"observe/last-iteration", "observe/agents-file", "observe/draft-plan", "observe/tracker",
				"orient/plan-tasks",
				"decide/mapping",
				"act/publish", "act/commit-documents", "act/end-publish",
			),
			Settings: documentSettings(3, "PLAN PUBLISHED"),
		},
	}
}

// auditLoops are those that look and write a report, and change nothing else.
func auditLoops() []Procedure {
	return []Procedure{
		audit("audit-spec", "how good the specs are", nil,
			"observe/specs", "orient/spec-quality"),
		audit("audit-impl", "how good the code is", nil,
			"observe/code", "observe/checks", "orient/code-quality"),
		audit("audit-agents", "whether AGENTS.md is true", nil,
			"observe/repository", "observe/checks", "orient/agents-truth"),
		audit("audit-spec-to-impl", "what the specs ask for and the code does not do", nil,
			"observe/specs", "observe/code", "orient/search-first", "orient/gap-spec-to-code"),
		audit("audit-impl-to-spec", "what the code does and no spec asks for", []string{"draft-plan-impl-to-spec"},
			"observe/code", "observe/specs", "orient/search-first", "orient/gap-code-to-spec"),
	}
}

// audit is a procedure that reports on a subject, told by what it looks at and
// how it judges.
func audit(name, subject string, aliases []string, fragments ...string) Procedure {
	return Procedure{
		Name: name, Family: audits, Aliases: aliases,
		Summary: "report " + subject,
		Parts: parts(slices.Concat(
			[]string{"common/iteration", "common/unattended", "common/one-document", "observe/agents-file", "observe/earlier-report"},
			fragments,
			[]string{"decide/findings", "act/write-report", "act/end-report"},
		)...),
		Settings: documentSettings(3, "AUDIT COMPLETE"),
	}
}

// specDrafts plan changes of the specs, from a request.
func specDrafts() []Procedure {
	return []Procedure{
		draft(specPlans, "draft-plan-spec-feat", "plan how the specs take in something new", 5, []string{"draft-plan-story-to-spec"},
			"observe/task", "observe/specs", "observe/code", "orient/requirement", "orient/spec-impact", "decide/spec-tasks"),
		draft(specPlans, "draft-plan-spec-fix", "plan what the specs must say to put a fault right", 5, []string{"draft-plan-bug-to-spec"},
			"observe/task", "observe/defect", "observe/specs", "orient/root-cause", "orient/spec-impact", "decide/spec-tasks"),
		draft(specPlans, "draft-plan-spec-refactor", "plan a better structure of the specs, with the same meaning", 5, nil,
			"observe/scope", "observe/specs", "orient/spec-quality", "orient/same-meaning", "decide/spec-tasks"),
		draft(specPlans, "draft-plan-spec-chore", "plan the upkeep of the specs", 3, nil,
			"observe/scope", "observe/specs", "orient/upkeep", "orient/same-meaning", "decide/spec-tasks"),
	}
}

// codeDrafts plan changes of the code, from a request.
func codeDrafts() []Procedure {
	return []Procedure{
		draft(codePlans, "draft-plan-impl-feat", "plan how the code comes to do something new", 5, nil,
			"observe/task", "observe/specs", "observe/code", "orient/requirement", "orient/search-first", "orient/code-impact", "decide/code-tasks"),
		draft(codePlans, "draft-plan-impl-fix", "plan how a fault in the code is put right", 5, nil,
			"observe/task", "observe/defect", "observe/code", "orient/root-cause", "orient/code-impact", "decide/code-tasks"),
		draft(codePlans, "draft-plan-impl-refactor", "plan a better structure of the code, with the same behaviour", 5, nil,
			"observe/scope", "observe/code", "observe/checks", "orient/code-quality", "orient/same-behaviour", "decide/code-tasks"),
		draft(codePlans, "draft-plan-impl-chore", "plan the upkeep of the code", 3, nil,
			"observe/scope", "observe/code", "observe/checks", "orient/upkeep", "orient/code-impact", "decide/code-tasks"),
	}
}

// draft is a procedure that writes PLAN.md, told by what it looks at, how it
// weighs that, and what its tasks are like.
func draft(family, name, summary string, iterations int, aliases []string, fragments ...string) Procedure {
	return Procedure{
		Name: name, Family: family, Summary: summary, Aliases: aliases,
		Parts: parts(slices.Concat(
			[]string{"common/iteration", "common/unattended", "common/one-document", "observe/agents-file", "observe/current-draft"},
			fragments,
			[]string{"decide/task-size", "decide/order", "act/write-draft", "act/reread-plan", "act/end-plan"},
		)...),
		Settings: documentSettings(iterations, "PLAN READY"),
	}
}

// parts puts each fragment into the section of its folder.
func parts(fragments ...string) []Part {
	var list []Part
	for _, name := range fragments {
		folder, _, _ := strings.Cut(name, "/")
		section := strings.ToUpper(folder)
		if folder == "common" {
			section = ""
		}
		list = append(list, Part{Section: section, Fragment: name})
	}
	return list
}

// A procedure says of every way to be done whether it is one, with a blank for
// those that are none: a profile, which lies below it, may have another.
//
// A plan cannot be its own way to be done, for its tasks are open when it is
// ready; so it is claimed. Gates judge code, which a plan does not touch: a
// project with failing tests must not refuse the plan to repair them.
const planSettings = `[loop]
max_iterations = 10
progress = ["files"]
gates = false
exit_zero_is_done = ""

[done]
promise = "PLAN READY"
plan = ""
gates = ""
proof = "none"
written = "IMPLEMENTATION_PLAN.md"

[stop]
no_progress = 3

[progress]
only = ["IMPLEMENTATION_PLAN.md"]
`

// A build needs no promise, for the plan says when it is done, and a promise
// would be asked for on top of it. It can still be blocked.
const buildSettings = `[loop]
exit_zero_is_done = ""

[done]
promise = ""
plan = "IMPLEMENTATION_PLAN.md"
gates = ""
failure_promise = "BLOCKED"
`

// documentSettings suit a procedure that writes a document: a few iterations
// are enough, only a changed file is progress, and gates, which judge code, do
// not judge the claim.
func documentSettings(iterations int, promise string) string {
	return fmt.Sprintf(`[loop]
max_iterations = %d
progress = ["files"]
gates = false
exit_zero_is_done = ""

[done]
promise = %q
plan = ""
gates = ""
proof = "none"
`, iterations, promise)
}
