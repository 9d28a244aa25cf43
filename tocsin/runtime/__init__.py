"""What every host needs: admission, watermark, order, isolation of faults."""
