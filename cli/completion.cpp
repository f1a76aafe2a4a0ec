#include <algorithm>
#include <memory>
#include <sstream>

#include "base/fmt.hpp"
#include "cli/command_line_error.hpp"
#include "cli/commands.hpp"
#include "cli/options.hpp"
#include "cli/print.hpp"

namespace gpusupernodal::cli {
namespace {

/// An option as shells complete it.
struct Completed {
  std::string flag;                  ///< With its dashes.
  std::string help;                  ///< Its description in one line.
  std::vector<std::string> choices;  ///< Values, if they are few and known.
  bool has_value = false;            ///< Otherwise a flag.
  bool is_file = false;              ///< Whether the value names a file.
};

/// What a subcommand takes beside its options.
struct Argument {
  bool is_file = false;
  std::vector<std::string> choices;  ///< Empty: files or nothing.
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

/// The options of a subcommand, from the parser itself, so that none can be forgotten.
std::vector<Completed> options_of(const CLI::App& app) {
  std::vector<Completed> options;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      const std::string& value = option->get_option_text();
      Completed completed{"--" + name,
                          one_line(option->get_description()),
                          {},
                          option->get_expected_max() > 0,
                          value.find("FILE") != std::string::npos};
      if (value.find('|') != std::string::npos) completed.choices = split(value, '|');
      options.push_back(std::move(completed));
    }
  }
  return options;
}

Argument argument_of(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional()) continue;
    const std::string& value = option->get_option_text();
    if (value.find('|') != std::string::npos) return {false, split(value, '|')};
    return {true, {}};
  }
  return {};
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

std::string shell_word(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string bash_reply(const std::vector<std::string>& choices) {
  return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$word\"))", fmt::join(choices, " "));
}

std::string bash_script(const CLI::App& app) {
  std::string names, values, arguments, flags;
  for (const Completed& option : options_of(app)) names += option.flag + " ";
  for (const CLI::App* subcommand : subcommands_of(app)) {
    names += subcommand->get_name() + " ";
    const Argument argument = argument_of(*subcommand);
    arguments += fmt::format("        {}) {} ;;\n", subcommand->get_name(),
                             !argument.choices.empty() ? bash_reply(argument.choices)
                             : argument.is_file        ? "COMPREPLY=($(compgen -f -- \"$word\"))"
                                                       : "");
    std::string all;
    for (const Completed& option : options_of(*subcommand)) {
      all += option.flag + " ";
      if (!option.choices.empty()) {
        values +=
            fmt::format("    '{} {}') {}; return ;;\n", subcommand->get_name(), option.flag, bash_reply(option.choices));
      } else if (option.has_value) {
        values += fmt::format("    '{} {}') {} return ;;\n", subcommand->get_name(), option.flag,
                              option.is_file ? "COMPREPLY=($(compgen -f -- \"$word\"));" : "");
      }
    }
    flags += fmt::format("    {}) COMPREPLY=($(compgen -W '{}' -- \"$word\")) ;;\n", subcommand->get_name(), all);
  }
  return fmt::format(R"(# bash completion of gpusupernodal; written by 'gpusupernodal completion bash'
_gpusupernodal() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} subcommand=${{COMP_WORDS[1]}}
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '{}' -- "$word"))
    return
  fi
  case "$subcommand $before" in
{}  esac
  case $word in
    -*) ;;
    *)
      case $subcommand in
{}      esac
      return ;;
  esac
  case $subcommand in
{}  esac
}}
complete -o filenames -F _gpusupernodal gpusupernodal
)",
                     names, values, arguments, flags);
}

/// The option as _arguments of zsh takes it.
std::string zsh_spec(const Completed& option) {
  std::string help = option.help;
  for (const char special : {'[', ']', ':'}) std::replace(help.begin(), help.end(), special, ' ');
  std::string spec = option.flag + "[" + help + "]";
  if (!option.choices.empty()) {
    spec += fmt::format(":value:({})", fmt::join(option.choices, " "));
  } else if (option.has_value) {
    spec += option.is_file ? ":file:_files" : ":value:";
  }
  return shell_word(spec);
}

std::string zsh_script(const CLI::App& app) {
  std::string root, names, cases;
  for (const Completed& option : options_of(app)) root += " \\\n        " + zsh_spec(option);
  for (const CLI::App* subcommand : subcommands_of(app)) {
    names += fmt::format("    {}\n", shell_word(subcommand->get_name() + ":" + one_line(subcommand->get_description())));
    cases += fmt::format("    {}) _arguments", subcommand->get_name());
    for (const Completed& option : options_of(*subcommand)) cases += " \\\n      " + zsh_spec(option);
    const Argument argument = argument_of(*subcommand);
    if (!argument.choices.empty()) cases += fmt::format(" \\\n      '1:value:({})'", fmt::join(argument.choices, " "));
    if (argument.is_file) cases += " \\\n      '*:matrix:_files'";
    cases += " ;;\n";
  }
  return fmt::format(R"(#compdef gpusupernodal
# zsh completion of gpusupernodal; written by 'gpusupernodal completion zsh'
_gpusupernodal() {{
  local -a subcommands=(
{}  )
  if (( CURRENT == 2 )); then
    if [[ $words[2] == -* ]]; then
      _arguments{}
    else
      _describe subcommand subcommands
    fi
    return
  fi
  local subcommand=$words[2]
  shift words
  (( CURRENT-- ))
  case $subcommand in
{}  esac
}}
_gpusupernodal "$@"
)",
                     names, root, cases);
}

/// The option as a line of fish, offered under a condition.
std::string fish_line(const std::string& condition, const Completed& option) {
  std::string line = fmt::format("complete -c gpusupernodal -n '{}' -l {} -d {}", condition, option.flag.substr(2),
                                 shell_word(option.help));
  if (!option.choices.empty()) {
    line += fmt::format(" -x -a '{}'", fmt::join(option.choices, " "));
  } else if (option.has_value) {
    line += option.is_file ? " -r" : " -x";
  }
  return line + "\n";
}

std::string fish_script(const CLI::App& app) {
  std::string script = "# fish completion of gpusupernodal; written by 'gpusupernodal completion fish'\n";
  for (const Completed& option : options_of(app)) script += fish_line("__fish_use_subcommand", option);
  for (const CLI::App* subcommand : subcommands_of(app)) {
    const std::string name = subcommand->get_name(), seen = "__fish_seen_subcommand_from " + name;
    script += fmt::format("complete -c gpusupernodal -n __fish_use_subcommand -f -a {} -d {}\n", name,
                          shell_word(one_line(subcommand->get_description())));
    const Argument argument = argument_of(*subcommand);
    if (!argument.is_file)
      script += fmt::format("complete -c gpusupernodal -n '{}' -f{}\n", seen,
                            argument.choices.empty() ? "" : fmt::format(" -a '{}'", fmt::join(argument.choices, " ")));
    for (const Completed& option : options_of(*subcommand)) script += fish_line(seen, option);
  }
  return script;
}

}  // namespace

Command add_completion(CLI::App& parent) {
  auto shell = std::make_shared<std::string>();
  CLI::App* app = parent.add_subcommand("completion", "print the completion script of a shell");
  app->add_option("SHELL", *shell, "the shell")
      ->required()
      ->check([](const std::string& typed) {
        return refuse_unknown_value(typed, {"bash", "zsh", "fish"});
      })
      ->option_text("bash|zsh|fish");
  add_color(*app);
  return {app, [shell, &parent] {
            const std::string script = *shell == "bash"  ? bash_script(parent)
                                       : *shell == "zsh" ? zsh_script(parent)
                                                         : fish_script(parent);
            print_to(stdout, "{}", script);
            return ExitCode::success;
          }};
}

}  // namespace gpusupernodal::cli
