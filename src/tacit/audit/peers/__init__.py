"""Other libraries under the same audit."""
