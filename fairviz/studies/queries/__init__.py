"""Which queries fail: every query of a system by any measure, and by what another system does better."""
