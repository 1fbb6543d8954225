"""People's verdicts on answers: the file that is filled in (`sheet`), the page (`page`), and how far two agree."""
