// The pictures of the report page: inline SVG, a row at a time. Widths are percentages, so that a row fits
// any screen, and no picture holds a number: those stand beside it as text.
#pragma once

#include <cstddef>
#include <string>

#include "overlay/report/page_document.hpp"

namespace overlay {

/// Colour of the category with that index in /stages, as #RRGGBB. In report.json categories are called
/// stages, for compatibility with earlier reports. No two categories have the same one.
///
/// The first twelve are told apart with normal sight and by people who lack one kind of cone: the least
/// distance of two of them in CIELAB is 15.6 (Machado, Oliveira and Fernandes 2009, IEEE Trans. Vis. Comput.
/// Graph. 15, 1291). They are P. Tol's "muted" scheme (SRON/EPS/TN/09-002) and three more, ordered so that
/// neighbours differ most.
std::string category_colour(std::size_t index);

/// A square in the colour of the category at the JSON pointer (page_document.hpp), such as /stages/2.
std::string category_swatch(const PageDocument& document, const std::string& category);

/// CPU time of the build at the pointer (/runs/0) as a bar, from 0 to the slowest run of all builds; split
/// into categories where the build was sampled. A vertical line marks the time of each run; a stripe below
/// the bar marks the accelerated categories.
std::string run_bar(const PageDocument& document, const std::string& run);

/// CPU time of the build at the pointer (/runs[build=stock]) as a plain bar, on the same scale as run_bar.
std::string time_bar(const PageDocument& document, const std::string& run);

/// CPU time of the category at the pointer (/stages/2) in stock (above) and patched (below), from 0 to that
/// of the longest category.
std::string category_bars(const PageDocument& document, const std::string& category);

/// A gain: a dot, its interval as a line, and a mark where stock is (1). The pointer names a number or an
/// object with measured, low and high. All gains of a page have the same scale. It ends at the greatest upper
/// end of an interval, or at /speedup/bound if that is greater and below twice as much. A gain beyond the end
/// is an arrow.
std::string gain_mark(const PageDocument& document, const std::string& gain);

}  // namespace overlay
