"""What visitors may ask for and send: limits, uploads, requests, endpoints of their own."""
