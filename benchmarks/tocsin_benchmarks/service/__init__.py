"""`tocsin bench service`: its command, workload, trials and what it is compared with."""
