"""A local web page for labeling answers by hand."""
