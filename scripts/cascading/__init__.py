"""When to leave an answer to a language model: the band of a matcher's scores in which the model is asked.

From the file to the page: `reading` makes arrays of it, `testing` finds the band, `curve` says what any band does, and
`report` and `drawing` show it. The command `evaluate-qa cascade` is their shell.
"""
