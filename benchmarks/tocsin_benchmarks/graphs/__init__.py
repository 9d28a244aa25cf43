"""`tocsin bench graphs`: its command, workload, trials and what it is compared with."""
