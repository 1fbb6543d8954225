"""One HTML page of figures and examples, for the command `evaluate-qa report`.

`facts` computes the figures with `estimation`, `examples` chooses and reads rows, `charts` draws, and `page` fills
`page.html`.
"""
