// SPDX-License-Identifier: MIT
// Searches the sections of all pages: index.js has them as [address, page, heading, words, beginning].
"use strict";
const field = document.getElementById("search");
const list = document.getElementById("found");
const home = document.body.dataset.top;

// How well a section answers one word of the query; 0: not at all.
function points(section, word) {
    const page = section[1].toLowerCase(), heading = section[2].toLowerCase();
    if (heading === word)
        return 20;
    let sum = 0;
    if (heading.includes(word))
        sum += heading.startsWith(word) ? 10 : 6;
    if (page.includes(word))
        sum += 4;
    if ((" " + section[3]).includes(" " + word))
        sum += 1;
    return sum;
}

function show() {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    const hits = [];
    if (words.length)
        for (const section of sections) {
            const each = words.map(word => points(section, word));
            if (each.every(Boolean))
                hits.push([each.reduce((a, b) => a + b), section]);
        }
    hits.sort((a, b) => b[0] - a[0]);
    list.replaceChildren(...hits.slice(0, 20).map(([, section]) => {
        const item = document.createElement("li"), link = document.createElement("a"), more = document.createElement("small");
        link.href = home + section[0];
        link.textContent = section[2] === section[1] ? section[1] : section[1] + ": " + section[2];
        more.textContent = section[4];
        item.append(link, more);
        return item;
    }));
    if (words.length && !hits.length) {
        const item = document.createElement("li");
        item.textContent = "Nothing found";
        list.append(item);
    }
}

field.addEventListener("input", show);
field.addEventListener("keydown", event => {
    const first = list.querySelector("a");
    if (event.key === "Enter" && first)
        location.href = first.href;
    if (event.key === "Escape") {
        field.value = "";
        show();
    }
});
list.addEventListener("click", event => {
    if (event.target.closest("a"))
        field.value = "", show();
});
document.addEventListener("keydown", event => {
    if (event.key === "/" && document.activeElement !== field) {
        event.preventDefault();
        field.focus();
    }
});
if (location.hash.startsWith("#?")) { // a link to a search: index.html#?words
    field.value = decodeURIComponent(location.hash.slice(2));
    show();
}
