# SPDX-License-Identifier: Apache-2.0
#
# browser: what tests of reports in a real browser share; sourced by them. It skips the test where no browser starts, and gives
#
#   check_page FILE      no message on the console, no horizontal scrolling from 320 pixels on, dark when the user wants it dark
#                        (figures too), every figure drawn, everything that is drawn inside its figure, a shade where a table goes on behind an edge
#
# The page allows no scripts, so it is measured from outside, by a page of ours that has it in a frame.
set -eu

for name in chromium chromium-browser google-chrome; do
    browser=$(command -v "$name") && break
done
[ -n "${browser:-}" ] || { echo "skipped: no chromium here"; exit 77; }
browser_dir=$(mktemp -d)
trap 'rm -rf "$browser_dir"' EXIT INT TERM

# The page within a frame of a given width (a window cannot be as narrow as a phone), and what the frame measures.
frame() {
    cat <<'HEAD'
<!DOCTYPE html><html><head><meta charset="utf-8"><style>body{margin:0}iframe{border:0;height:900px}</style></head><body>
HEAD
    printf '<iframe id="page" style="width:%dpx" srcdoc="' "$2"
    sed -e 's/&/\&amp;/g' -e 's/"/\&quot;/g' "$1"
    cat <<'TAIL'
"></iframe><script>
addEventListener("load", function () {
    var frame = document.getElementById("page"), doc = frame.contentDocument, view = frame.contentWindow;
    var wide = [], out = [], empty = [], cut = [], drawn = 0;
    var body = view.getComputedStyle(doc.body), line = doc.querySelector(".plot [stroke$=' 5)']");
    doc.querySelectorAll("main *").forEach(function (e) {
        if (!e.closest(".scroll") && e.getBoundingClientRect().right > view.innerWidth + 1) wide.push(e.tagName);
    });
    doc.querySelectorAll(".scroll").forEach(function (e) {
        var look = view.getComputedStyle(e);
        if (e.scrollWidth > e.clientWidth + 1 && !(/gradient/.test(look.backgroundImage) && /local.*scroll/.test(look.backgroundAttachment)))
            cut.push(e.getAttribute("aria-label"));
    });
    doc.querySelectorAll(".plot").forEach(function (svg) {
        var box = svg.getBoundingClientRect(), shapes = 0;
        if (!box.width) return;      /* the map for another width */
        svg.querySelectorAll("path:not([stroke$=' 1)']):not([stroke$=' 2)']), polygon").forEach(function (e) {
            var b = e.getBoundingClientRect();
            shapes += b.width > 1 || b.height > 1;
        });
        if (shapes && box.width > 250 && box.height > 50) drawn++; else empty.push(svg.getAttribute("aria-labelledby"));
        svg.querySelectorAll("text").forEach(function (t) {
            var b = t.getBoundingClientRect();
            if (b.left < box.left - 1 || b.right > box.right + 1 || b.top < box.top - 2 || b.bottom > box.bottom + 1)
                out.push(t.textContent);
        });
    });
    var pre = document.createElement("pre");
    pre.textContent = "probe inner=" + view.innerWidth + " scroll=" + doc.documentElement.scrollWidth +
        " drawn=" + drawn + " wide=" + wide.join(",") + ";outside=" + out.join(",") + ";empty=" + empty.join(",") + ";cut=" + cut.join(",") +
        ";page=" + body.backgroundColor + " ink=" + body.color +
        " line=" + (line ? view.getComputedStyle(line).stroke : "none") + " end";
    document.body.appendChild(pre);
});
</script></body></html>
TAIL
}

# browse ARGUMENT...: what it writes.
browse() {
    timeout 120 "$browser" --headless --no-sandbox --disable-gpu --hide-scrollbars --user-data-dir="$browser_dir/profile" "$@"
}
browse --dump-dom about:blank > /dev/null 2>&1 || { echo "skipped: $browser does not start here"; exit 77; }

fail() { echo "failed: $*"; exit 1; }

probe() {       # probe FILE WIDTH OPTION...
    file=$1 width=$2
    shift 2
    frame "$file" "$width" > "$browser_dir/probe.html"
    browse --window-size=1300,900 "$@" --dump-dom "file://$browser_dir/probe.html" 2> /dev/null |
        sed -n 's/.*<pre>\(probe inner.* end\)<\/pre>.*/\1/p'
}
field() { echo "$1" | sed -n "s/.*[ ;]$2=\(rgb([^)]*)\|[a-z0-9]*\).*/\1/p"; }

check_width() {  # check_width FILE WIDTH OPTION...
    seen=$(probe "$@")
    echo "$(basename "$1") $2: $seen"
    [ -n "$seen" ] || fail "no answer at $2"
    [ "$(field "$seen" inner)" -eq "$2" ] || fail "the frame is not $2 wide: $seen"
    [ "$(field "$seen" scroll)" -le "$(field "$seen" inner)" ] || fail "the page scrolls sideways at $2: $seen"
    case $seen in *" wide=;outside=;empty=;cut=;"*) ;; *) fail "something reaches out, is not drawn, or is cut off without a cue at $2: $seen" ;; esac
    if grep -q '<svg class="plot"' "$1"; then
        [ "$(field "$seen" drawn)" -gt 0 ] || fail "no figure is drawn at $2"
    fi
}

check_page() {
    for width in 320 1200; do
        check_width "$1" $width --blink-settings=preferredColorScheme=1
    done
    check_width "$1" 400 --blink-settings=preferredColorScheme=0
    dark=$seen
    check_width "$1" 400 --blink-settings=preferredColorScheme=1
    for what in page ink; do
        [ -n "$(field "$seen" $what)" ] || fail "no answer: $seen"
        [ "$(field "$seen" $what)" != "$(field "$dark" $what)" ] || fail "$what is the same in dark: $dark"
    done
    if [ "$(field "$seen" line)" != none ]; then
        [ "$(field "$seen" line)" != "$(field "$dark" line)" ] || fail "figures are the same in dark: $dark"
    fi
    browse --window-size=400,900 --enable-logging=stderr --screenshot="$browser_dir/page.png" "file://$1" \
        > "$browser_dir/log" 2>&1
    if grep CONSOLE "$browser_dir/log"; then fail "messages on the console"; fi
    [ -s "$browser_dir/page.png" ] || fail "no screenshot"
}
