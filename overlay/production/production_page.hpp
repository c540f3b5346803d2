// A production as a page that a browser shows. Computes text; the caller writes it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "overlay/production/survey.hpp"

namespace overlay {

/// All that the page shows, as JSON: counts, rates, times and sizes with their distributions, outliers,
/// nodes, audits (read from `folder`). `now_s`: seconds since 1970, for the estimate of the end.
std::string production_document(const ProductionPlan& plan, const Survey& survey,
                                const std::filesystem::path& folder, std::int64_t now_s);

/// The page: one HTML file that needs no network and no script. Throws support::Error where the text is not
/// JSON.
std::string production_page(std::string_view document);

}  // namespace overlay
