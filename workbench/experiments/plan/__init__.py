"""From an experiment to its ordered runs: plan, workload, estimate, resume."""
