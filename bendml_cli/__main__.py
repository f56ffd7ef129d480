"""`python -m bendml_cli` is `bendml`."""

from bendml_cli.app import main

main()
