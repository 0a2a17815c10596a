"""`python -m playout`: the command line, where the script `playout` is not on the path."""

from playout.cli.main import main

if __name__ == "__main__":
    main()
