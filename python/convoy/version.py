"""Version of the package, which is the program's."""
version = "0.9.0.dev0"
