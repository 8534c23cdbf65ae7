# SPDX-License-Identifier: MIT
# Turns what a program wrote to a terminal into an SVG picture, colours and all:
#   script -qec 'build/fast/bin/openipu-demo' /dev/null | LC_ALL=C awk -f docs/transcript.awk > docs/demo.svg
# Knows the few codes our programs use: bold (1), dim (2), green (32), red (31), return and erase line.
function escape(text) { gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text); gsub(/ /, "\\&#160;", text); return text }
function style(codes,   n, i, part, out) {
  n = split(codes, part, ";")
  for (i = 1; i <= n; ++i) {
    if (part[i] == 1) out = out " font-weight=\"bold\""
    if (part[i] == 2) out = out " opacity=\"0.6\""
    if (part[i] == 31) out = out " fill=\"#f85149\""
    if (part[i] == 32) out = out " fill=\"#3fb950\""
  }
  return out
}
function span(text, codes) { return text == "" ? "" : "<tspan" style(codes) ">" escape(text) "</tspan>" }
{
  sub(/\r$/, "")
  sub(/.*\r/, "")          # only the last picture of a line that was redrawn
  gsub(/\033\[K/, "")
  plain = $0
  gsub(/\033\[[0-9;]*m|[\200-\277]/, "", plain)   # codes, and all bytes of a character but its first
  if (length(plain) > widest) widest = length(plain)
  out = ""; codes = ""; rest = $0
  while (match(rest, /\033\[[0-9;]*m/)) {
    out = out span(substr(rest, 1, RSTART - 1), codes)
    codes = substr(rest, RSTART + 2, RLENGTH - 3)
    rest = substr(rest, RSTART + RLENGTH)
  }
  lines[++count] = out span(rest, codes)
}
END {
  width = widest * 8.43 + 40; height = count * 19 + 30
  printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\">\n", width, height, width, height
  print "<rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#0d1117\"/>"
  print "<g font-family=\"ui-monospace,SFMono-Regular,Menlo,Consolas,monospace\" font-size=\"14\" fill=\"#e6edf3\" xml:space=\"preserve\">"
  for (i = 1; i <= count; ++i) printf "<text x=\"20\" y=\"%d\">%s</text>\n", i * 19 + 12, lines[i]
  print "</g>\n</svg>"
}
