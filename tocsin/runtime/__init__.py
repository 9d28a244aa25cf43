"""Shared by all hosts: admission, watermark, order, isolation of faults."""
