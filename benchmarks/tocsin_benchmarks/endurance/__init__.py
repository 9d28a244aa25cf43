"""`tocsin bench endurance`: its command, workload, trials and what it is compared with."""
