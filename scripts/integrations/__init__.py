"""Metrics in other frameworks, one module per framework: `import evaluate_qa.NAME`."""
