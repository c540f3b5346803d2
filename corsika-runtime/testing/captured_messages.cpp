// Linked into tests that capture standard error.
#include "corsika_runtime/message.hpp"

namespace {
[[maybe_unused]] const bool allowed = corsika_runtime::standard_error_may_be_replaced = true;
}  // namespace
