package procedure

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
				"act/write-plan", "act/reread-plan", "act/end-plan",
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
