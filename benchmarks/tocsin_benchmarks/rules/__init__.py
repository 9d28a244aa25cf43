"""`tocsin bench rules`: its command, workload, trials and what it is compared with."""
