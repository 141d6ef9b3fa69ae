package procedure

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
