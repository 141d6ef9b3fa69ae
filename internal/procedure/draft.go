package procedure

import "slices"

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
