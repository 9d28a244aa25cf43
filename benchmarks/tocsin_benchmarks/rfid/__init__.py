"""`tocsin bench rfid`: its command, workload, trials and what it is compared with."""
