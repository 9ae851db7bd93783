"""`python -m kafkalyst` is the command `kafkalyst`."""

from kafkalyst.cli import main

raise SystemExit(main())
