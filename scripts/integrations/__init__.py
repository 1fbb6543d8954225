"""Metrics in other frameworks, one module per framework: `import evaluate_qa.NAME`.

`evaluate_qa` includes this folder in its path, so code that several of these modules share is elsewhere.
"""
