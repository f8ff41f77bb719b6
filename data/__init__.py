"""The built-in sets: one folder each, with a README that says where it comes from."""
