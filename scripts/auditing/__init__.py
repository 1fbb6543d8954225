"""Audit a judge on labeled answers: agreement with people, stability, and biases."""
