"""`tocsin bench geofences`: its command, workload, trials and what it is compared with."""
