"""`python3 make_venv.py FOLDER REQUIREMENTS` creates a virtual environment with exactly the pinned packages. FOLDER-
python, a link to its interpreter, is created last, so an incomplete environment is never used."""

import subprocess
import sys
import venv
from pathlib import Path


def make(folder, requirements):
    link = folder.with_name(f"{folder.name}-python")
    link.unlink(missing_ok=True)
    venv.create(folder, clear=True, symlinks=True, with_pip=True)
    python = folder / "bin" / "python"
    install = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--only-binary", ":all:"]
    subprocess.run([python, *install, "--require-hashes", "--requirement", requirements], check=True)
    link.symlink_to(python.relative_to(link.parent))


if __name__ == "__main__":
    here = Path(__file__).resolve().parent
    try:
        make(here / sys.argv[1], here / sys.argv[2])
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)
