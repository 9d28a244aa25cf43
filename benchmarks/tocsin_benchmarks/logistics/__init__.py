"""`tocsin bench logistics`: its command, workload, trials and what it is compared with."""
