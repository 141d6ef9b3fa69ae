package procedure

import "slices"

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
