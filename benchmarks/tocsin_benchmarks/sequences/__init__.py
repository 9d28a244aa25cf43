"""`tocsin bench sequences`: its command, workload, trials and what it is compared with."""
