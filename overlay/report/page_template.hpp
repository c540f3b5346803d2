// A small template language. Whatever it shows comes from a JSON document, so that a page holds no other
// number.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "overlay/report/page_document.hpp"

namespace overlay {

/// Makes a part of the page, such as a chart. The argument is a pointer; empty where the template gives none.
using PagePart = std::function<std::string(const PageDocument&, const std::string&)>;

/// Fills a template. POINTER is a JSON pointer as PageDocument takes it. One that begins with "./" starts at
/// the element of the innermost #each; "./" alone is that element. A pointer in parentheses within another
/// one is replaced by the text that it points to: /times/(./name).
///
///   {{text POINTER}}                     a text
///   {{fixed DIGITS POINTER}}             a number
///   {{significant POINTER [REFERENCE]}}  a number, with three significant digits
///   {{percent DIGITS POINTER}}           a share as a percentage
///   {{interval POINTER}}                 the members low and high as "low to high"
///   {{count POINTER [ONE MANY]}}         a whole number; with ONE and MANY, "1 file", "3 files"
///   {{mebibytes POINTER}}                a number of KiB in MiB
///   {{part NAME [POINTER]}}              what the function `parts[NAME]` makes
///   {{#if POINTER}} A {{else}} B {{/if}}         A where the document holds something to show there
///   {{#is POINTER WORD}} A {{else}} B {{/is}}    A where that value, as it is written, is WORD
///   {{#each POINTER [LIMIT]}} A {{/each}}        A for each element, at most LIMIT
///
/// significant: as many digits after the point as REFERENCE needs for three significant digits; default: the
/// number itself. interval: digits as show_interval() gives them.
///
/// Throws support::Error where the template is wrong.
std::string fill_template(std::string_view text, const PageDocument& document,
                          const std::map<std::string, PagePart>& parts);

}  // namespace overlay
