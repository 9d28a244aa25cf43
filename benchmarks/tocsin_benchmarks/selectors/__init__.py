"""`tocsin bench selectors`: its command, workload, trials and what it is compared with."""
