"""How sure a figure is: intervals of means, and tests of paired differences, on arrays and with numpy alone.

The commands and the pages of the Spaces compute them here: a Space has this folder too, as `space/uncertainty`. So no
file of it imports any other of the package.
"""
