package tests

import "testing"

func TestRSpec(t *testing.T) {
	check(t, []reading{
		{"one of each", "1 example, 1 failure\n", "rspec: 1 = 0 passed + 1 failed + 0 skipped"},
		{"errors outside of examples", "3 examples, 1 failure, 1 pending, 2 errors occurred outside of examples\n", "rspec: 5 = 1 passed + 3 failed + 1 skipped"},
		{
			"a hook that fails", lines("An error occurred in a `before(:suite)` hook.", "Failure/Error: raise 'no database'", "", "Finished in 0.1 seconds (files took 0.1 seconds to load)", "0 examples, 0 failures, 1 error occurred outside of examples"),
			"rspec: 1 = 0 passed + 1 failed + 0 skipped; `before(:suite)` hook",
		},
		{"the end of an output", lines("4 examples, 2 failures", "", "Failed examples:", "", "rspec ./a_spec.rb:6 # sum throws", "rspec ./a_spec.rb[1:2] # sum adds"), "rspec: 4 = 2 passed + 2 failed + 0 skipped; sum throws, sum adds"},
		{"two runs add up", lines("2 examples, 0 failures", "3 examples, 1 failure"), "rspec: 5 = 4 passed + 1 failed + 0 skipped"},
		{"cut off while examples are printed", lines("sum", "  adds", "  throws (FAILED - 1)", "    of negatives", "      adds (FAILED - 2)"), "rspec: 2 = 0 passed + 2 failed + 0 skipped"},
		{"a summary in words", lines("3 examples, 0 failures, as hoped", "We have 3 examples, 0 failures", "3 examples"), "nothing"},
		{"a list without a summary", lines("Failures:", "", "  1) sum throws", "     Failure/Error: boom"), "nothing"},
	})
}
