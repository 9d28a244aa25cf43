"""`tocsin bench federation`: its command, workload, trials and what it is compared with."""
