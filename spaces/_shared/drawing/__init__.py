"""HTML, figures and code for the page. Everything that a visitor entered is escaped here."""
