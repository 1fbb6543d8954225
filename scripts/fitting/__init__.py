"""What `evaluate-qa fit` does: judged answers to training examples, training, final layers, report."""
