# SPDX-License-Identifier: MIT
# The site that `make html` makes has every guide, manual page and header, no dead link, and its search finds each function.
. "$SRCDIR/tests/scripts/common.sh"
for tool in cmark-gfm mandoc python3; do
    have $tool || skip "$tool is not installed"
done

"$SRCDIR/docs/site/make" "$SRCDIR" site || fail "docs/site/make fails"
"$SRCDIR/docs/site/check" site >links.txt || fail "the site has dead links:" "$(cat links.txt)"
cd "$SRCDIR"
for page in docs/*.md docs/*/*.md docs/man/*.[135] include/stepwatch/*.h*; do
    case $page in
    */README.md) made=${page%README.md}index.html ;;
    *.md) made=${page%.md}.html ;;
    *) made=$page.html ;;
    esac
    test ! -e "$page" || test -s "$scratch/site/$made" || fail "the site lacks $page"
done
cd "$scratch"
for symbol in $(grep '^sw_' "$SRCDIR/tests/golden/symbols.txt"); do
    grep -q "h.html#$symbol\"" site/index.js || fail "the search knows no header that declares $symbol"
done

# A dead link is found: of a file, of a heading, of a picture.
mkdir dead
printf '<h1 id="a">a</h1><a href="one.html#a">1</a> <a href="one.html#b">2</a> <a href="two.html">3</a> <img src="x.png"> <a href="https://x.invalid/">4</a>\n' >dead/one.html
! "$SRCDIR/docs/site/check" dead >links.txt || fail "the check of links sees nothing wrong in a page with dead links"
contains links.txt "one.html#b: the page has no such anchor" "two.html: there is no such file" "x.png: there is no such file" "5 links, 3 dead"

# The search, without a browser: the best answer for a word, for two words, for nothing.
have node || { echo "SKIP: $name: searching (node is not installed)"; exit 0; }
cat >page.js <<'E2'
const made = name => ({ name, addEventListener() {}, append(...more) { this.children = (this.children || []).concat(more); },
    replaceChildren(...items) { this.children = items; }, querySelector() {}, value: "", dataset: { top: "" } });
const parts = { search: made("search"), found: made("found") };
globalThis.document = { body: made("body"), getElementById: id => parts[id], createElement: made, addEventListener() {} };
globalThis.location = { hash: "" };
const fs = require("fs"), vm = require("vm");
vm.runInThisContext(fs.readFileSync("site/index.js", "utf8") + fs.readFileSync("site/search.js", "utf8"));
for (const words of process.argv.slice(2)) {
    parts.search.value = words;
    show();
    const first = (parts.found.children || [])[0];
    console.log(words + " -> " + (first.children ? first.children[0].href : first.textContent));
}
E2
node page.js sw_span_begin "requeued keeps number" rolling_average qqqqq >found.txt
contains found.txt "sw_span_begin -> include/stepwatch/stepwatch.h.html#sw_span_begin" \
    "requeued keeps number -> docs/ci-and-slurm.html#under-slurm" "qqqqq -> Nothing found"
