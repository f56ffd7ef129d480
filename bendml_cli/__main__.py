"""`bendml`, and `python -m bendml_cli`: the command line, with an answer to Ctrl-C from the first moment on."""

import sys


def main() -> None:
    """The console script."""
    try:
        from bendml_cli.app import main as run

        run()
    except KeyboardInterrupt:
        # While the libraries of the command line are being loaded; later, `app` says what was done.
        sys.exit(130)


if __name__ == "__main__":
    main()
