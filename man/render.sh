#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Renders what the manual pages list from the tables of the program: man/render.sh ALLOCTUNE PAGE...
# rewrites, in place, what stands between the lines
#   .\" BEGIN TABLE    and    .\" END TABLE
# A sentence begins a line, and no line of text is longer than 80 columns, as mandoc wants it.
set -eu
program=$1
shift
for page; do
        awk -v program="$program" '
                function put(text) {
                        if (text ~ /^[.\047]/)
                                text = "\\&" text
                        print text
                }
                function fold_line(text,    n, words, i, out) {
                        n = split(text, words, " ")
                        out = ""
                        for (i = 1; i <= n; i++) {
                                if (out != "" && (length(out) + 1 + length(words[i]) > 76 ||
                                    (out ~ /[^.][.][)"]?$/ && words[i] ~ /^[A-Z0-9"]/))) {
                                        put(out)
                                        out = ""
                                }
                                out = out == "" ? words[i] : out " " words[i]
                        }
                        if (out != "")
                                put(out)
                }
                function fold(text) {
                        if (text ~ /^[.]/)
                                print text
                        else if (text ~ /^\\&/)
                                fold_line(substr(text, 3))
                        else
                                fold_line(text)
                }
                /^\.\\" END / { inside = 0 }
                !inside { print }
                /^\.\\" BEGIN / {
                        inside = 1
                        command = "\"" program "\" --dump-tables man-" $3
                        while ((command | getline line) > 0)
                                fold(line)
                        if (close(command) != 0)
                                exit 1
                }' "$page" >"$page.new"
        cat "$page.new" >"$page"
        rm "$page.new"
done
