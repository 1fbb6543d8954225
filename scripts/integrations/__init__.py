"""The metrics inside other frameworks, a file for each: `import evaluate_qa.NAME`, where the framework is installed.

None of these files is imported by another one of the package, so a framework is needed by those alone who use it.
"""
