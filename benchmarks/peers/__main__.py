"""`python -m benchmarks.peers`: make the peers' environments."""

from benchmarks.peers import environment

if __name__ == "__main__":
    environment.create()
    print(f"diffprivlib is ready in {environment.ENVIRONMENT.name}")
