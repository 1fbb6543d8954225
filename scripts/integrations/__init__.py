"""The metrics inside other frameworks, a file for each: `import evaluate_qa.NAME`, where the framework is installed.

None of them is imported by another file of the package, so a framework is needed by those alone who use it. `rows` is
what those share that score one row at a time.
"""
