// How commands declare their options. With the two units that use it the only one that includes CLI11, whose
// headers take most of a unit's compile time.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>
#include <string>

namespace overlay {

struct BuildRequest;

/// What an option takes, and whether it must be given.
enum class Takes {
  one,        ///< a value; given twice, the last one counts
  necessary,  ///< likewise, and it must be given
  list,       ///< values separated by commas
  many,       ///< a value, as often as it is given
  files,      ///< arguments, at least one
};

/// A command whose options are declared one by one; each goes into a member of the command's request.
class Options {
 public:
  /// `run` becomes `chosen` where the command line names the command.
  Options(CLI::App& app, std::function<int()>& chosen, const char* name, const char* summary,
          std::function<int()> run)
      : command_(app.add_subcommand(name, summary)) {
    command_->callback([&chosen, run = std::move(run)] { chosen = run; });
  }

  /// An option with a value, or an argument where the name has no dashes. What it is without being given is
  /// shown where it is something. `type` names the value in the help.
  template <class T>
  Options& value(const char* name, T& value, const char* type, const std::string& help,
                 Takes takes = Takes::one) {
    auto* option = command_->add_option(name, value, help)->type_name(type);
    if (!(value == T{}) && takes != Takes::list) option->capture_default_str();
    return as_asked(*option, takes);
  }

  /// One whose text `read` puts where it belongs.
  template <class Text>
  Options& text(const char* name, std::function<void(const Text&)> read, const char* type,
                const std::string& help, Takes takes = Takes::one) {
    return as_asked(*command_->add_option_function<Text>(name, std::move(read), help)->type_name(type),
                    takes);
  }

  Options& flag(const char* name, bool& value, const std::string& help) {
    command_->add_flag(name, value, help);
    return *this;
  }

  Options& hidden() {
    command_->group("");
    return *this;
  }

 private:
  Options& as_asked(CLI::Option& option, Takes takes) {
    if (takes == Takes::necessary || takes == Takes::files) option.required();
    if (takes == Takes::list) option.delimiter(',');
    if (takes == Takes::many) option.allow_extra_args(false);
    if (takes == Takes::many || takes == Takes::files)
      option.multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return *this;
  }

  CLI::App* command_;
};

/// Archive, profile, flags: what is built, and from what. Of every command that builds.
void declare_program(Options& options, BuildRequest& request);

/// --showers, --erange, and whether an unknown Cherenkov stage is proven.
void declare_showers(Options& options, BuildRequest& request);

/// Declares `production` with its subcommands. `chosen` gets the command to run once the command line is
/// read.
void declare_production(CLI::App& app, std::function<int()>& chosen);

/// A page for man(1), section 1, in the man macros of groff. Hidden commands are left out.
std::string manual_page(const CLI::App& program, const std::string& version);

}  // namespace overlay
