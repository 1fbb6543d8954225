"""What `evaluate-qa fit` does: labelled answers to training examples, training, final layers, report."""
