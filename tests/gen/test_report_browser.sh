#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# The report in a real browser: no message on the console, no horizontal scrolling at 400 pixels, dark when the user
# wants it dark (figures too), everything that is drawn inside its figure.
# ctest: label=slow timeout=300
set -eu

for name in chromium chromium-browser google-chrome; do
    browser=$(command -v "$name") && break
done
[ -n "${browser:-}" ] || { echo "skipped: no chromium here"; exit 77; }

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT INT TERM
"$BIN/tests/gen_test_report" "$dir/page.html"

# The page within a frame of a given width (a window cannot be as narrow as a phone), and what the frame measures.
frame() {
    cat <<'HEAD'
<!DOCTYPE html><html><head><meta charset="utf-8"><style>body{margin:0}iframe{border:0;height:900px}</style></head><body>
HEAD
    printf '<iframe id="page" style="width:%dpx" srcdoc="' "$1"
    sed -e 's/&/\&amp;/g' -e 's/"/\&quot;/g' "$dir/page.html"
    cat <<'TAIL'
"></iframe><script>
addEventListener("load", function () {
    var frame = document.getElementById("page"), doc = frame.contentDocument, view = frame.contentWindow;
    var wide = [], out = [];
    var body = view.getComputedStyle(doc.body), line = doc.querySelector(".plot .l5");
    doc.querySelectorAll("main *").forEach(function (e) {
        if (!e.closest(".scroll") && e.getBoundingClientRect().right > view.innerWidth + 1) wide.push(e.tagName);
    });
    doc.querySelectorAll(".plot").forEach(function (svg) {
        var box = svg.getBoundingClientRect();
        svg.querySelectorAll("text").forEach(function (t) {
            var b = t.getBoundingClientRect();
            if (box.width && (b.left < box.left - 1 || b.right > box.right + 1 || b.bottom > box.bottom + 1))
                out.push(t.textContent);
        });
    });
    var pre = document.createElement("pre");
    pre.textContent = "probe inner=" + view.innerWidth + " scroll=" + doc.documentElement.scrollWidth +
        " wide=" + wide.join(",") + ";outside=" + out.join(",") + ";page=" + body.backgroundColor +
        " ink=" + body.color + " line=" + (line ? view.getComputedStyle(line).stroke : "none") + " end";
    document.body.appendChild(pre);
});
</script></body></html>
TAIL
}

# browse ARGUMENT...: what it writes.
browse() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$dir/profile" "$@"
}
browse --dump-dom about:blank > /dev/null 2>&1 || { echo "skipped: $browser does not start here"; exit 77; }

fail() { echo "failed: $*"; exit 1; }

probe() {       # width, then options
    width=$1
    shift
    frame "$width" > "$dir/probe.html"
    browse --window-size=1300,900 "$@" --dump-dom "file://$dir/probe.html" 2> /dev/null |
        sed -n 's/.*<pre>\(probe inner.* end\)<\/pre>.*/\1/p'
}
field() { echo "$1" | sed -n "s/.*[ ;]$2=\(rgb([^)]*)\|[a-z0-9]*\).*/\1/p"; }

for width in 320 400 1200; do
    seen=$(probe $width)
    echo "$width: $seen"
    [ -n "$seen" ] || fail "no answer at $width"
    [ "$(field "$seen" inner)" -eq "$width" ] || fail "the frame is not $width wide: $seen"
    [ "$(field "$seen" scroll)" -le "$(field "$seen" inner)" ] || fail "the page scrolls sideways at $width: $seen"
    case $seen in *" wide=;outside=;"*) ;; *) fail "something reaches out at $width: $seen" ;; esac
done

light=$(probe 1200 --blink-settings=preferredColorScheme=1)
dark=$(probe 1200 --blink-settings=preferredColorScheme=0)
for what in page ink; do
    [ -n "$(field "$light" $what)" ] || fail "no answer: $light"
    [ "$(field "$light" $what)" != "$(field "$dark" $what)" ] || fail "$what is the same in dark: $dark"
done
if [ "$(field "$light" line)" != none ]; then
    [ "$(field "$light" line)" != "$(field "$dark" line)" ] || fail "figures are the same in dark: $dark"
fi

browse --window-size=400,900 --enable-logging=stderr --screenshot="$dir/page.png" "file://$dir/page.html" \
    > "$dir/log" 2>&1
if grep CONSOLE "$dir/log"; then fail "messages on the console"; fi
[ -s "$dir/page.png" ] || fail "no screenshot"
