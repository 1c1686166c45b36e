#!/bin/sh
# The PDF needs Pango and HarfBuzz. Installs them where this is Debian or Ubuntu and we are root; elsewhere it stays silent, since
# runai-analyze itself says how to get them when it cannot write the PDF. Never fails: the HTML comes without them.
present() { ldconfig -p 2>/dev/null | grep -q "$1"; }
present libpangoft2-1.0.so.0 && present libharfbuzz-subset.so.0 && exit 0
[ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || exit 0
echo "Installing Pango and HarfBuzz for the PDF"
{ apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-install-recommends \
    libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0; } >/dev/null 2>&1 || echo "They could not be installed; the HTML comes without them"
exit 0
