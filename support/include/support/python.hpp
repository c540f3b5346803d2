// Pictures by Python and matplotlib.
#pragma once

#include <string>
#include <vector>

namespace support {

/// Runs a Python script that draws with matplotlib, by a python3 that has it. The script comes from standard
/// input: nothing is written but what the script writes. Returns why nothing was drawn, in one line, or an
/// empty text.
std::string run_plot_script(const std::string& script, const std::vector<std::string>& arguments);

}  // namespace support
