"""One page of figures and examples, for people to mail: the command `evaluate-qa report` is its shell.

`facts` gathers what is shown (the arithmetic is that of `estimation`), `examples` chooses rows and reads them, `charts`
draws, and `page` puts it into `page.html`.
"""
