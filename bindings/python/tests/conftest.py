"""The tests run outside of the source folder, with the package that is installed."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
