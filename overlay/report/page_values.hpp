// How values of report.json are shown on the page. Each shown value names the member that it came from.
#pragma once

#include <string>
#include <string_view>

#include "overlay/report/page_document.hpp"

namespace overlay {

/// What stands where a value was not measured.
inline constexpr const char* kNotMeasured = "<span class=\"none\">–</span>";

/// Text as HTML shows it. Control characters, which HTML does not allow, become U+FFFD.
std::string escape_html(std::string_view text);

/// A number times `factor`, with `digits` (0 to 17) after the point and `unit` right behind it:
///   <data value="0.8421" title="/speedup/bound">84.2</data>
/// `value` is the number as report.json writes it, `title` its pointer. kNotMeasured where there is none.
std::string show_fixed(const PageDocument& document, std::string_view pointer, int digits, double factor = 1,
                       std::string_view unit = {});
/// A whole number with a comma between thousands.
std::string show_count(const PageDocument& document, std::string_view pointer);
/// A text: <span data-from="/profile">veritas-gamma</span>. kNotMeasured where it is missing or empty.
std::string show_text(const PageDocument& document, std::string_view pointer);
/// The name of a routine: a C++ name without its parameters, which `title` has.
///   <span data-from="/gprof/flat_stock/0/name" title="f(int)">f</span>
std::string show_routine(const PageDocument& document, const std::string& pointer);
/// "7.55 to 7.70", from the members low and high of the object at the pointer. Both have as many digits after
/// the point as its member measured needs for three significant digits. Empty where one of them is missing.
std::string show_interval(const PageDocument& document, std::string_view pointer);

/// Digits after the point that give `value` three significant digits: 0 to 6.
int digits_for(double value);

}  // namespace overlay
