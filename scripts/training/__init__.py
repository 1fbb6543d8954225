"""The work of `evaluate-qa fit`: training examples from labeled answers, training, final layers, and reports."""
