"""What equal subscriptions and stored plans save."""
