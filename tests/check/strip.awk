# SPDX-License-Identifier: GPL-2.0-or-later
# C source without what stands in comments, strings and characters: awk -f strip.awk FILE... prints
# "FILE:LINE:code", strings as "". A // comment is printed as the word LINE_COMMENT.
FNR == 1 { in_comment = 0 }
{
    code = ""
    n = length($0)
    i = 1
    while (i <= n) {
        if (in_comment) {
            at = index(substr($0, i), "*/")
            if (at == 0)
                break
            in_comment = 0
            i += at + 1
            continue
        }
        # Up to the next character that may open something, in one step.
        rest = substr($0, i)
        if (!match(rest, /["'\/]/)) {
            code = code rest
            break
        }
        code = code substr(rest, 1, RSTART - 1)
        i += RSTART - 1
        c = substr($0, i, 1)
        two = substr($0, i, 2)
        if (two == "/*") {
            in_comment = 1
            i += 2
        } else if (two == "//") {
            code = code " LINE_COMMENT"
            break
        } else if (c == "/") {
            code = code c
            i++
        } else {
            for (i++; i <= n; i++) {
                d = substr($0, i, 1)
                if (d == "\\")
                    i++
                else if (d == c)
                    break
            }
            code = code c c
            i++
        }
    }
    print FILENAME ":" FNR ":" code
}
