"""``python -m kompakt.report FIELD OTHER -o FILE``, which ``kompakt report`` runs."""

import sys

from .command import main

sys.exit(main())
