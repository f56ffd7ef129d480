"""`bendml`, and `python -m bendml_cli`: the command line, with an answer to Ctrl-C from the first moment on."""

import sys


def main() -> None:
    """The console script."""
    try:
        if sys.argv[1:2] == ["run"]:
            from bendml_cli.quick import run_kept

            status = run_kept(sys.argv[2:])
            if status is not None:
                sys.exit(status)
        from bendml_cli.app import main as run

        run()
    except KeyboardInterrupt:
        # While the libraries of the command line are being loaded; later, `app` says what was done.
        sys.exit(130)


if __name__ == "__main__":
    main()
