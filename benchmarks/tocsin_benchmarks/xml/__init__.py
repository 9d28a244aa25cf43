"""`tocsin bench xml`: its command, workload, trials and what it is compared with."""
