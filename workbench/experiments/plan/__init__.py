"""The ordered runs of an experiment: plan, workload, estimate, resume."""
