"""What is shown: HTML with its look, figures as texts, Python lines. What a visitor entered is escaped in this room."""
