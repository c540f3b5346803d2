// How commands declare their options. Each unit of this folder declares commands, and holds what they do.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <memory>

#include "overlay/build/build.hpp"

namespace overlay {

namespace fs = std::filesystem;

/// Version, commit and build, a line each (version.cmake).
extern const char* const kVersion;

/// What the command line asks for; returns the exit status.
using Chosen = std::function<int()>;

/// A command whose options are declared one by one; each goes into a member of the command's request.
class Options {
 public:
  /// `run` becomes `chosen` where the command line names the command.
  Options(CLI::App& app, Chosen& chosen, const char* name, const char* summary, Chosen run)
      : command_(app.add_subcommand(name, summary)) {
    command_->callback([&chosen, run = std::move(run)] { chosen = run; });
  }

  /// An option with a value, or an argument where the name has no dashes; given twice, the last one counts.
  /// What it is without being given is shown where it is something. `type` names the value in the help.
  template <class T>
  Options& value(const char* name, T& value, const char* type, const std::string& help) {
    option_ = command_->add_option(name, value, help)->type_name(type);
    if (!(value == T{})) option_->capture_default_str();
    if (std::string_view(type) == "DIR") option_->check(is_no_file);
    return *this;
  }

  /// One whose text `read` puts where it belongs.
  Options& text(const char* name, std::function<void(const std::string&)> read, const char* type,
                const std::string& help) {
    option_ = command_->add_option_function(name, std::move(read), help)->type_name(type);
    return *this;
  }

  // Of the option declared last: it must be given; it takes values separated by commas; a value, as often as
  // it is given; arguments, at least one; a leading 0, which run numbers have in names of files, is no octal
  // number's.
  Options& necessary() {
    option_->required();
    return *this;
  }
  Options& list() {
    option_->delimiter(',')->default_str("");
    return *this;
  }
  Options& many() {
    option_->allow_extra_args(false)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return *this;
  }
  Options& decimal() {
    option_->transform([](const std::string& text) {
      return text.substr(std::min(text.find_first_not_of('0'), text.size() - 1));
    });
    return *this;
  }

  Options& files() {
    option_->required()->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    return *this;
  }

  /// It stands for all options declared before it: none of them may, and none must, be given beside it.
  Options& alone() {
    const auto* option = option_;
    for (auto* other : command_->get_options(
             [option](const CLI::Option* each) { return each != option && each->nonpositional(); }))
      option_->each([option, other](const std::string&) {
        if (other->count() > 0) throw CLI::ExcludesError(option->get_name(), other->get_name());
        other->required(false);
      });
    return *this;
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
  /// What is wrong with a folder; nothing where it may be one.
  static std::string is_no_file(const std::string& folder) {
    std::error_code error;
    return fs::exists(folder, error) && !fs::is_directory(folder, error)
               ? folder + " is a file; give a folder"
               : "";
  }

  CLI::App* command_;
  CLI::Option* option_ = nullptr;  ///< declared last
};

/// A program that stands beside this one. Throws support::Error where it is not built.
std::string program_beside(const char* name);

constexpr const char* kOut = "folder for everything that is made";

/// Where sources come from, how an archive is checked, and where everything goes.
void declare_sources(Options& options, BuildRequest& request);

/// A card and options of the user's own, and where atmospheres lie.
void declare_own(Options& options, BuildRequest& request);

/// Archive, profile, flags: what is built, and from what. Of every command that builds.
void declare_program(Options& options, BuildRequest& request);

void declare_atmosphere(Options& options, BuildRequest& request);

/// --allow-substitutes: without it they are an error.
void declare_substitutes(Options& options, BuildRequest& request);

/// --showers, --erange, and whether an unknown Cherenkov stage is proven.
void declare_showers(Options& options, BuildRequest& request);

/// All that `build`, `install` and `compare` share.
void declare_build_request(Options& options, BuildRequest& request);

// Each declares a command. `chosen` gets what it does once the command line is read, which throws
// support::Error, one line that says what to do.
void declare_init(CLI::App& app, Chosen& chosen);
void declare_install(CLI::App& app, Chosen& chosen);
void declare_patch(CLI::App& app, Chosen& chosen);
void declare_prove(CLI::App& app, Chosen& chosen);
void declare_bench(CLI::App& app, Chosen& chosen);
void declare_validate(CLI::App& app, Chosen& chosen);
void declare_doctor(CLI::App& app, Chosen& chosen);
void declare_production(CLI::App& app, Chosen& chosen);

/// Commands of `production` on the runs that were made: status, verify, collect, check-seeds.
void declare_production_results(CLI::App& production, Chosen& chosen);

/// A command of `production`, and its request, whose `folder` is the production's.
template <class Request, class Run>
std::pair<Options, Request&> production_command(CLI::App& production, Chosen& chosen, const char* name,
                                                const char* summary, Run run) {
  const auto request = std::make_shared<Request>();
  Options options(production, chosen, name, summary, [request, run] { return run(*request); });
  options.value("folder", request->folder, "DIR", "the production's folder").necessary();
  if constexpr (requires { request->scratch; })
    options.value(
        "--scratch", request->scratch, "DIR",
        "folder on a local disk for run folders (default: $_CONDOR_SCRATCH_DIR, $SLURM_TMPDIR, $TMPDIR, "
        "/tmp)");
  return {options, *request};
}

}  // namespace overlay
