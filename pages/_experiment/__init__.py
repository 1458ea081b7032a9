"""Experiment: material, bill, pilot, run and results of one study."""
