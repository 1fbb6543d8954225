"""How much reward answers get that do not deserve any: templates, the best of each family, a table."""
