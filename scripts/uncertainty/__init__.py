"""Intervals of means and tests of paired differences, on arrays.

Each Space has a copy of this folder. So its modules need only numpy, and import no other module of the package.
"""
