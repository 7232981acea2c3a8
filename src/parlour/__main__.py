"""python -m parlour: the command line, where the script is not on the path."""

from parlour.cli import main

main()
