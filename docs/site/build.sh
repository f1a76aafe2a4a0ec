#!/usr/bin/env bash
# Builds the site into FOLDER/html; it can be read without a server. A warning is an error.
# usage: build.sh FOLDER LIBRARY VERSION      LIBRARY: libgpusupernodal.so, which the Python reference loads
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mkdir -p "${1:?usage: build.sh FOLDER LIBRARY VERSION}" && cd "$1" && pwd)
library=${2:?usage: build.sh FOLDER LIBRARY VERSION}
root=$(cd "$here/../.." && pwd)
for tool in doxygen sphinx-build; do
  command -v $tool >/dev/null 2>&1 || { echo "skipped: $tool is not installed"; exit 77; }
done
# The distribution's Sphinx, with its extensions; another interpreter may be first on PATH.
python=/usr/bin/python3
"$python" -c 'import sphinx, myst_parser, breathe, furo, scipy' 2>/dev/null ||
  { echo "skipped: Sphinx, MyST, Breathe, furo or SciPy is not installed for $python"; exit 77; }
rm -rf "$folder/xml" "$folder/html" "$folder/doctrees"
cat >"$folder/Doxyfile" <<END
PROJECT_NAME = gpusupernodal
INPUT = "$root/solver/include"
RECURSIVE = YES
FILE_PATTERNS = *.hpp *.h
STRIP_FROM_PATH = "$root/solver/include"
OUTPUT_DIRECTORY = "$folder"
GENERATE_XML = YES
GENERATE_HTML = NO
GENERATE_LATEX = NO
JAVADOC_AUTOBRIEF = YES
ENABLE_PREPROCESSING = YES
MACRO_EXPANSION = YES
EXPAND_ONLY_PREDEF = YES
EXCLUDE_SYMBOLS = gpusupernodal::detail gpusupernodal::detail::*
PREDEFINED = GPUSUPERNODAL_API= GPUSUPERNODAL_C_API= __cplusplus
QUIET = YES
END
doxygen "$folder/Doxyfile"
export GPUSUPERNODAL_LIBRARY=$library GPUSUPERNODAL_SITE_XML=$folder/xml
export GPUSUPERNODAL_SITE_VERSION=${3:?usage: build.sh FOLDER LIBRARY VERSION}
export PYTHONDONTWRITEBYTECODE=1
"$python" -m sphinx -q -W --keep-going -b html -c "$here" -d "$folder/doctrees" "$root/docs" "$folder/html"
"$python" "$here/check.py" "$folder/html" "$folder/xml"
echo "$folder/html/site/index.html: $(find "$folder/html" -name '*.html' | wc -l) pages"
